//! When to try again, and when to stop waiting.

use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Who asks for more patience than this does not want to be asked at all.
const LONGEST_WISH: Duration = Duration::from_mins(5);
/// A connection that brings less than this in a window is dead and does not know it. The slowest phone network that
/// anybody would fetch a model over brings far more.
const CRAWL_BYTES: u64 = 16 << 10;
const CRAWL_WINDOW: Duration = Duration::from_mins(1);

/// The pause after so many failures: it doubles, and varies by half so that phones do not come back together.
pub(super) fn pause(failures: u32, wish: Option<Duration>, random: u64) -> Duration {
    let doubled = FIRST_PAUSE * (1 << failures.saturating_sub(1).min(8));
    let pause = doubled.min(LONGEST_PAUSE);
    let spread = pause.mul_f64(0.5 * (random % 1024) as f64 / 1024.0);
    wish.unwrap_or_default().min(LONGEST_WISH).max(pause) + spread
}

/// The next of a row of numbers that look random: xorshift.
pub(super) fn next_random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// How long a transfer may be silent, and how slow.
#[derive(Debug)]
pub(super) struct Patience {
    stall: Duration,
    heard: Instant,
    window: Instant,
    bytes: u64,
}

impl Patience {
    pub(super) fn from(now: Instant, stall: Duration) -> Self {
        Self { stall, heard: now, window: now, bytes: 0 }
    }

    pub(super) fn heard(&mut self, now: Instant, bytes: usize) {
        self.heard = now;
        self.bytes += bytes as u64;
        if self.bytes >= CRAWL_BYTES {
            (self.window, self.bytes) = (now, 0);
        }
    }

    /// When it ends, if nothing is heard before.
    pub(super) fn ends(&self) -> Instant {
        (self.heard + self.stall).min(self.window + CRAWL_WINDOW.max(self.stall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit_and_respect_a_wish() {
        let pauses: Vec<u64> = (1..=8).map(|failures| pause(failures, None, 0).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30, 30]);
        let wish = |seconds| pause(1, Some(Duration::from_secs(seconds)), 0).as_secs();
        assert_eq!((wish(50), wish(0), wish(u64::MAX)), (50, 1, 300));
        assert!(pause(6, None, 1023) < Duration::from_secs(45));
    }

    #[test]
    fn silence_and_dribble_both_end_a_transfer() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut patience = Patience::from(start, Duration::from_secs(30));
        assert_eq!(patience.ends(), at(30));
        patience.heard(at(20), 1);
        assert_eq!(patience.ends(), at(50));
        patience.heard(at(49), 1);
        assert_eq!(patience.ends(), at(60), "two bytes a minute are silence too");
        patience.heard(at(55), 20_000);
        assert_eq!(patience.ends(), at(85));
    }
}
