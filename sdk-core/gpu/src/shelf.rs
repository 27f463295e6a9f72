//! Buffers that were just freed, kept for whoever asks for the same size next.
//!
//! An engine allocates and frees the same few sizes for every token. Making a buffer costs microseconds in the driver,
//! and a trip into the kernel on some; taking it from here costs a lock. The shelf is small, so that it hides no memory.

use std::sync::{Mutex, PoisonError};

/// Buffers kept at most.
const COUNT: usize = 32;

/// Bytes kept at most.
const BYTES: u64 = 32 << 20;

/// A few freed buffers with their sizes, oldest first.
pub(crate) struct Shelf<T> {
    kept: Mutex<Vec<(u64, T)>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { kept: Mutex::default() }
    }
}

impl<T> Shelf<T> {
    /// A buffer of exactly `bytes`, the latest first: it may still be in the caches.
    pub(crate) fn take(&self, bytes: u64) -> Option<T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let index = kept.iter().rposition(|(size, _)| *size == bytes)?;
        Some(kept.remove(index).1)
    }

    /// Keeps `buffer` and returns what has to go for it.
    pub(crate) fn keep(&self, bytes: u64, buffer: T) -> Vec<T> {
        if bytes > BYTES {
            return vec![buffer];
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((bytes, buffer));
        let mut total: u64 = kept.iter().map(|(size, _)| size).sum();
        let mut surplus = 0;
        for (size, _) in &*kept {
            if total <= BYTES && kept.len() - surplus <= COUNT {
                break;
            }
            total -= size;
            surplus += 1;
        }
        kept.drain(..surplus).map(|(_, buffer)| buffer).collect()
    }

    /// Everything, to be freed.
    pub(crate) fn empty(&self) -> Vec<T> {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        kept.into_iter().map(|(_, buffer)| buffer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_buffer_serves_the_next_of_its_size_only() {
        let shelf = Shelf::default();
        assert!(shelf.keep(64, "old").is_empty());
        assert!(shelf.keep(64, "new").is_empty());
        assert_eq!(shelf.take(128), None);
        assert_eq!(shelf.take(64), Some("new"));
        assert_eq!(shelf.take(64), Some("old"));
        assert_eq!(shelf.take(64), None);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let shelf = Shelf::default();
        assert!((0..COUNT).all(|i| shelf.keep(16, i).is_empty()));
        assert_eq!(shelf.keep(16, COUNT), [0]);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_bytes() {
        let shelf = Shelf::default();
        assert!(shelf.keep(BYTES / 2, 1).is_empty());
        assert!(shelf.keep(BYTES / 4, 2).is_empty());
        assert_eq!(shelf.keep(BYTES, 3), [1, 2]);
        assert_eq!(shelf.keep(BYTES + 16, 4), [4], "one that never fits drives nobody out");
        assert_eq!(shelf.empty(), [3]);
        assert!(shelf.empty().is_empty());
    }
}
