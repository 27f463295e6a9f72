//! Local events in the order in which each origin sent them.
//!
//! An origin is one stream of one node in one session; it numbers its events 0, 1, 2 without gaps. The bus may lose,
//! repeat and reorder them, so an event that came too early waits for those before it: a missing index stalls that
//! origin, and only that one, until it is sent again. What lies below the next index was taken before and is ignored.
//!
//! exo asserts that a repeat of a waiting index has the same content, and dies if it has not. We keep the first and
//! refuse the second. exo's buffers grow without bound; ours are bounded, and what does not fit is refused as if it
//! had been lost: its sender will send it again.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use exo_wire::SystemId;

use crate::now::Moment;

/// exo's own ids have 36 characters. One that is longer would be kept as long as its origin.
const LONGEST_ORIGIN: usize = 64;

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is the next of its origin: to be indexed now, then those that [`Ordering::release`] gives.
    Next,
    /// It waits for an earlier one.
    Waits,
    /// It was taken before.
    Repeated,
    /// It is not taken; the reason says why.
    Refused(Why),
}

/// Why an event is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Another event waits under the same origin and index.
    Contradiction,
    /// It is too far ahead of what its origin has sent so far.
    TooFarAhead,
    /// Too many bytes wait already.
    Full,
    /// Too many origins are being heard.
    TooManyOrigins,
    /// The name of its origin is nobody's.
    LongOrigin,
}

/// How much may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Origins that are remembered. One that was silent for [`Bounds::forgotten_after`] gives way to a new one.
    pub origins: usize,
    /// How far ahead of the next index an event of one origin may be.
    pub ahead: u64,
    /// Bytes of all events that wait.
    pub bytes: usize,
    /// How long an origin is silent before it may be forgotten for another. Nothing is forgotten while there is room.
    pub forgotten_after: Duration,
}

impl Bounds {
    /// For a phone that orders the events of other phones.
    pub const PHONE: Self =
        Self { origins: 4096, ahead: 1024, bytes: 4 << 20, forgotten_after: Duration::from_mins(1) };
}

/// Events of many origins, each in its own order.
#[derive(Debug)]
pub struct Ordering {
    bounds: Bounds,
    origins: HashMap<SystemId, Origin>,
    waiting_bytes: usize,
}

#[derive(Debug)]
struct Origin {
    next: u64,
    waiting: BTreeMap<u64, Box<[u8]>>,
    heard: Moment,
}

impl Origin {
    fn bytes(&self) -> usize {
        self.waiting.values().map(|payload| payload.len()).sum()
    }
}

impl Ordering {
    /// Nothing heard yet.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, origins: HashMap::new(), waiting_bytes: 0 }
    }

    /// Takes one event, given as the payload that it came in.
    pub fn take(&mut self, now: Moment, origin: &str, index: u64, payload: &[u8]) -> Taken {
        if origin.len() > LONGEST_ORIGIN {
            return Taken::Refused(Why::LongOrigin);
        }
        if !self.origins.contains_key(origin) && !self.has_room_for_an_origin(now) {
            return Taken::Refused(Why::TooManyOrigins);
        }
        let known = self.origins.entry(SystemId::heard(origin)).or_insert_with(|| Origin {
            next: 0,
            waiting: BTreeMap::new(),
            heard: now,
        });
        known.heard = now;
        if index == known.next {
            known.next = index.saturating_add(1);
            return Taken::Next;
        }
        if index < known.next {
            return Taken::Repeated;
        }
        match known.waiting.get(&index) {
            Some(first) if **first == *payload => Taken::Waits,
            Some(_) => Taken::Refused(Why::Contradiction),
            None if index - known.next > self.bounds.ahead => Taken::Refused(Why::TooFarAhead),
            None if self.waiting_bytes.saturating_add(payload.len()) > self.bounds.bytes => {
                Taken::Refused(Why::Full)
            }
            None => {
                self.waiting_bytes += payload.len();
                known.waiting.insert(index, payload.into());
                Taken::Waits
            }
        }
    }

    /// The next event of this origin that waits no longer. To be asked until `None` after each [`Taken::Next`].
    pub fn release(&mut self, origin: &str) -> Option<Box<[u8]>> {
        let known = self.origins.get_mut(origin)?;
        let payload = known.waiting.remove(&known.next)?;
        known.next = known.next.saturating_add(1);
        self.waiting_bytes = self.waiting_bytes.saturating_sub(payload.len());
        Some(payload)
    }

    /// How many origins are remembered, and how many bytes wait.
    pub fn load(&self) -> (usize, usize) {
        (self.origins.len(), self.waiting_bytes)
    }

    fn has_room_for_an_origin(&mut self, now: Moment) -> bool {
        if self.origins.len() < self.bounds.origins {
            return true;
        }
        let oldest = self.origins.iter().min_by_key(|(_, origin)| origin.heard);
        let Some((name, origin)) = oldest else { return false };
        if now.since(origin.heard) < self.bounds.forgotten_after {
            return false;
        }
        let name = name.clone();
        if let Some(forgotten) = self.origins.remove(&name) {
            self.waiting_bytes = self.waiting_bytes.saturating_sub(forgotten.bytes());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Moment = Moment::after_start(Duration::ZERO);

    fn small() -> Ordering {
        Ordering::new(Bounds { origins: 2, ahead: 3, bytes: 10, forgotten_after: Duration::from_mins(1) })
    }

    fn released(ordering: &mut Ordering, origin: &str) -> Vec<String> {
        std::iter::from_fn(|| ordering.release(origin))
            .map(|payload| String::from_utf8(payload.into()).unwrap())
            .collect()
    }

    #[test]
    fn a_missing_index_stalls_its_origin_and_no_other() {
        let mut ordering = small();
        assert_eq!(ordering.take(START, "a", 1, b"a1"), Taken::Waits);
        assert_eq!(ordering.take(START, "b", 0, b"b0"), Taken::Next);
        assert_eq!(ordering.take(START, "a", 2, b"a2"), Taken::Waits);
        assert!(released(&mut ordering, "a").is_empty());
        assert_eq!(ordering.take(START, "a", 0, b"a0"), Taken::Next);
        assert_eq!(released(&mut ordering, "a"), ["a1", "a2"]);
        assert_eq!(ordering.load(), (2, 0));
    }

    #[test]
    fn what_was_taken_before_is_ignored_whatever_it_says_now() {
        let mut ordering = small();
        assert_eq!(ordering.take(START, "a", 0, b"a0"), Taken::Next);
        assert_eq!(ordering.take(START, "a", 0, b"a0"), Taken::Repeated);
        assert_eq!(ordering.take(START, "a", 0, b"other"), Taken::Repeated);
    }

    #[test]
    fn a_waiting_index_with_other_content_is_refused_and_the_first_is_kept() {
        let mut ordering = small();
        assert_eq!(ordering.take(START, "a", 1, b"one"), Taken::Waits);
        assert_eq!(ordering.take(START, "a", 1, b"one"), Taken::Waits);
        assert_eq!(ordering.take(START, "a", 1, b"two"), Taken::Refused(Why::Contradiction));
        assert_eq!(ordering.take(START, "a", 0, b"nil"), Taken::Next);
        assert_eq!(released(&mut ordering, "a"), ["one"]);
    }

    #[test]
    fn what_waits_is_bounded_in_distance_bytes_and_origins() {
        let mut ordering = small();
        assert_eq!(ordering.take(START, "a", 4, b"x"), Taken::Refused(Why::TooFarAhead));
        assert_eq!(ordering.take(START, "a", u64::MAX, b"x"), Taken::Refused(Why::TooFarAhead));
        assert_eq!(ordering.take(START, "a", 3, b"12345678"), Taken::Waits);
        assert_eq!(ordering.take(START, "a", 2, b"123"), Taken::Refused(Why::Full));
        assert_eq!(ordering.take(START, "b", 0, b"b"), Taken::Next);
        assert_eq!(ordering.take(START, "c", 0, b"c"), Taken::Refused(Why::TooManyOrigins));
    }

    #[test]
    fn an_origin_with_an_endless_name_is_not_remembered() {
        let mut ordering = small();
        let name = "x".repeat(LONGEST_ORIGIN + 1);
        assert_eq!(ordering.take(START, &name, 0, b"x"), Taken::Refused(Why::LongOrigin));
        assert_eq!(ordering.load(), (0, 0));
        assert_eq!(ordering.take(START, &name[1..], 0, b"x"), Taken::Next);
    }

    #[test]
    fn a_silent_origin_gives_way_to_a_new_one() {
        let mut ordering = small();
        let later = START + Duration::from_secs(61);
        assert_eq!(ordering.take(START, "a", 1, b"12345"), Taken::Waits);
        assert_eq!(ordering.take(later, "b", 0, b"b"), Taken::Next);
        assert_eq!(ordering.take(later, "c", 0, b"c"), Taken::Next);
        assert_eq!(ordering.load(), (2, 0), "the forgotten origin's bytes are free again");
    }
}
