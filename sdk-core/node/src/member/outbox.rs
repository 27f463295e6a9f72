//! What we said and the master has not yet put into its log.
//!
//! ```text
//! session A   origin o1:  0 1 2 3 ........ each index once, no gap, the same bytes whenever it is sent again
//!             heard 2 in A's log ......... 0, 1 and 2 are acknowledged: a master releases an origin in its order
//!             3 older than 5 s ........... sent again, by a round every 1 to 2 s
//! session B   origin o2:  0 .............. a new stream; what was important and not acknowledged is said anew
//! ```
//! An index once used is never dropped or changed: a gap stalls the stream in the master, and another content under
//! the same index ends it. So when too much is on its way, what is *not yet sent* waits, and newer news replaces
//! older of its kind there.

use std::{collections::VecDeque, time::Duration};

use exo_wire::{
    EventId, GatheredInfo, LocalEvent, NodeId, Refusal, Sealed, SessionId, SystemId, Topic, When, seal,
};

use super::{saying::Saying, stats::Stats, telemetry::Kind};
use crate::{Now, Random, now::Moment};

/// What is older is sent again.
const OLD: Duration = Duration::from_secs(5);
/// How much may be on its way at once; of news, much less: newer is better than more.
const FLYING: usize = 64;
const FLYING_NEWS: usize = 12;
/// How much else may wait.
const WAITING: usize = 256;

#[derive(Debug)]
struct Flying {
    event_id: EventId,
    sealed: Sealed,
    sent: Moment,
    first: Moment,
    /// To be said anew in the next session, unless acknowledged in this one.
    saying: Saying,
}

/// One stream of events to one master.
#[derive(Debug)]
pub(super) struct Outbox {
    node: NodeId,
    session: SessionId,
    origin: SystemId,
    next: u64,
    flying: VecDeque<Flying>,
    waiting: VecDeque<Saying>,
    /// The next round of sending again; `None` while nothing may be sent.
    round: Option<Moment>,
    /// The last thing that the gate kept back.
    refusal: Option<Refusal>,
}

impl Outbox {
    /// A new stream, with nothing said.
    pub(super) fn new(node: NodeId, session: SessionId, random: &mut Random) -> Self {
        let origin = SystemId::from_random(random.wide());
        let (flying, waiting) = (VecDeque::new(), VecDeque::new());
        Self { node, session, origin, next: 0, flying, waiting, round: None, refusal: None }
    }

    /// Ends this stream. What was important and not acknowledged is to be said anew in the next.
    pub(super) fn into_unsaid(self) -> impl Iterator<Item = Saying> {
        let flying = self.flying.into_iter().map(|flying| flying.saying);
        flying.chain(self.waiting).filter(|saying| saying.news().is_none())
    }

    /// Takes something to say. `false` if too much waits already: say it later.
    pub(super) fn say(&mut self, saying: Saying) -> bool {
        if let Some(kind) = saying.news()
            && let Some(older) = self.waiting.iter_mut().find(|waiting| waiting.news() == Some(kind))
        {
            *older = saying;
            return true;
        }
        let room = self.waiting.len() < WAITING;
        if room {
            self.waiting.push_back(saying);
        }
        room
    }

    /// Nothing may be sent: there is no link, or we must not speak.
    pub(super) fn close(&mut self) {
        self.round = None;
    }

    /// What is to be sent now. After a pause that is all that is on its way, since the old link may have swallowed it.
    pub(super) fn send(&mut self, now: Now, random: &mut Random, stats: &mut Stats) -> Vec<Sealed> {
        let mut out = Vec::new();
        if self.round.is_none_or(|due| due <= now.mono) {
            let age = if self.round.is_none() { Duration::ZERO } else { OLD };
            self.round = Some(now.mono + round(random));
            out = self.again(now.mono, age, stats);
        }
        while self.has_room()
            && let Some(saying) = self.waiting.pop_front()
        {
            out.extend(self.launch(now, saying, random, stats));
        }
        out
    }

    /// An event of our session was put into the log. Says whether it is one of ours that we waited for.
    pub(super) fn heard(&mut self, event_id: &str, stats: &mut Stats) -> bool {
        let Some(place) = self.flying.iter().position(|flying| flying.event_id.as_str() == event_id) else {
            return false;
        };
        stats.acked += self.flying.drain(..=place).count() as u64;
        true
    }

    /// Since when the oldest waits for its acknowledgement.
    pub(super) fn oldest(&self) -> Option<Moment> {
        self.flying.front().map(|flying| flying.first)
    }

    /// Whether all that was to be said is in the log.
    pub(super) fn is_empty(&self) -> bool {
        self.flying.is_empty() && self.waiting.is_empty()
    }

    /// What the gate kept back since last asked.
    pub(super) fn refusal(&mut self) -> Option<Refusal> {
        self.refusal.take()
    }

    /// When [`Self::send`] will have something, while something may be sent.
    pub(super) fn deadline(&self) -> Option<Moment> {
        let round = self.round?;
        self.flying.iter().map(|flying| flying.sent + OLD).min().map(|old| old.max(round))
    }

    fn has_room(&self) -> bool {
        let limit = match self.waiting.front() {
            Some(saying) if saying.news().is_some() => FLYING_NEWS,
            _ => FLYING,
        };
        self.flying.len() < limit
    }

    /// Gives a saying its index and sends it. A refusal takes no index: a gap would stall all that follows.
    fn launch(&mut self, now: Now, saying: Saying, random: &mut Random, stats: &mut Stats) -> Option<Sealed> {
        let event_id = EventId::from_random(random.wide());
        let event = saying.event(event_id.clone(), self.node.clone(), When::since_1970(now.wall));
        let (origin, session) = (self.origin.clone(), self.session.clone());
        match seal(Topic::LocalEvents, &LocalEvent { origin_idx: self.next, origin, session, event }) {
            Ok(sealed) => {
                self.next += 1;
                stats.sent += 1;
                let (sent, first) = (now.mono, now.mono);
                self.flying.push_back(Flying { event_id, sealed: sealed.clone(), sent, first, saying });
                Some(sealed)
            }
            Err(refusal) => {
                stats.refused += 1;
                self.refusal = Some(refusal);
                // Absurd figures must not cost us our place: a bare sign of life instead.
                let bare = Saying::News(Kind::Vital, GatheredInfo::NodeConfig {});
                (saying.news() == Some(Kind::Vital) && saying != bare)
                    .then(|| self.launch(now, bare, random, stats))
                    .flatten()
            }
        }
    }

    fn again(&mut self, now: Moment, age: Duration, stats: &mut Stats) -> Vec<Sealed> {
        let old = self.flying.iter_mut().filter(|flying| now.since(flying.sent) >= age);
        let again: Vec<Sealed> = old
            .map(|flying| {
                flying.sent = now;
                flying.sealed.clone()
            })
            .collect();
        stats.resent += again.len() as u64;
        again
    }
}

fn round(random: &mut Random) -> Duration {
    Duration::from_millis(1000 + random.below(1000))
}
