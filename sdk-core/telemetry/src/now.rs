//! Time as the machines see it: an argument.

use std::{fmt, ops, time::Duration};

/// A moment. `mono` never goes back and counts the time that the phone slept (`CLOCK_BOOTTIME`, not
/// `CLOCK_MONOTONIC`), so a long sleep shows as a jump; `wall` is what people call the time and may jump anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// For every wait and every age.
    pub mono: Moment,
    /// Since 1970, for stamps that people read. Nothing is decided by it.
    pub wall: Duration,
}

/// A point on the monotonic clock of one driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(Duration);

impl Moment {
    /// The moment that long after the driver's clock began.
    pub const fn after_start(since: Duration) -> Self {
        Self(since)
    }

    /// How long after the driver's clock began.
    pub const fn since_start(self) -> Duration {
        self.0
    }

    /// How much later this is than `earlier`; zero if it is not later.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl ops::Add<Duration> for Moment {
    type Output = Self;

    fn add(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} s", self.0.as_secs_f64())
    }
}
