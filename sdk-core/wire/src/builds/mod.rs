//! The builds of exo that we know, as data.
//!
//! exo's messages carry no version and its package version does not change with them, so a build is known by what its
//! classes look like: `builds/<date>.json` holds the schemas of every topic and the top-level keys of `GET /state`,
//! distilled from an export (`scripts/exo-drift --learn`). `builds/beyond.json` adds what a schema cannot say.

mod drift;
mod recognition;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub use self::{
    drift::{Drift, drift},
    recognition::{Recogniser, Recognition},
};
use crate::gate::{
    compile::{Schemas, compile},
    distil::distil,
    rules::Rules,
};

/// Oldest first.
const FILES: [&str; 1] = [include_str!("../../builds/2026-06-22.json")];

/// What a build is called and what it shows of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// What we call it.
    pub name: String,
    /// The commit that it was learnt from.
    pub commit: String,
    /// That commit's date.
    pub date: String,
    /// The version of its package, which is also its default namespace.
    pub package: String,
    /// The top-level keys of `GET /state`.
    pub state_keys: Vec<String>,
}

/// A build of exo that we know.
#[derive(Debug)]
pub struct Build {
    facts: Facts,
    rules: Rules,
    file: &'static str,
}

#[derive(Serialize, Deserialize)]
struct File {
    facts: Facts,
    schemas: Schemas,
}

impl Build {
    /// What it is called and what it shows of itself.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Read anew: only drift needs them, and a phone should not keep them in memory.
    pub(crate) fn schemas(&self) -> Result<Schemas, String> {
        serde_json::from_str(self.file).map(|File { schemas, .. }| schemas).map_err(|error| error.to_string())
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    fn read(file: &'static str) -> Result<Self, String> {
        let File { facts, schemas } = serde_json::from_str(file).map_err(|error| error.to_string())?;
        let rules = compile(&schemas)?;
        Ok(Self { facts, rules, file })
    }
}

/// All builds that we know, oldest first. Read once.
pub fn known() -> &'static [Build] {
    static KNOWN: OnceLock<Vec<Build>> = OnceLock::new();
    // A test reads every file, so nothing is lost here in a crate that passed its tests.
    KNOWN.get_or_init(|| FILES.iter().filter_map(|file| Build::read(file).ok()).collect())
}

/// The build that we speak to unless told otherwise. `None` only if its file could not be read, and then nothing is
/// ever published.
pub fn newest() -> Option<&'static Build> {
    known().last()
}

/// The file of a build, from an export of its schemas (the format of `json_schemas_by_topic.json`).
pub fn learn(facts: Facts, export: &str) -> Result<String, String> {
    let export = serde_json::from_str(export).map_err(|error| format!("the export is not JSON: {error}"))?;
    let schemas = distil(&export)?;
    compile(&schemas)?;
    serde_json::to_string(&File { facts, schemas }).map_err(|error| error.to_string())
}
