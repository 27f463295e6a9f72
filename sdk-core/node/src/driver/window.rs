//! How many datagrams are taken, however many come.

use std::time::Duration;

use tokio::time::{self, Instant};

/// A whole subnet may answer within a second. Who sends more is left to the system, whose buffer is short: a flood costs
/// us no more than this.
const MOST_DATAGRAMS: u32 = 128;
const LENGTH: Duration = Duration::from_millis(100);

/// A stretch of time and what was taken in it.
#[derive(Debug)]
pub(super) struct Window {
    began: Instant,
    taken: u32,
}

impl Window {
    /// Nothing taken yet.
    pub(super) const fn new(now: Instant) -> Self {
        Self { began: now, taken: 0 }
    }

    /// Waits until another one may be taken. Safe to drop while it waits.
    pub(super) async fn has_room(&mut self) {
        let now = Instant::now();
        let opens = self.opens(now);
        if opens > now {
            time::sleep_until(opens).await;
            self.opens(Instant::now());
        }
    }

    /// When the next one may be taken: now, unless this window is full.
    fn opens(&mut self, now: Instant) -> Instant {
        if now.duration_since(self.began) >= LENGTH {
            *self = Self::new(now);
        }
        if self.taken < MOST_DATAGRAMS { now } else { self.began + LENGTH }
    }

    /// One was taken.
    pub(super) const fn took(&mut self) {
        self.taken = self.taken.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_no_more_is_taken_than_a_window_holds() {
        let start = Instant::now();
        let mut window = Window::new(start);
        let mut taken = 0;
        for microseconds in (0..1_000_000).step_by(50) {
            let now = start + Duration::from_micros(microseconds);
            if window.opens(now) == now {
                window.took();
                taken += 1;
            }
        }
        assert_eq!(taken, 10 * MOST_DATAGRAMS, "of 20,000 within a second");
        assert_eq!(window.opens(start + Duration::from_millis(950)), start + Duration::from_secs(1));
    }
}
