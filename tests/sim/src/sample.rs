//! A sample of what was published, for a judge that shares no code with us: `tests/peer/test_dump.py`.

use std::collections::HashMap;

use exo_wire::Topic;
use serde_json::{Value, json};

use crate::{queue::SECOND, trace::Party, world::World};

/// Of what is said by one party so many of each kind are kept,
const FIRST: u64 = 3;
/// and then one of so many.
const EVERY: u64 = 64;

/// One payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Who said it, and when.
    pub name: String,
    /// Where.
    pub topic: Topic,
    /// The payload.
    pub json: String,
}

impl Sample {
    /// As a line of JSON, in the form of exo's own verdicts.
    pub fn line(&self) -> String {
        json!({ "name": self.name, "topic": self.topic.to_string(), "json": self.json }).to_string()
    }
}

/// What was kept, and how many of each kind there were.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(crate) kept: Vec<Sample>,
    said: HashMap<(Party, Topic, String), u64>,
}

impl World {
    /// Keeps a sample of all that is published from now on.
    pub fn keep_samples(&mut self) {
        self.samples = Some(Samples::default());
    }

    /// What was kept.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        self.samples.take().map(|samples| samples.kept).unwrap_or_default()
    }

    pub(crate) fn sample(&mut self, from: Party, topic: Topic, bytes: &[u8]) {
        let Some(samples) = &mut self.samples else { return };
        let said = samples.said.entry((from, topic, kind(bytes))).or_default();
        *said += 1;
        if *said <= FIRST || said.is_multiple_of(EVERY) {
            let seconds = self.now as f64 / SECOND as f64;
            let name = format!("seed {}, {from} at {seconds:.3} s", self.config.seed);
            let json = String::from_utf8_lossy(bytes).into_owned();
            samples.kept.push(Sample { name, topic, json });
        }
    }
}

/// The tag of the event or command, and of the news in it.
fn kind(bytes: &[u8]) -> String {
    let json: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let tag = |value: &Value| value.as_object().and_then(|fields| fields.keys().next().cloned());
    let said = json.get("event").or_else(|| json.get("command")).unwrap_or(&json);
    let outer = tag(said).unwrap_or_default();
    let inner = said.get(&outer).and_then(|fields| tag(fields.get("info")?)).unwrap_or_default();
    format!("{outer} {inner}")
}
