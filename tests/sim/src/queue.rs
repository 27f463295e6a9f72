//! What will happen, soonest first; of two things at one moment, the one that was asked for first.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// Virtual time in microseconds since the simulation began.
pub type Time = u64;

/// One second of virtual time.
pub const SECOND: Time = 1_000_000;
/// One millisecond of virtual time.
pub const MILLI: Time = 1000;

/// Things to happen.
#[derive(Debug)]
pub struct Queue<T> {
    heap: BinaryHeap<Reverse<Item<T>>>,
    asked: u64,
}

#[derive(Debug)]
struct Item<T> {
    at: Time,
    asked: u64,
    what: T,
}

impl<T> Item<T> {
    fn key(&self) -> (Time, u64) {
        (self.at, self.asked)
    }
}

impl<T> PartialEq for Item<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Item<T> {}

impl<T> PartialOrd for Item<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Item<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), asked: 0 }
    }
}

impl<T> Queue<T> {
    /// Lets it happen then.
    pub fn push(&mut self, at: Time, what: T) {
        self.asked += 1;
        self.heap.push(Reverse(Item { at, asked: self.asked, what }));
    }

    /// The next thing, if it happens by `until`.
    pub fn pop(&mut self, until: Time) -> Option<(Time, T)> {
        if self.heap.peek()?.0.at > until {
            return None;
        }
        self.heap.pop().map(|Reverse(item)| (item.at, item.what))
    }

    /// How many things wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sooner_first_and_in_the_order_asked_at_one_moment() {
        let mut queue = Queue::default();
        for (at, what) in [(5, "c"), (1, "a"), (5, "d"), (3, "b"), (9, "late")] {
            queue.push(at, what);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop(5)).map(|(_, what)| what).collect();
        assert_eq!(order, ["a", "b", "c", "d"]);
        assert_eq!(queue.len(), 1);
    }
}
