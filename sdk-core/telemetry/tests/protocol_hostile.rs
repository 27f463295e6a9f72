//! Bytes that mean harm: the parser is total, and what it reads it can write.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use exo_telemetry::{Random, aggregator::Aggregator, protocol::Message};
use serde_json::Value;

mod common;
use common::at;

fn seeds() -> Vec<Vec<u8>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/telemetry/messages.json");
    let all: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let messages = all["messages"].as_array().unwrap().iter();
    messages.map(|vector| vector["message"].as_str().unwrap().as_bytes().to_vec()).collect()
}

/// Words that parsers stumble over.
const NASTY: [&str; 12] = [
    "null",
    "-1",
    "1e308",
    "-0.0",
    "18446744073709551615",
    "18446744073709551616",
    "\"\"",
    "[]",
    "{}",
    "\\u0000",
    "\"unavailable\"",
    "true",
];

fn damaged(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let pick = |random: &mut Random| seeds[random.below(seeds.len() as u64) as usize].clone();
    let mut bytes = pick(random);
    for _ in 0..=random.below(4) {
        let place = random.below(bytes.len() as u64 + 1) as usize;
        match random.below(5) {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, random.bits() as u8),
            2 => {
                let nasty = NASTY[random.below(NASTY.len() as u64) as usize];
                let end = (place + random.below(12) as usize).min(bytes.len());
                bytes.splice(place..end, nasty.bytes());
            }
            3 => {
                let other = pick(random);
                let cut = random.below(other.len() as u64) as usize;
                bytes.truncate(place);
                bytes.extend_from_slice(&other[cut..]);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    bytes
}

#[test]
fn any_bytes_end_in_a_message_or_an_error_and_messages_survive_a_round_trip() {
    let (mut random, seeds, mut aggregator) = (Random::seeded(77), seeds(), Aggregator::with_room_for(16));
    let mut read = 0;
    for step in 0..20_000 {
        let bytes = damaged(&mut random, &seeds);
        let _ = aggregator.hear(at(step * 100), &bytes);
        match Message::parse(&bytes) {
            Ok(message) => {
                read += 1;
                let written = message.to_json().unwrap();
                assert_eq!(Message::parse(written.as_bytes()).unwrap(), message);
            }
            Err(error) => assert!(!error.to_string().is_empty() && error.to_string().len() < 2_000),
        }
        assert!(aggregator.devices().len() <= 16);
    }
    assert!(read > 500, "only {read} were messages: the damage is too great to test anything");
}

#[test]
fn nesting_and_repetition_do_not_exhaust_the_stack() {
    for bomb in ["[", "{\"a\":", "[{\"a\":"] {
        assert!(Message::parse(bomb.repeat(8_000).as_bytes()).is_err());
    }
}
