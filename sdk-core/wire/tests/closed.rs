//! Whatever the outgoing types can hold, exo takes and the gate lets through.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod any;
mod schema;
mod vectors;

use any::{Any, Dice};
use exo_wire::{
    ElectionMessage, Event, ForwardedCommand, ForwardedDownloadCommand, GlobalEvent, LocalEvent, Topic,
    gate::{Gate, verdict},
    request::NewInstance,
};
use schema::Schemas;
use serde::{Serialize, de::DeserializeOwned};

/// The value of that seed: exo's parser takes it, it fits the schema, the gate lets it through in the name of a node
/// that may say everything, and it is read back as it was.
fn holds<T>(topic: Topic, seed: u64, schemas: &Schemas)
where
    T: Any + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let value = Dice::seeded(seed).any::<T>();
    let payload = serde_json::to_vec(&value).unwrap();
    let exo = verdict(topic, &payload);
    assert!(exo.accept, "seed {seed}: {topic}: exo dies: {}", exo.why);
    let json = serde_json::from_slice(&payload).unwrap();
    schemas.check(topic, &json).unwrap_or_else(|why| panic!("seed {seed}: {topic}: {why}"));
    let sealed = Gate::master_of_phones().seal(topic, &value);
    sealed.unwrap_or_else(|refusal| panic!("seed {seed}: {refusal}"));
    let again: T = serde_json::from_slice(&payload).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    assert_eq!(again, value, "seed {seed}: read back as another value");
}

#[test]
fn whatever_the_types_can_hold_passes_exos_parser_the_schema_and_the_gate() {
    let schemas = Schemas::of_exo();
    let first = 0x0065_786f;
    println!("seeds from {first}");
    for seed in first..first + 2000 {
        holds::<LocalEvent>(Topic::LocalEvents, seed, &schemas);
        holds::<ForwardedCommand>(Topic::Commands, seed, &schemas);
    }
    for seed in first..first + 200 {
        holds::<GlobalEvent>(Topic::GlobalEvents, seed, &schemas);
        holds::<ForwardedDownloadCommand>(Topic::DownloadCommands, seed, &schemas);
        holds::<ElectionMessage>(Topic::ElectionMessages, seed, &schemas);
    }
}

#[test]
fn whatever_instance_the_types_can_hold_may_be_posted() {
    for seed in 0..500 {
        let request = NewInstance { instance: Dice::seeded(seed).any() };
        let sealed = request.seal().unwrap_or_else(|refusal| panic!("seed {seed}: {refusal}"));
        assert_eq!(serde_json::from_slice::<NewInstance>(sealed.body()).unwrap(), request, "seed {seed}");
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
