//! The log of a session: what was indexed, as far back as there is room for it.
//!
//! exo keeps every event of a session on disk. A phone keeps the newest in memory and forgets the rest, so a request
//! for older ones is answered from the oldest that is left. Who joins late is healed by the state itself: the host
//! serves [`Master::snapshot_json`](super::Master::snapshot_json) where exo serves `GET /state`, and the log is only
//! needed from there on.

use std::{collections::VecDeque, ops::Range};

/// How much of the log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Events.
    pub events: usize,
    /// Bytes of their payloads.
    pub bytes: usize,
}

impl Room {
    /// For a phone: an hour and more of a dozen phones.
    pub const PHONE: Self = Self { events: 8192, bytes: 8 << 20 };
    /// As exo: everything.
    pub const ALL: Self = Self { events: usize::MAX, bytes: usize::MAX };
}

/// Payloads by their global index, without gaps.
#[derive(Debug)]
pub struct Log<P> {
    room: Room,
    entries: VecDeque<(P, usize)>,
    first: u64,
    bytes: usize,
}

impl<P> Log<P> {
    /// An empty log.
    pub const fn new(room: Room) -> Self {
        Self { room, entries: VecDeque::new(), first: 0, bytes: 0 }
    }

    /// The index of the next event.
    pub fn next(&self) -> u64 {
        self.first.saturating_add(self.entries.len() as u64)
    }

    /// The oldest index that is left.
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// Appends the event whose index was [`Self::next`]. The newest is kept even if it alone is too large.
    pub fn push(&mut self, payload: P, bytes: usize) {
        self.entries.push_back((payload, bytes));
        self.bytes = self.bytes.saturating_add(bytes);
        while self.entries.len() > self.room.events.max(1)
            || (self.bytes > self.room.bytes && self.entries.len() > 1)
        {
            if let Some((_, bytes)) = self.entries.pop_front() {
                self.first = self.first.saturating_add(1);
                self.bytes = self.bytes.saturating_sub(bytes);
            }
        }
    }

    /// The event of that index, unless it was forgotten or is yet to come.
    pub fn get(&self, index: u64) -> Option<&P> {
        let place = usize::try_from(index.checked_sub(self.first)?).ok()?;
        self.entries.get(place).map(|(payload, _)| payload)
    }

    /// Which indices answer a request for `count` events from `since` on: from the oldest that is left, if older ones
    /// were asked for.
    pub fn answer(&self, since: u64, count: u64) -> Range<u64> {
        let from = since.max(self.first).min(self.next());
        from..from.saturating_add(count).min(self.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(events: usize, bytes: usize, count: u64) -> Log<u64> {
        let mut log = Log::new(Room { events, bytes });
        (0..count).for_each(|index| log.push(index, 10));
        log
    }

    #[test]
    fn the_oldest_are_forgotten_and_indices_go_on() {
        let log = log(3, usize::MAX, 10);
        assert_eq!((log.first(), log.next()), (7, 10));
        assert_eq!((log.get(6), log.get(7), log.get(9), log.get(10)), (None, Some(&7), Some(&9), None));
    }

    #[test]
    fn bytes_count_too_but_the_newest_always_stays() {
        assert_eq!(log(99, 35, 10).first(), 7);
        assert_eq!(log(99, 5, 10).first(), 9);
        assert_eq!(log(0, 0, 10).first(), 9);
    }

    #[test]
    fn a_request_below_the_floor_is_answered_from_the_floor() {
        let log = log(5, usize::MAX, 10);
        assert_eq!(log.answer(0, 1000), 5..10);
        assert_eq!(log.answer(6, 2), 6..8);
        assert!(log.answer(10, 1000).is_empty());
        assert!(log.answer(u64::MAX, u64::MAX).is_empty());
    }
}
