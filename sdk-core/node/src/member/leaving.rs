//! Saying goodbye.
//!
//! ```text
//! tasks that wait for us: Failed; runners of ours: RunnerShutdown; then NodeTimedOut for ourselves (a worker has said
//! the first two itself, and more)
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
    heard: bool,
}

impl Leaving {
    /// Puts the goodbye into the outbox of a term in which we spoke; with none there is nothing to say. `works` says that
    /// a worker answers for what is ours.
    pub(super) fn begin(now: Moment, term: Option<&mut Term>, works: bool) -> Self {
        let Some(term) = term else { return Self { until: now, over: false, heard: false } };
        let belongings = if works { Vec::new() } else { term.belongings() };
        for saying in belongings.into_iter().chain([Saying::Goodbye]) {
            term.outbox.say(saying);
        }
        Self { until: now + GOODBYE, over: false, heard: false }
    }

    /// Whether it just ended: everything is said, or there is no more time. True once. `heard` says that nothing is
    /// owed: the goodbye came back, or nobody knew us.
    pub(super) fn is_over(&mut self, now: Moment, said: bool, heard: bool) -> bool {
        let over = !self.over && (said || self.until <= now);
        self.over |= over;
        self.heard |= over && heard;
        over
    }

    /// Whether it ended well.
    pub(super) const fn was_heard(&self) -> bool {
        self.heard
    }

    pub(super) const fn has_left(&self) -> bool {
        self.over
    }

    pub(super) const fn deadline(&self) -> Moment {
        self.until
    }
}
