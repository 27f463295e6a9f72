//! Buffers that were freed and may serve again: making one costs a trip to the kernel, taking one from here does
//! not.
//!
//! Small sizes only, and bounded: memory that nobody uses is still memory that the phone misses.

use std::collections::HashMap;

/// The largest buffer that is kept. Weights are larger, live long, and are never rounded up.
const MAX_KEPT_BYTES: u64 = 4 << 20;

/// What may lie here unused in all.
const MAX_SPARE_BYTES: u64 = 32 << 20;

/// The size to allocate for `bytes`: whole words for kernels, and few enough sizes that they meet again.
///
/// Small sizes waste an eighth at most; large ones are only padded.
pub(super) fn rounded(bytes: u64) -> u64 {
    let step = if bytes <= MAX_KEPT_BYTES { (bytes.next_power_of_two() / 16).max(16) } else { 16 };
    bytes.div_ceil(step) * step
}

/// Freed buffers by size.
pub(super) struct Spare<T> {
    by_size: HashMap<u64, Vec<T>>,
    bytes: u64,
}

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Self { by_size: HashMap::new(), bytes: 0 }
    }
}

impl<T> Spare<T> {
    /// Takes a buffer of just this size.
    pub(super) fn take(&mut self, bytes: u64) -> Option<T> {
        let found = self.by_size.get_mut(&bytes)?.pop()?;
        self.bytes -= bytes;
        Some(found)
    }

    /// Keeps a buffer, or gives it back to be freed where it would be too much.
    pub(super) fn keep(&mut self, bytes: u64, buffer: T) -> Option<T> {
        if bytes > MAX_KEPT_BYTES || self.bytes + bytes > MAX_SPARE_BYTES {
            return Some(buffer);
        }
        self.by_size.entry(bytes).or_default().push(buffer);
        self.bytes += bytes;
        None
    }

    /// Hands out everything, to be freed, with the sum of the sizes.
    pub(super) fn drain(&mut self) -> (u64, Vec<T>) {
        (std::mem::take(&mut self.bytes), std::mem::take(&mut self.by_size).into_values().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_words_and_waste_little() {
        for bytes in
            (1..100_000).chain([1 << 20, (1 << 20) + 1, MAX_KEPT_BYTES, MAX_KEPT_BYTES + 1, 5_000_000_001])
        {
            let size = rounded(bytes);
            assert!(size >= bytes && size.is_multiple_of(16), "{bytes} became {size}");
            assert!(size - bytes < (bytes / 8).max(16), "{bytes} became {size}");
            assert_eq!(rounded(size), size, "{bytes} is not stable");
        }
        assert_eq!(rounded(5_000_000_001), 5_000_000_016, "large buffers are only padded");
    }

    #[test]
    fn a_freed_buffer_serves_the_next_of_its_size_only() {
        let mut spare = Spare::default();
        assert_eq!(spare.keep(64, "a"), None);
        assert_eq!(spare.take(128), None);
        assert_eq!(spare.take(64), Some("a"));
        assert_eq!(spare.take(64), None);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut spare = Spare::default();
        assert_eq!(spare.keep(MAX_KEPT_BYTES + 16, 0), Some(0), "too large a one");
        let fit = MAX_SPARE_BYTES / MAX_KEPT_BYTES;
        assert!((0..fit).all(|i| spare.keep(MAX_KEPT_BYTES, i).is_none()));
        assert_eq!(spare.keep(16, fit), Some(fit), "one too many");
        let (bytes, buffers) = spare.drain();
        assert_eq!((bytes, buffers.len() as u64), (MAX_SPARE_BYTES, fit));
        assert_eq!(spare.keep(16, 1), None, "and after the drain there is room again");
    }
}
