//! Whatever the outgoing types can hold, exo takes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod any;
mod schema;
mod vectors;

use any::{Any, Dice};
use exo_wire::{
    ElectionMessage, Event, ForwardedCommand, ForwardedDownloadCommand, GlobalEvent, LocalEvent, Topic,
    gate::{Gate, verdict},
};
use schema::Schemas;
use serde::{Serialize, de::DeserializeOwned};

/// One value of that seed: exo takes it, it fits the schema, and it survives being read back.
fn exo_takes<T>(topic: Topic, seed: u64, schemas: &Schemas)
where
    T: Any + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let value = Dice::seeded(seed).any::<T>();
    let payload = serde_json::to_vec(&value).unwrap();
    let verdict = verdict(topic, &payload);
    assert!(verdict.accept, "seed {seed}: {topic}: {}", verdict.why);
    let json = serde_json::from_slice(&payload).unwrap();
    schemas.check(topic, &json).unwrap_or_else(|why| panic!("seed {seed}: {topic}: {why}"));
    let again: T = serde_json::from_slice(&payload).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    assert_eq!(again, value, "seed {seed}: read back as another value");
}

/// One value of that seed whose numbers, ids and texts mean something: the gate lets it through.
fn the_gate_passes<T: Any + Serialize>(topic: Topic, seed: u64) {
    let value = Dice::sound(seed).any::<T>();
    let sealed = Gate::master_of_phones().seal(topic, &value);
    sealed.unwrap_or_else(|refusal| panic!("seed {seed}: {refusal}"));
}

#[test]
fn whatever_the_types_can_hold_exo_takes_and_the_schema_allows() {
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
fn whatever_means_something_passes_the_gate() {
    let first = 0x0065_786f;
    println!("seeds from {first}");
    for seed in first..first + 1000 {
        the_gate_passes::<LocalEvent>(Topic::LocalEvents, seed);
        the_gate_passes::<GlobalEvent>(Topic::GlobalEvents, seed);
        the_gate_passes::<ForwardedCommand>(Topic::Commands, seed);
        the_gate_passes::<ForwardedDownloadCommand>(Topic::DownloadCommands, seed);
        the_gate_passes::<ElectionMessage>(Topic::ElectionMessages, seed);
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
