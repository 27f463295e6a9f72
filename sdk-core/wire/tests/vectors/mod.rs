//! The messages of a real exo in `tests/vectors/exo`.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::{fs, path::PathBuf};

use exo_wire::Topic;
use serde::Deserialize;
use serde_json::Value;

/// A line of `golden_*.jsonl`.
#[derive(Debug, Deserialize)]
pub(crate) struct Golden {
    pub(crate) topic: String,
    pub(crate) variant: String,
    pub(crate) json: String,
}

pub(crate) fn file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/exo").join(name);
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

pub(crate) fn golden() -> Vec<Golden> {
    ["local_events", "global_events", "commands", "download_commands", "election"]
        .iter()
        .flat_map(|name| {
            file(&format!("golden_{name}.jsonl"))
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// A message of `captured_*.jsonl`.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) topic: Topic,
    pub(crate) payload: String,
    pub(crate) tag: Option<String>,
}

/// The messages of all captured conversations; lines about other things are passed over.
pub(crate) fn captured() -> Vec<Captured> {
    let names = ["two_node", "phone_join", "phone_master_restart", "phone_inference"];
    let more = ["phone_inference_minimal", "phone_inference_cancel"];
    let files = names.iter().chain(&more).map(|name| file(&format!("captured_{name}.jsonl")));
    files.flat_map(|file| file.lines().filter_map(message).collect::<Vec<_>>()).collect()
}

fn message(line: &str) -> Option<Captured> {
    let line: Value = serde_json::from_str(line).unwrap();
    let topic = match (line["topic"].as_str(), line["key_expr"].as_str()) {
        (Some(name), _) => Topic::named(name)?,
        (None, key) => Topic::of_key(key?)?,
    };
    let tag = line["tag"].as_str().map(str::to_owned);
    Some(Captured { topic, payload: line["json"].as_str()?.to_owned(), tag })
}

/// A line of `captured_discovery.jsonl`.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) bytes: Vec<u8>,
    decoded: Value,
}

impl Seen {
    pub(crate) fn nonce(&self) -> [u8; 8] {
        hex(self.decoded["nonce"].as_str().unwrap()).try_into().unwrap()
    }

    pub(crate) fn node_id(&self) -> &str {
        self.decoded["zid"].as_str().or_else(|| self.decoded["node_id"].as_str()).unwrap()
    }
}

pub(crate) fn datagrams() -> Vec<Seen> {
    let file = file("captured_discovery.jsonl");
    let lines = file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| Seen { bytes: hex(line["hex"].as_str().unwrap()), decoded: line["decoded"].clone() })
        .collect()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}
