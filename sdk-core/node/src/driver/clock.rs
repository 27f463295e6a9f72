//! The time that the machines are given.

use std::time::{Duration, Instant, SystemTime};

use crate::{Now, now::Moment};

/// A clock that counts the time that the device slept, so that a long sleep shows as a jump.
///
/// [`Instant`] does not: on Linux it stands still while the phone is suspended, and a member would not see that its
/// session is hours old.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    started: Duration,
    fallback: Instant,
}

impl Clock {
    /// A clock that starts at zero.
    pub(super) fn start() -> Self {
        Self { started: since_boot().unwrap_or_default(), fallback: Instant::now() }
    }

    /// The moment that it is.
    pub(super) fn now(&self) -> Now {
        let mono = match since_boot() {
            Some(now) => now.saturating_sub(self.started),
            None => self.fallback.elapsed(),
        };
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Now { mono: Moment::after_start(mono), wall }
    }
}

/// The time since boot with the time asleep in it, where the system tells.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn since_boot() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

/// Apple's `CLOCK_MONOTONIC` goes on while the device sleeps; the standard library uses another clock, which stops.
#[cfg(target_vendor = "apple")]
fn since_boot() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn since_boot() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_starts_at_zero_and_never_goes_back() {
        let clock = Clock::start();
        let first = clock.now();
        assert!(first.mono.since_start() < Duration::from_mins(1), "{}", first.mono);
        assert!(clock.now().mono >= first.mono);
    }

    #[test]
    fn the_wall_is_the_time_that_people_know() {
        let after_2024 = Duration::from_hours(24 * 365 * 54);
        assert!(Clock::start().now().wall > after_2024);
    }
}
