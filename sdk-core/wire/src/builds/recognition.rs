//! Which build is it that we hear?
//!
//! No message carries a version, so a build is recognised by how it writes: exo writes every field of a message, those
//! with defaults too, so one event of each shape shows all that we would have to know. A message that our newest build
//! would not have written, or a state with other keys, means a build that we do not know: then a member only listens,
//! because a message that such a build does not take ends its processes.

use std::collections::HashMap;

use super::{Build, known};
use crate::{
    gate::{
        check::{Check, Eyes, Fault, Place},
        house, json,
    },
    topic::Topic,
};

/// So many messages of one shape are read in full, the rest by their tags.
const IN_FULL: u8 = 3;
/// Shapes that are told apart; a real cluster shows a few dozen. Beyond them only the event's own tag counts, and of
/// those a build has few: the first that it does not have ends the listening.
const SHAPES: usize = 256;
/// So many tags make a shape. Further inside there may be anybody's words, such as the tools of a request.
const TAGS: usize = 3;
/// Events that convince without a look at the state.
const ENOUGH: u32 = 4;

/// What we think of the cluster.
#[derive(Debug, Clone, Copy)]
pub enum Recognition<'a> {
    /// It writes like this build.
    Known(&'static Build),
    /// It does not write like any build that we know. Listen only.
    Unknown(&'a str),
    /// Too little was heard.
    Undecided,
}

/// Listens to a cluster until it is recognised, and on for the day when it no longer is.
#[derive(Debug)]
pub struct Recogniser {
    builds: Vec<&'static Build>,
    shapes: HashMap<Box<str>, u8>,
    events: u32,
    state_fits: bool,
    stranger: Option<String>,
}

impl Default for Recogniser {
    fn default() -> Self {
        Self::new()
    }
}

impl Recogniser {
    /// Nothing heard yet. Begin anew with each session: another master may be another build.
    pub fn new() -> Self {
        Self {
            builds: known().iter().collect(),
            shapes: HashMap::new(),
            events: 0,
            state_fits: false,
            stranger: None,
        }
    }

    /// Hears a payload of the global events.
    pub fn hear(&mut self, payload: &[u8]) {
        if self.stranger.is_some() {
            return;
        }
        let shape = match shape(payload, TAGS) {
            new if self.shapes.len() >= SHAPES && !self.shapes.contains_key(&*new) => shape(payload, 1),
            shape => shape,
        };
        let read = self.shapes.entry(shape).or_insert(0);
        if *read >= IN_FULL {
            return self.count();
        }
        *read += 1;
        self.keep(|build| written_by(build, payload));
        self.count();
    }

    /// Sees the top-level keys of `GET /state`.
    pub fn see_state<'k>(&mut self, keys: impl IntoIterator<Item = &'k str>) {
        let mut keys: Vec<&str> = keys.into_iter().take(1024).collect();
        keys.sort_unstable();
        if self.stranger.is_none() {
            self.keep(|build| same_keys(build, &keys));
            self.state_fits = self.stranger.is_none();
        }
    }

    /// What we think by now.
    pub fn recognition(&self) -> Recognition<'_> {
        match (&self.stranger, self.builds.last()) {
            (Some(why), _) => Recognition::Unknown(why),
            (None, None) => Recognition::Unknown("no build of exo is known"),
            (None, Some(build)) => {
                let convinced = self.events >= ENOUGH || (self.state_fits && self.events > 0);
                if convinced { Recognition::Known(build) } else { Recognition::Undecided }
            }
        }
    }

    fn count(&mut self) {
        self.events = self.events.saturating_add(1);
    }

    /// Keeps the builds that could be meant. The newest one's objection is the one worth telling.
    fn keep(&mut self, objection: impl Fn(&Build) -> Result<(), String>) {
        let mut why = None;
        self.builds.retain(|build| match objection(build) {
            Ok(()) => true,
            Err(this) => {
                why = Some(format!("not build {}: {this}", build.facts().name));
                false
            }
        });
        if self.builds.is_empty() {
            self.stranger = why;
        }
    }
}

fn written_by(build: &Build, payload: &[u8]) -> Result<(), String> {
    let told = |Fault { path, why }: Fault| format!("a global event has at {path}: {why}");
    if payload.len() > house::MAX_PAYLOAD {
        return Ok(());
    }
    let value = json::read(payload).map_err(|fault| format!("a global event is not JSON: {fault}"))?;
    let model = build.rules().of(Topic::GlobalEvents).ok_or("it has no global events")?;
    Check { rules: build.rules(), eyes: Eyes::AsExoWrites }.model(model, &value, &Place::ROOT).map_err(told)
}

fn same_keys(build: &Build, keys: &[&str]) -> Result<(), String> {
    let expected = &build.facts().state_keys;
    let new = keys.iter().find(|key| !expected.iter().any(|known| known == *key));
    let gone = expected.iter().find(|known| !keys.contains(&known.as_str()));
    match (new, gone) {
        (Some(new), _) => Err(format!("its state has the key {}", new.chars().take(64).collect::<String>())),
        (None, Some(gone)) => Err(format!("its state lacks the key {gone}")),
        (None, None) => Ok(()),
    }
}

/// The tags of a message in a row: keys that begin with a capital and hold an object. Strings cannot pretend to be
/// keys, since a quote inside a string is escaped.
fn shape(payload: &[u8], tags: usize) -> Box<str> {
    let mut shape = String::new();
    let mut rest = payload;
    let mut found = 0;
    while found < tags {
        let Some(start) = rest.windows(2).position(|pair| matches!(pair, [b'"', b'A'..=b'Z'])) else { break };
        rest = rest.get(start + 1..).unwrap_or_default();
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (name, after) = rest.split_at(length);
        if after.starts_with(b"\":{") {
            shape.extend(name.iter().take(64).copied().map(char::from));
            shape.push('.');
            found += 1;
        }
        rest = after;
    }
    shape.into()
}
