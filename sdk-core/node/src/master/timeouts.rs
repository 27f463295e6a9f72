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
    /// When we woke up, if we ever slept.
    awake_since: Option<Moment>,
}

impl Timeouts {
    /// The first look is after a whole period.
    pub fn new(now: Moment) -> Self {
        Self { next: now + EVERY, awake_since: None }
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
            self.awake_since = Some(now);
        }
        self.next = now + EVERY;
        true
    }

    /// Whether nodes may be judged by their silence: we were awake all the time that it is measured over.
    pub fn may_judge(&self, now: Moment) -> bool {
        self.awake_since.is_none_or(|since| now.since(since) > SILENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment::after_start(Duration::from_secs(seconds))
    }

    #[test]
    fn a_look_is_due_every_ten_seconds() {
        let mut timeouts = Timeouts::new(at(0));
        let due: Vec<u64> = (0..35).filter(|second| timeouts.is_due(at(*second))).collect();
        assert_eq!(due, [10, 20, 30]);
        assert!(timeouts.may_judge(at(30)));
    }

    #[test]
    fn who_slept_gives_the_others_the_full_time_again() {
        let mut timeouts = Timeouts::new(at(0));
        assert!(timeouts.is_due(at(10)));
        assert!(timeouts.is_due(at(300)), "slept since the last look");
        assert!(!timeouts.may_judge(at(300)) && !timeouts.may_judge(at(330)));
        assert!(timeouts.may_judge(at(331)));
    }
}
