//! Time for searches: the crate reads no clock, so the caller lends one.

use std::time::Duration;

/// Says how long ago the search began. A program passes `&|| start.elapsed()`.
pub type Clock<'a> = &'a dyn Fn() -> Duration;

/// A moment after which a search shall end.
#[derive(Clone, Copy)]
pub(super) struct Deadline<'a> {
    clock: Clock<'a>,
    at: Duration,
}

impl<'a> Deadline<'a> {
    pub(super) fn new(clock: Clock<'a>, at: Duration) -> Self {
        Self { clock, at }
    }

    /// The earlier of this and that long from now.
    pub(super) fn within(self, wait: Duration) -> Self {
        Self { clock: self.clock, at: self.at.min((self.clock)().saturating_add(wait)) }
    }

    pub(super) fn has_passed(&self) -> bool {
        (self.clock)() >= self.at
    }

    /// How long it may still last.
    pub(super) fn left(&self) -> Duration {
        self.at.saturating_sub((self.clock)())
    }
}
