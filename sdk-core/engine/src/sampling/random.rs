//! Randomness that can be replayed: `SplitMix64`, from a seed.
//!
//! The n-th number is a hash of `seed + n * 0x9E3779B97F4A7C15`, so a failing answer is reproduced from its seed and the
//! number of the token. It is no secret-keeping generator, and needs to be none: it picks words.

/// A sequence of numbers that its seed determines.
#[derive(Clone, Debug)]
pub struct Draws {
    state: u64,
}

impl Draws {
    /// The sequence of this seed.
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next number in 0..1, never 1: 53 bits of the next 64.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_is_that_of_the_published_algorithm() {
        let mut draws = Draws::seeded(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| draws.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn fractions_fill_the_unit_interval_evenly_and_never_reach_one() {
        let mut draws = Draws::seeded(42);
        let mut tenths = [0u32; 10];
        for _ in 0..100_000 {
            let fraction = draws.fraction();
            assert!((0.0..1.0).contains(&fraction));
            tenths[(fraction * 10.0) as usize] += 1;
        }
        assert!(tenths.iter().all(|&n| (9_600..10_400).contains(&n)), "{tenths:?}");
    }
}
