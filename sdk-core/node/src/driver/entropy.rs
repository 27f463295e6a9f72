//! Seeds for the machines' random numbers.

use std::hash::{BuildHasher, RandomState};

use crate::Random;

/// A generator that no other run repeats. The standard library keys its hash maps from the system's random source,
/// which is enough for ids, nonces and jitter: they must differ, not be secret.
pub(super) fn random() -> Random {
    Random::seeded(RandomState::new().hash_one(std::process::id()))
}

/// 128 bits for an id that is kept for years.
pub(super) fn wide() -> u128 {
    let half = |side: u8| u128::from(RandomState::new().hash_one(side));
    half(0) << 64 | half(1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_two_draws_are_alike() {
        assert_ne!(super::wide(), super::wide());
        assert_ne!(super::random().bits(), super::random().bits());
    }
}
