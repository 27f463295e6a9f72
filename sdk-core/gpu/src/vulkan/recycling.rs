//! Buffers that were just freed, kept for whoever asks for the same size next.
//!
//! An engine allocates and frees the same few sizes for every token. Creating, binding and destroying a `VkBuffer`
//! costs microseconds; taking it from here costs a lock. The shelf is small, so that it hides no memory.

use std::sync::{Mutex, PoisonError};

use super::memory::Backing;

/// Buffers kept at most.
const COUNT: usize = 32;

/// Bytes kept at most.
const BYTES: u64 = 32 << 20;

/// A few freed buffers, oldest first.
#[derive(Default)]
pub(super) struct Shelf {
    kept: Mutex<Vec<Backing>>,
}

impl Shelf {
    /// A buffer of exactly `bytes`, the latest first: it may still be in the caches.
    pub(super) fn take(&self, bytes: u64) -> Option<Backing> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let index = kept.iter().rposition(|backing| backing.bytes == bytes)?;
        Some(kept.remove(index))
    }

    /// Keeps `backing` and returns what has to go for it.
    pub(super) fn keep(&self, backing: Backing) -> Vec<Backing> {
        if backing.bytes > BYTES {
            return vec![backing];
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes: u64 = kept.iter().map(|b| b.bytes).sum::<u64>() + backing.bytes;
        kept.push(backing);
        let mut surplus = 0;
        while kept.len() - surplus > COUNT || bytes > BYTES {
            bytes -= kept[surplus].bytes;
            surplus += 1;
        }
        // An empty `Vec` allocates nothing, and that is the usual case.
        kept.drain(..surplus).collect()
    }

    /// Takes everything.
    pub(super) fn empty(&self) -> Vec<Backing> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
