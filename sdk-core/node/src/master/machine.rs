//! The master itself: it composes the pieces beside it and owns none of their rules.

use std::{collections::VecDeque, time::Duration};

use exo_wire::{
    Event, EventId, GatheredInfo, GlobalEvent, InstanceId, Sealed, SessionId, Topic, When,
    event::{InstanceDeleted, NodeGatheredInfo, NodeTimedOut},
    gate::Gate,
    heard,
};
use serde::Deserialize;
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use super::{
    log::{Log, Room},
    ordering::{Bounds, Ordering, Taken},
    replay::{self, Pace, Replay},
    state::State,
    timeouts::{self, Timeouts},
};
use crate::{Now, Random, json, now::Moment};

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
    /// How long the master may be silent before it says its newest event again. Who joins learns the session from what
    /// the master says, and who hears nothing takes the link for dead; exo's own nodes say something every second.
    pub beat: Option<Duration>,
}

impl Limits {
    /// For a phone that leads phones.
    pub const PHONE: Self = Self {
        ordering: Bounds::PHONE,
        log: Room::PHONE,
        replay: Pace::PHONE,
        beat: Some(Duration::from_secs(1)),
    };
    /// As exo: everything is kept and everything is sent again.
    pub const EXO: Self = Self { ordering: Bounds::PHONE, log: Room::ALL, replay: Pace::ANY, beat: None };
}

/// What happens to a master.
#[derive(Debug, Clone, Copy)]
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
    gate: Gate,
    ordering: Ordering,
    log: Log<Sealed>,
    replay: Replay,
    state: State,
    timeouts: Timeouts,
    beat: Option<Duration>,
    said: Moment,
    counts: Counts,
    outputs: VecDeque<Sealed>,
}

impl Master {
    /// The master of a session that begins now. One that beats says at once that it is there.
    pub fn new(session: SessionId, limits: Limits, random: Random, now: Now) -> Self {
        let mut master = Self {
            session,
            random,
            gate: Gate::master_of_phones(),
            ordering: Ordering::new(limits.ordering),
            log: Log::new(limits.log),
            replay: Replay::new(now.mono, limits.replay),
            state: State::default(),
            timeouts: Timeouts::new(now.mono),
            beat: limits.beat,
            said: now.mono,
            counts: Counts::default(),
            outputs: VecDeque::new(),
        };
        if limits.beat.is_some() {
            let event_id = EventId::from_random(master.random.wide());
            let node_id = master.session.master_node_id.clone();
            let (when, info) = (When::since_1970(now.wall), GatheredInfo::NodeConfig {});
            master.say(now, NodeGatheredInfo { event_id, node_id, when, info });
        }
        master
    }

    /// Feeds one input. Never fails: what cannot be taken is counted and left.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        match input {
            Input::Heard { payload, .. } if payload.len() > MAX_PAYLOAD => self.counts.refused += 1,
            Input::Heard { topic: Topic::LocalEvents, payload } => self.local_event(now, payload),
            Input::Heard { topic: Topic::Commands, payload } => self.command(now.mono, payload),
            Input::Tick | Input::Heard { .. } => {}
        }
        if self.timeouts.is_due(now.mono) {
            self.look_for_the_absent(now);
        }
        if !self.outputs.is_empty() {
            self.said = now.mono;
        } else if self.beat.is_some_and(|beat| now.mono.since(self.said) >= beat) {
            // The same event at the same place: everybody knows it already, and hears that we are here.
            self.said = now.mono;
            let newest = self.log.next().checked_sub(1).and_then(|index| self.log.get(index));
            self.outputs.extend(newest.cloned());
        }
    }

    /// The next payload to publish.
    pub fn poll(&mut self) -> Option<Sealed> {
        self.outputs.pop_front()
    }

    /// When to call [`Self::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        let beat = self.beat.map(|beat| self.said + beat);
        Some(beat.map_or(self.timeouts.next(), |beat| beat.min(self.timeouts.next())))
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
        let Ok(local) = heard::local(payload) else {
            self.counts.refused += 1;
            return;
        };
        if !local.session.is(&self.session) {
            return;
        }
        match self.ordering.take(now.mono, &local.origin, local.origin_idx, payload) {
            Taken::Next => {
                self.index_local(now, &local);
                while let Some(payload) = self.ordering.release(&local.origin) {
                    if let Ok(next) = heard::local(&payload) {
                        self.index_local(now, &next);
                    }
                }
            }
            Taken::Waits | Taken::Repeated => {}
            Taken::Refused(_) => self.counts.refused += 1,
        }
    }

    fn index_local(&mut self, now: Now, local: &heard::Local<'_>) {
        // Whatever the sender's clock says: the times of one session come from one clock.
        match local.stamped(&When::since_1970(now.wall)) {
            Some(event) => self.index(now, &event),
            None => self.counts.refused += 1,
        }
    }

    /// Gives an event its place, unless the gate refuses it.
    fn index(&mut self, now: Now, event: &RawValue) {
        let Some((tag, fields)) = tagged(event) else {
            self.counts.refused += 1;
            return;
        };
        if tag == "TracesCollected" {
            return;
        }
        let indexed = GlobalEvent {
            origin_idx: self.log.next(),
            origin: self.session.master_node_id.clone(),
            session: self.session.clone(),
            event,
        };
        match self.gate.seal(Topic::GlobalEvents, &indexed) {
            Ok(sealed) => {
                self.state.apply(now.mono, &tag, &fields);
                self.log.push(sealed.clone(), sealed.payload().len());
                self.counts.indexed += 1;
                self.outputs.push_back(sealed);
            }
            Err(_) => self.counts.refused += 1,
        }
    }

    /// An event of our own. It cannot be refused: its type is closed.
    fn say(&mut self, now: Now, event: impl Into<Event>) {
        if let Ok(raw) = to_raw_value(&event.into()) {
            self.index(now, &raw);
        }
    }

    fn command(&mut self, now: Moment, payload: &[u8]) {
        let Ok(command) = json::read::<Command>(payload) else { return };
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
        for instance in self.state.broken_instances() {
            let event_id = EventId::from_random(self.random.wide());
            self.say(now, InstanceDeleted { event_id, instance_id: InstanceId::heard(&instance) });
        }
        if !self.timeouts.may_judge(now.mono) {
            return;
        }
        for node_id in self.state.silent_for(now.mono, timeouts::SILENCE) {
            let event_id = EventId::from_random(self.random.wide());
            self.say(now, NodeTimedOut { event_id, node_id });
        }
    }
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
fn tagged(event: &RawValue) -> Option<(String, Value)> {
    match serde_json::from_str(event.get()) {
        Ok(Value::Object(tagged)) if tagged.len() == 1 => {
            tagged.into_iter().next().filter(|(_, fields)| fields.is_object())
        }
        _ => None,
    }
}
