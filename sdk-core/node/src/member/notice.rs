//! When the app is told that something changed.
//!
//! A view changes with every event that is heard, so its notices are at most two a second; those of the state are
//! never held back. Whoever is slow finds one notice, not a queue of them.

use std::time::Duration;

use crate::now::Moment;

const CALM: Duration = Duration::from_millis(500);

/// Owed notices.
#[derive(Debug, Default)]
pub(super) struct Notice {
    owed: bool,
    view: bool,
    calm_until: Moment,
}

impl Notice {
    /// The state is another.
    pub(super) fn state(&mut self) {
        self.owed = true;
    }

    /// The view is another.
    pub(super) fn view(&mut self) {
        self.view = true;
    }

    /// Time passed.
    pub(super) fn settle(&mut self, now: Moment) {
        if self.view && self.calm_until <= now {
            (self.owed, self.view, self.calm_until) = (true, false, now + CALM);
        }
    }

    /// Pays what is owed.
    pub(super) fn take(&mut self) -> bool {
        std::mem::take(&mut self.owed)
    }
}
