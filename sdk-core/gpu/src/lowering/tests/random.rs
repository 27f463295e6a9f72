//! Shapes and numbers from a seed that every failure shows. `EXO_SEED=n` repeats a run.

use std::time::{SystemTime, UNIX_EPOCH};

/// `SplitMix64` (Steele, Lea and Flood, 2014).
pub(super) struct Random(u64);

impl Random {
    /// A new seed for each run, printed, unless `EXO_SEED` says which.
    pub(super) fn seeded() -> Self {
        let fresh =
            || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64 % 1_000_000);
        let seed = match std::env::var("EXO_SEED") {
            Ok(text) => text.parse().expect("EXO_SEED is a number"),
            Err(_) => fresh(),
        };
        println!("seed: EXO_SEED={seed}");
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + (self.next() % u64::from(high - low + 1)) as u32
    }

    /// Between -1 and 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.next() as usize % choices.len()]
    }
}
