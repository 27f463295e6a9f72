//! Whatever the outgoing types can hold, exo takes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod any;
mod schema;
mod vectors;

use any::{Any, Dice};
use exo_wire::{
    ElectionMessage, Event, ForwardedCommand, ForwardedDownloadCommand, GlobalEvent, LocalEvent, Topic, seal,
};
use schema::Schemas;
use serde::{Serialize, de::DeserializeOwned};

/// One value of that seed: it passes the gate, it fits the schema, and it survives being read back.
fn exo_takes<T>(topic: Topic, seed: u64, schemas: &Schemas)
where
    T: Any + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let value = Dice::seeded(seed).any::<T>();
    let sealed = seal(topic, &value).unwrap_or_else(|refusal| panic!("seed {seed}: {refusal}"));
    let json = serde_json::from_slice(sealed.payload()).unwrap();
    schemas.check(topic, &json).unwrap_or_else(|why| panic!("seed {seed}: {topic}: {why}"));
    let again: T =
        serde_json::from_slice(sealed.payload()).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    assert_eq!(again, value, "seed {seed}: read back as another value");
}

#[test]
fn whatever_the_types_can_hold_passes_the_gate_and_the_schema() {
    let schemas = Schemas::of_exo();
    let first = 0x0065_786f;
    println!("seeds from {first}");
    for seed in first..first + 2000 {
        exo_takes::<LocalEvent>(Topic::LocalEvents, seed, &schemas);
        exo_takes::<ForwardedCommand>(Topic::Commands, seed, &schemas);
    }
    for seed in first..first + 200 {
        exo_takes::<GlobalEvent>(Topic::GlobalEvents, seed, &schemas);
        exo_takes::<ForwardedDownloadCommand>(Topic::DownloadCommands, seed, &schemas);
        exo_takes::<ElectionMessage>(Topic::ElectionMessages, seed, &schemas);
    }
}

#[test]
fn the_dice_throw_every_event_that_exo_knows() {
    let mut tags = std::collections::BTreeSet::new();
    for seed in 0..2000 {
        let event = serde_json::to_value(Dice::seeded(seed).any::<Event>()).unwrap();
        tags.extend(event.as_object().unwrap().keys().cloned());
    }
    let known = Schemas::of_exo().variants(Topic::GlobalEvents, "event");
    assert_eq!(tags, known);
}
