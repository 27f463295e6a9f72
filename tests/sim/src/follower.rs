//! What every exo node does with the global events: put them in order, add them up, ask for what is missing.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use exo_node::{master::state::State, now::Moment};
use exo_wire::SessionId;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LAST_WAIT: Duration = Duration::from_secs(10);

/// The replica of one exo node. A late joiner pulls the whole log, as exo does.
#[derive(Debug)]
pub struct Follower {
    session: SessionId,
    state: State,
    next: u64,
    early: BTreeMap<u64, Box<str>>,
    attempts: u32,
    nack_at: Option<Moment>,
}

impl Follower {
    /// Nothing heard yet.
    pub fn new(session: SessionId) -> Self {
        Self { session, state: State::default(), next: 0, early: BTreeMap::new(), attempts: 0, nack_at: None }
    }

    /// Hears a payload. The id of the event, if it is of our session.
    pub fn hear<'a>(&mut self, now: Moment, payload: &'a [u8]) -> Option<Cow<'a, str>> {
        let global: Global<'a> = serde_json::from_slice(payload).ok()?;
        if global.session != self.session || global.origin != self.session.master_node_id.as_str() {
            return None;
        }
        let id = event_id(global.event);
        if global.origin_idx > self.next {
            self.early.entry(global.origin_idx).or_insert_with(|| global.event.get().into());
        }
        if global.origin_idx == self.next {
            self.apply(now, global.event.get());
            while let Some(event) = self.early.remove(&self.next) {
                self.apply(now, &event);
            }
            (self.attempts, self.nack_at) = (0, None);
        } else if self.nack_at.is_none() {
            let wait = FIRST_WAIT.saturating_mul(1 << self.attempts.min(8)).min(LAST_WAIT);
            self.attempts += 1;
            self.nack_at = Some(now + wait);
        }
        id
    }

    /// From which index the log is asked for now, if it is.
    pub fn nack(&mut self, now: Moment) -> Option<u64> {
        self.nack_at.take_if(|at| *at <= now).map(|_| self.next)
    }

    /// When [`Self::nack`] may want something.
    pub fn deadline(&self) -> Option<Moment> {
        self.nack_at
    }

    /// The answer to `GET /state`.
    pub fn state_json(&self) -> String {
        self.state.to_json(self.next.checked_sub(1)).to_string()
    }

    fn apply(&mut self, now: Moment, event: &str) {
        self.next += 1;
        let Ok(Value::Object(tagged)) = serde_json::from_str(event) else { return };
        if let Some((tag, fields)) = tagged.into_iter().next() {
            self.state.apply(now, &tag, &fields);
        }
    }
}

#[derive(Deserialize)]
struct Global<'a> {
    origin_idx: u64,
    #[serde(borrow)]
    origin: Cow<'a, str>,
    session: SessionId,
    #[serde(borrow)]
    event: &'a RawValue,
}

fn event_id(event: &RawValue) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Id<'a> {
        #[serde(borrow)]
        event_id: Cow<'a, str>,
    }
    let tagged: BTreeMap<&str, Id<'_>> = serde_json::from_str(event.get()).ok()?;
    tagged.into_values().next().map(|id| id.event_id)
}
