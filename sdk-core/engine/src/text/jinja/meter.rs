//! How much a template may still do.

use std::cell::Cell;

use super::Outcome;

/// What one step costs, in bytes that might have been made instead.
pub(super) const STEP: usize = 16;
/// What a value costs in a list or a map.
pub(super) const VALUE: usize = 48;

/// Counts down what a template does: bytes made or looked through, values, steps.
#[derive(Debug)]
pub(in crate::text) struct Meter(Cell<u64>);

impl Meter {
    /// Allows this much.
    pub(in crate::text) fn new(units: u64) -> Self {
        Self(Cell::new(units))
    }

    /// For data of our own.
    pub(in crate::text) fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    pub(super) fn spend(&self, units: usize) -> Outcome<()> {
        let left = self.0.get().checked_sub(units as u64);
        self.0.set(left.unwrap_or(0));
        if left.is_none() {
            return Err("it takes too much time or memory".into());
        }
        Ok(())
    }
}
