//! What a model takes, known before a byte is allocated.

use std::ops::Range;

use super::{CacheType, LoadOptions, inputs::Inputs, scratch::Scratch, slabs::Slabs, states::States};
use crate::{Architecture, Error, Result, cache::PAGE};

/// The bytes that a model needs on its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// All matrices and vectors; without those that were moved to the host's memory.
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
    /// What these layers take, with weights of so many bytes.
    pub(super) fn of(
        architecture: &Architecture,
        layers: Range<usize>,
        weights: u64,
        options: &LoadOptions,
    ) -> Self {
        let (here, context) = (&architecture.layers[layers], options.context.next_multiple_of(PAGE));
        Self {
            weights,
            cache: Slabs::bytes(here, context, options.cache),
            states: States::bytes(here, options.chats),
            scratch: Scratch::bytes(architecture, options.chunk)
                + Inputs::bytes(architecture, options.chunk, context),
            position: Slabs::bytes(here, 1, options.cache),
            position_in_8_bits: Slabs::bytes(here, 1, CacheType::Q8),
        }
    }

    /// Everything together.
    pub fn total(&self) -> u64 {
        self.weights + self.cache + self.states + self.scratch
    }

    /// Keys and values of one position, as the model was loaded or in 8 bits.
    pub(crate) fn position_bytes(&self, in_8_bits: bool) -> u64 {
        if in_8_bits { self.position_in_8_bits } else { self.position }
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
