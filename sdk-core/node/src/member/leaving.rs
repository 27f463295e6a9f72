//! Saying goodbye.
//!
//! ```text
//! tasks that wait for us: Failed; runners of ours: RunnerShutdown; then NodeTimedOut for ourselves
//! all acknowledged, or 2 s passed: hang up
//! ```
//! Without a goodbye the master keeps us for 30 to 40 s and requests sent to us hang as long.

use std::time::Duration;

use super::{saying::Saying, term::Term};
use crate::now::Moment;

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(2);

/// A goodbye under way, or over.
#[derive(Debug)]
pub(super) struct Leaving {
    until: Moment,
    over: bool,
}

impl Leaving {
    /// Puts the goodbye into the outbox of a term in which we spoke; with none there is nothing to say.
    pub(super) fn begin(now: Moment, term: Option<&mut Term>) -> Self {
        let Some(term) = term else { return Self { until: now, over: false } };
        for saying in term.belongings().into_iter().chain([Saying::Goodbye]) {
            term.outbox.say(saying);
        }
        Self { until: now + GOODBYE, over: false }
    }

    /// Whether it just ended: everything is said, or there is no more time. True once.
    pub(super) fn is_over(&mut self, now: Moment, said: bool) -> bool {
        let over = !self.over && (said || self.until <= now);
        self.over |= over;
        over
    }

    pub(super) const fn has_left(&self) -> bool {
        self.over
    }

    pub(super) const fn deadline(&self) -> Moment {
        self.until
    }
}
