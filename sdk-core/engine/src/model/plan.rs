//! What a model takes, known before a byte is allocated.

use crate::{Error, Result, cache::PAGE};

/// The bytes that a model needs on its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// All matrices and vectors.
    pub weights: u64,
    /// Keys and values of the whole context.
    pub cache: u64,
    /// The states of all chats, where layers remember in one.
    pub states: u64,
    /// What a step computes in.
    pub scratch: u64,
    /// Keys and values of one position.
    pub(super) position: u64,
    /// The same with an 8-bit cache.
    pub(super) position_in_8_bits: u64,
}

impl MemoryPlan {
    /// Everything together.
    pub fn total(&self) -> u64 {
        self.weights + self.cache + self.states + self.scratch
    }

    /// Refuses what does not fit, and says what would.
    pub(super) fn admit(&self, available: u64) -> Result<()> {
        if self.total() <= available {
            return Ok(());
        }
        let for_cache = available.saturating_sub(self.weights + self.states + self.scratch);
        let positions = |each: u64| for_cache / each.max(1) / u64::from(PAGE) * u64::from(PAGE);
        let missing = self.total() - available;
        let help = match (positions(self.position), positions(self.position_in_8_bits)) {
            (0, 0) => format!(
                "{missing} bytes are missing and its weights alone take {}: choose a smaller model",
                self.weights
            ),
            (plain, bytes) if bytes > plain => format!(
                "{missing} bytes are missing: choose a context of {plain} tokens, or an 8-bit cache and {bytes}"
            ),
            (plain, _) => format!("{missing} bytes are missing: choose a context of {plain} tokens"),
        };
        Err(Error::OutOfMemory { needed: self.total(), available, help })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: MemoryPlan = MemoryPlan {
        weights: 1_000_000,
        cache: 1_000_000,
        states: 0,
        scratch: 10_000,
        position: 1000,
        position_in_8_bits: 510,
    };

    #[test]
    fn what_fits_is_admitted() {
        assert!(PLAN.admit(2_010_000).is_ok());
    }

    #[test]
    fn a_refusal_says_how_much_is_missing_and_what_would_fit() {
        let error = PLAN.admit(1_510_000).unwrap_err().to_string();
        assert!(error.contains("500000 bytes are missing"), "{error}");
        assert!(error.contains("context of 480 tokens, or an 8-bit cache and 960"), "{error}");
    }

    #[test]
    fn weights_alone_may_be_too_much() {
        let error = PLAN.admit(900_000).unwrap_err().to_string();
        assert!(error.contains("choose a smaller model"), "{error}");
    }
}
