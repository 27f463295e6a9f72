//! When silence becomes absence.
//!
//! Every 10 s nodes that were silent for more than 30 s are timed out, so a node goes 30 to 40 s after its last word.
//! exo has the same numbers. What exo lacks: a phone that leads may itself sleep. Its clock then jumps, and everybody
//! seems to have been silent; who slept gives the others the full time again before it judges them.

use std::time::Duration;

use crate::now::Moment;

/// How often absence is looked for.
pub const EVERY: Duration = Duration::from_secs(10);
/// How long a node may be silent.
pub const SILENCE: Duration = Duration::from_secs(30);
/// A look that comes this much too late means that we slept.
const SLEPT: Duration = Duration::from_secs(5);

/// The clock of a master's looks.
#[derive(Debug)]
pub struct Timeouts {
    next: Moment,
    awake_since: Moment,
}

impl Timeouts {
    /// The first look is after a whole period.
    pub fn new(now: Moment) -> Self {
        Self { next: now + EVERY, awake_since: now }
    }

    /// When the next look is due.
    pub const fn next(&self) -> Moment {
        self.next
    }

    /// Whether a look is due now.
    pub fn is_due(&mut self, now: Moment) -> bool {
        if now < self.next {
            return false;
        }
        if now.since(self.next) > SLEPT {
            self.awake_since = now;
        }
        self.next = now + EVERY;
        true
    }

    /// Whether nodes may be judged by their silence: we were awake all the time that it is measured over.
    pub fn may_judge(&self, now: Moment) -> bool {
        now.since(self.awake_since) > SILENCE || self.awake_since.since_start().is_zero()
    }
}
