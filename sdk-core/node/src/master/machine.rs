//! The master itself: it composes the pieces beside it and owns none of their rules.

use std::{borrow::Cow, collections::VecDeque};

use exo_wire::{EventId, NodeId, Sealed, SessionId, Topic, seal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

use super::{
    log::{Log, Room},
    ordering::{Bounds, Ordering, Taken},
    replay::{self, Pace, Replay},
    state::State,
    timeouts::{self, Timeouts},
};
use crate::{Now, Random, now::Moment};

/// No honest message is longer.
const MAX_PAYLOAD: usize = 1 << 20;

/// How much a master remembers and how fast it repeats itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// What waits for its turn.
    pub ordering: Bounds,
    /// How far back the log goes.
    pub log: Room,
    /// How fast it is sent again.
    pub replay: Pace,
}

impl Limits {
    /// For a phone that leads phones.
    pub const PHONE: Self = Self { ordering: Bounds::PHONE, log: Room::PHONE, replay: Pace::PHONE };
    /// As exo: everything is kept and everything is sent again.
    pub const EXO: Self = Self { ordering: Bounds::PHONE, log: Room::ALL, replay: Pace::ANY };
}

/// What happens to a master.
#[derive(Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Master::deadline`].
    Tick,
    /// A payload on one of the topics. Only local events and commands concern a master.
    Heard {
        /// Which.
        topic: Topic,
        /// UTF-8 JSON, if all is well. Nothing is assumed.
        payload: &'a [u8],
    },
}

/// What a master did so far. Counters never go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Events that got their place in the log.
    pub indexed: u64,
    /// Events sent again on request.
    pub replayed: u64,
    /// Payloads that could not be read, did not fit or contradicted others.
    pub refused: u64,
}

/// The one that gives every event of a session its place.
#[derive(Debug)]
pub struct Master {
    session: SessionId,
    random: Random,
    ordering: Ordering,
    log: Log<Sealed>,
    replay: Replay,
    state: State,
    timeouts: Timeouts,
    counts: Counts,
    outputs: VecDeque<Sealed>,
}

impl Master {
    /// The master of a session that begins now.
    pub fn new(session: SessionId, limits: Limits, random: Random, now: Now) -> Self {
        Self {
            session,
            random,
            ordering: Ordering::new(limits.ordering),
            log: Log::new(limits.log),
            replay: Replay::new(now.mono, limits.replay),
            state: State::default(),
            timeouts: Timeouts::new(now.mono),
            counts: Counts::default(),
            outputs: VecDeque::new(),
        }
    }

    /// Feeds one input. Never fails: what cannot be taken is counted and left.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        match input {
            Input::Tick => {}
            Input::Heard { payload, .. } if payload.len() > MAX_PAYLOAD => self.counts.refused += 1,
            Input::Heard { topic: Topic::LocalEvents, payload } => self.local_event(now, payload),
            Input::Heard { topic: Topic::Commands, payload } => self.command(now.mono, payload),
            Input::Heard { .. } => {}
        }
        if self.timeouts.is_due(now.mono) {
            self.look_for_the_absent(now);
        }
    }

    /// The next payload to publish.
    pub fn poll(&mut self) -> Option<Sealed> {
        self.outputs.pop_front()
    }

    /// When to call [`Self::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        Some(self.timeouts.next())
    }

    /// The reign.
    pub const fn session(&self) -> &SessionId {
        &self.session
    }

    /// The index that the next event gets.
    pub fn next_index(&self) -> u64 {
        self.log.next()
    }

    /// What the events so far add up to.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// What was done so far.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// The state as exo would answer `GET /state`: who joins late starts from here, and needs the log only from the
    /// index inside.
    pub fn snapshot_json(&self) -> String {
        self.state.to_json(self.log.next().checked_sub(1)).to_string()
    }

    fn local_event(&mut self, now: Now, payload: &[u8]) {
        let Ok(local) = serde_json::from_slice::<Local<'_>>(payload) else {
            self.counts.refused += 1;
            return;
        };
        if local.session != self.session {
            return;
        }
        match self.ordering.take(now.mono, &local.origin, local.origin_idx, local.event.get()) {
            Taken::Next => {
                self.index(now, local.event.get());
                while let Some(event) = self.ordering.release(&local.origin) {
                    self.index(now, &event);
                }
            }
            Taken::Waits | Taken::Repeated => {}
            Taken::Refused(_) => self.counts.refused += 1,
        }
    }

    /// Gives an event its place, unless the gate refuses it.
    fn index(&mut self, now: Now, event: &str) {
        let Some((tag, mut fields)) = tagged(event) else {
            self.counts.refused += 1;
            return;
        };
        if tag == "TracesCollected" {
            return;
        }
        let when = stamp(now);
        let rewritten = match tag.as_str() {
            // Whatever the sender's clock says: times of one session come from one clock.
            "NodeGatheredInfo" => {
                fields["when"] = Value::String(when.clone());
                rewrite_when(event, &when)
            }
            _ => None,
        };
        let event = rewritten.as_deref().unwrap_or(event);
        let Ok(raw) = serde_json::from_str::<&RawValue>(event) else { return };
        let indexed = Indexed {
            origin_idx: self.log.next(),
            origin: &self.session.master_node_id,
            session: &self.session,
            event: raw,
        };
        match seal(Topic::GlobalEvents, &indexed) {
            Ok(sealed) => {
                self.state.apply(now.mono, &when, &tag, &fields, event.len());
                self.log.push(sealed.clone(), sealed.payload().len());
                self.counts.indexed += 1;
                self.outputs.push_back(sealed);
            }
            Err(_) => self.counts.refused += 1,
        }
    }

    fn command(&mut self, now: Moment, payload: &[u8]) {
        let Ok(command) = serde_json::from_slice::<Command>(payload) else { return };
        let Some(asked) = command.command.request_event_log else { return };
        let answer = self.log.answer(asked.since_idx, replay::MOST);
        for index in self.replay.grant(now, answer, self.log.next()) {
            if let Some(event) = self.log.get(index) {
                self.outputs.push_back(event.clone());
                self.counts.replayed += 1;
            }
        }
    }

    fn look_for_the_absent(&mut self, now: Now) {
        for instance_id in self.state.broken_instances() {
            let event_id = EventId::from_random(self.random.wide());
            let deleted = json!({ "InstanceDeleted": { "event_id": event_id, "instance_id": instance_id } });
            self.index(now, &deleted.to_string());
        }
        if !self.timeouts.may_judge(now.mono) {
            return;
        }
        for node_id in self.state.silent_for(now.mono, timeouts::SILENCE) {
            let event_id = EventId::from_random(self.random.wide());
            let timed_out = json!({ "NodeTimedOut": { "event_id": event_id, "node_id": node_id } });
            self.index(now, &timed_out.to_string());
        }
    }
}

#[derive(Deserialize)]
struct Local<'a> {
    origin_idx: u64,
    #[serde(borrow)]
    origin: Cow<'a, str>,
    session: SessionId,
    #[serde(borrow)]
    event: &'a RawValue,
}

#[derive(Serialize)]
struct Indexed<'a> {
    origin_idx: u64,
    origin: &'a NodeId,
    session: &'a SessionId,
    event: &'a RawValue,
}

#[derive(Deserialize)]
struct Command {
    command: Asked,
}

#[derive(Deserialize)]
struct Asked {
    #[serde(rename = "RequestEventLog")]
    request_event_log: Option<RequestEventLog>,
}

#[derive(Deserialize)]
struct RequestEventLog {
    since_idx: u64,
}

/// An event's tag and fields.
fn tagged(event: &str) -> Option<(String, Value)> {
    match serde_json::from_str(event) {
        Ok(Value::Object(tagged)) if tagged.len() == 1 => {
            tagged.into_iter().next().filter(|(_, fields)| fields.is_object())
        }
        _ => None,
    }
}

/// The same gathered info with another stamp; its other fields keep their text to the byte.
fn rewrite_when(event: &str, when: &str) -> Option<String> {
    #[derive(Deserialize, Serialize)]
    struct Tagged<'a> {
        #[serde(borrow, rename = "NodeGatheredInfo")]
        gathered: Gathered<'a>,
    }
    #[derive(Deserialize, Serialize)]
    struct Gathered<'a> {
        #[serde(borrow)]
        event_id: &'a RawValue,
        #[serde(borrow)]
        node_id: &'a RawValue,
        when: Cow<'a, str>,
        #[serde(borrow)]
        info: &'a RawValue,
    }
    let mut tagged: Tagged<'_> = serde_json::from_str(event).ok()?;
    tagged.gathered.when = Cow::Borrowed(when);
    serde_json::to_string(&tagged).ok()
}

/// The time as exo's master writes it.
fn stamp(now: Now) -> String {
    format!("{}", now.wall.as_secs())
}
