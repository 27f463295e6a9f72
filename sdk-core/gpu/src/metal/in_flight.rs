//! How many submissions are under way: a bound that we keep, so that Metal need not.
//!
//! A queue hands out a fixed number of command buffers and, when all are in use, blocks whoever asks for one more,
//! for ever if need be. Callers are counted here first, and one who waited too long is told so.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Submissions under way.
pub(super) struct InFlight {
    limit: usize,
    count: Mutex<usize>,
    freed: Condvar,
}

/// One place among them. Dropped, it is free again.
pub(super) struct Place(Option<Arc<InFlight>>);

impl InFlight {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, count: Mutex::new(0), freed: Condvar::new() }
    }

    /// Takes a place, or `None` when none became free in time.
    pub(super) fn enter(self: &Arc<Self>, patience: Duration) -> Option<Place> {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut count, _) = self
            .freed
            .wait_timeout_while(count, patience, |count| *count >= self.limit)
            .unwrap_or_else(PoisonError::into_inner);
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        Some(Place(Some(Arc::clone(self))))
    }

    /// Frees a place that was [kept](Place::keep).
    pub(super) fn leave(&self) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count = count.saturating_sub(1);
        self.freed.notify_one();
    }
}

impl Place {
    /// Keeps the place taken; the completion handler will [leave](InFlight::leave) it.
    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(in_flight) = &self.0 {
            in_flight.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_too_many_is_told_instead_of_blocked() {
        let under_way = Arc::new(InFlight::new(2));
        let first = under_way.enter(Duration::ZERO).unwrap();
        under_way.enter(Duration::ZERO).unwrap().keep();
        assert!(under_way.enter(Duration::ZERO).is_none());
        drop(first);
        assert!(under_way.enter(Duration::ZERO).is_some(), "a dropped place is free again");
    }

    #[test]
    fn a_kept_place_is_freed_by_the_completion_handler() {
        let under_way = Arc::new(InFlight::new(1));
        under_way.enter(Duration::ZERO).unwrap().keep();
        std::thread::scope(|threads| {
            let next = threads.spawn(|| under_way.enter(Duration::from_mins(1)).is_some());
            under_way.leave();
            assert!(next.join().unwrap());
        });
    }
}
