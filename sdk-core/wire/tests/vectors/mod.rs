//! The messages of a real exo in `tests/vectors/exo`.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::{fs, path::PathBuf};

use serde::Deserialize;

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
