//! Asking for the state: when, how often, and when to do without.
//!
//! One request at a time; after a failure again in 0.5, 1, 2, 4, 8 s, then every 16 s. After four failures the log is
//! entered where we stand and the view is partial; a later try may complete it. Where nobody is known who could answer
//! it is tried once a minute.

use std::time::Duration;

use crate::now::Moment;

const FIRST_WAIT: Duration = Duration::from_millis(500);
const TRIES: u32 = 4;
const LAST_WAIT: Duration = Duration::from_secs(16);
const LATER: Duration = Duration::from_mins(1);
/// The driver should have answered by then.
const ANSWER: Duration = Duration::from_secs(6);

/// What the requests are at.
#[derive(Debug)]
enum State {
    Idle,
    Due(Moment),
    Asked(Moment),
}

/// Requests for the state of one session.
#[derive(Debug)]
pub(super) struct Snapshots {
    state: State,
    failures: u32,
}

impl Snapshots {
    /// One is wanted at once.
    pub(super) const fn wanted(now: Moment) -> Self {
        Self { state: State::Due(now), failures: 0 }
    }

    /// One is wanted, unless one is on its way.
    pub(super) fn want(&mut self, now: Moment) {
        if matches!(self.state, State::Idle) {
            *self = Self::wanted(now);
        }
    }

    /// Whether to ask now.
    pub(super) fn ask(&mut self, now: Moment) -> bool {
        let due = matches!(self.state, State::Due(due) if due <= now);
        if due {
            self.state = State::Asked(now);
        }
        due
    }

    /// Whether an answer is awaited.
    pub(super) const fn is_asked(&self) -> bool {
        matches!(self.state, State::Asked(_))
    }

    /// The answer was taken.
    pub(super) fn taken(&mut self) {
        (self.state, self.failures) = (State::Idle, 0);
    }

    /// No answer, or none that we believe. Says when it is time to do without.
    pub(super) fn failed(&mut self, now: Moment) -> bool {
        self.failures = self.failures.saturating_add(1);
        let wait = FIRST_WAIT.saturating_mul(1 << (self.failures - 1).min(10));
        self.state = State::Due(now + wait.min(LAST_WAIT));
        self.failures == TRIES
    }

    /// Nobody is known who could answer.
    pub(super) fn cannot_be_had(&mut self, now: Moment) {
        self.failures = self.failures.max(TRIES);
        self.state = State::Due(now + LATER);
    }

    /// Somebody is known who could answer, after all.
    pub(super) fn can_be_had(&mut self, now: Moment) {
        if !self.is_asked() {
            *self = Self::wanted(now);
        }
    }

    /// Whether the driver forgot to answer.
    pub(super) fn is_overdue(&self, now: Moment) -> bool {
        matches!(self.state, State::Asked(since) if now.since(since) >= ANSWER)
    }

    /// When something is to be done.
    pub(super) fn deadline(&self) -> Option<Moment> {
        match self.state {
            State::Idle => None,
            State::Due(due) => Some(due),
            State::Asked(since) => Some(since + ANSWER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::after_start(Duration::from_millis(millis))
    }

    #[test]
    fn failures_are_tried_again_ever_more_rarely_and_soon_done_without() {
        let mut snapshots = Snapshots::wanted(at(0));
        let mut asked = Vec::new();
        let mut without = None;
        for millis in (0..70_000).step_by(100) {
            if snapshots.ask(at(millis)) {
                asked.push(millis);
                assert!(!snapshots.ask(at(millis)), "one at a time");
                if snapshots.failed(at(millis)) {
                    without = Some(millis);
                }
            }
        }
        assert_eq!(asked, [0, 500, 1500, 3500, 7500, 15_500, 31_500, 47_500, 63_500]);
        assert_eq!(without, Some(3500));
    }

    #[test]
    fn a_request_that_nobody_answers_is_overdue() {
        let mut snapshots = Snapshots::wanted(at(0));
        assert!(snapshots.ask(at(0)));
        assert!(!snapshots.is_overdue(at(5999)));
        assert!(snapshots.is_overdue(at(6000)));
        assert_eq!(snapshots.deadline(), Some(at(6000)));
    }

    #[test]
    fn what_is_on_its_way_is_not_asked_for_again() {
        let mut snapshots = Snapshots::wanted(at(0));
        assert!(snapshots.ask(at(0)));
        snapshots.want(at(10));
        assert!(!snapshots.ask(at(10)));
        snapshots.taken();
        snapshots.want(at(20));
        assert!(snapshots.ask(at(20)));
    }
}
