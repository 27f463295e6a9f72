//! How much of the device is used: a pause after each step makes the busy part of the time the share.

use std::time::Duration;

use exo_node::now::Moment;

/// No pause is longer: whoever waits for a token shall see that it goes on.
const LONGEST: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Pace {
    share: f64,
    resumes: Moment,
}

impl Pace {
    pub(crate) fn full() -> Self {
        Self { share: 1.0, resumes: Moment::default() }
    }

    /// What is no number is taken for nothing. Another share than before ends a pause that was meant for that one.
    pub(crate) fn set_share(&mut self, share: f64) {
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        if share.to_bits() != self.share.to_bits() {
            (self.share, self.resumes) = (share, Moment::default());
        }
    }

    /// Whether nothing may be computed at all.
    pub(crate) fn is_halted(&self) -> bool {
        self.share <= 0.0
    }

    /// How long to wait before the next step; nothing if it may begin.
    pub(crate) fn wait(&self, now: Moment) -> Option<Duration> {
        Some(self.resumes.since(now)).filter(|wait| !wait.is_zero())
    }

    /// A step that began then took so long.
    pub(crate) fn worked(&mut self, began: Moment, busy: Duration) {
        let pause =
            if self.is_halted() { LONGEST } else { busy.mul_f64((1.0 - self.share) / self.share.max(0.001)) };
        self.resumes = began + busy + pause.min(LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN: Moment = Moment::after_start(Duration::from_secs(10));
    const BUSY: Duration = Duration::from_millis(30);

    fn pause(share: f64) -> Option<Duration> {
        let mut pace = Pace::full();
        pace.set_share(share);
        pace.worked(BEGAN, BUSY);
        pace.wait(BEGAN + BUSY)
    }

    #[test]
    fn the_busy_part_of_the_time_is_the_share() {
        assert_eq!(pause(1.0), None);
        assert_eq!(pause(0.5), Some(BUSY));
        assert_eq!(pause(0.25), Some(BUSY * 3));
        assert_eq!(pause(0.001), Some(LONGEST));
    }

    #[test]
    fn a_wish_in_the_middle_of_a_pause_does_not_end_it_and_a_new_share_does() {
        let mut pace = Pace::full();
        pace.set_share(0.5);
        pace.worked(BEGAN, BUSY);
        assert_eq!(pace.wait(BEGAN + BUSY + BUSY / 2), Some(BUSY / 2));
        assert_eq!(pace.wait(BEGAN + BUSY * 2), None);
        pace.set_share(1.0);
        assert_eq!(pace.wait(BEGAN), None);
    }

    #[test]
    fn nothing_and_nonsense_halt() {
        for share in [0.0, -1.0, f64::NAN] {
            let mut pace = Pace::full();
            pace.set_share(share);
            assert!(pace.is_halted(), "{share}");
        }
    }
}
