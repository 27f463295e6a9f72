//! Sending parts of the log again, to those who missed them, without becoming anybody's amplifier.
//!
//! A request is answered by *broadcast*, so one answer heals everybody who misses the same part, and one hostile
//! client could make a master shout for ever. Two rules bound that:
//!
//! * an event that was sent a moment ago is not sent again: whoever asked will hear that one;
//! * all answers share two allowances, one for requests near the end of the log (an honest gap) and one for those far
//!   back, so that a client that asks for everything over and over starves only others who do the same.
//!
//! What is not answered is asked for again: requests come with backoff.

use std::{collections::BTreeMap, ops::Range, time::Duration};

use crate::now::Moment;

/// How many events one request gets at most: exo's number.
pub const MOST: u64 = 1000;
/// How long an event that was sent again is not sent again.
const COOL: Duration = Duration::from_millis(250);
/// How many stretches are remembered as just sent.
const MAX_STRETCHES: usize = 64;

/// How fast the log may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Events a second, in the long run, for each of the two allowances.
    pub per_second: u32,
    /// Events at once.
    pub burst: u32,
}

impl Pace {
    /// For a phone.
    pub const PHONE: Self = Self { per_second: 500, burst: 2000 };
    /// As exo: whatever is asked for.
    pub const ANY: Self = Self { per_second: u32::MAX, burst: u32::MAX };
}

/// Decides what is sent again.
#[derive(Debug)]
pub struct Replay {
    pace: Pace,
    near: Allowance,
    far: Allowance,
    /// Stretches that were sent lately: first index, past the last, when.
    lately: BTreeMap<u64, (u64, Moment)>,
}

#[derive(Debug)]
struct Allowance {
    events: f64,
    at: Moment,
}

impl Allowance {
    /// Takes as many as are allowed now, `wanted` at most.
    fn take(&mut self, now: Moment, pace: Pace, wanted: u64) -> u64 {
        let earned = now.since(self.at).as_secs_f64() * f64::from(pace.per_second);
        self.at = now;
        self.events = (self.events + earned).min(f64::from(pace.burst));
        let taken = wanted.min(self.events as u64);
        self.events -= taken as f64;
        taken
    }
}

impl Replay {
    /// Nothing asked yet.
    pub fn new(now: Moment, pace: Pace) -> Self {
        let full = || Allowance { events: f64::from(pace.burst), at: now };
        Self { pace, near: full(), far: full(), lately: BTreeMap::new() }
    }

    /// What of `asked` (see [`Log::answer`](super::log::Log::answer)) is sent now; `next` is the end of the log.
    pub fn grant(&mut self, now: Moment, asked: Range<u64>, next: u64) -> Range<u64> {
        let nothing = asked.start..asked.start;
        if asked.is_empty() {
            return nothing;
        }
        let asked = self.without_lately(now, asked);
        let far = next.saturating_sub(asked.start) > MOST;
        let allowance = if far { &mut self.far } else { &mut self.near };
        let count = allowance.take(now, self.pace, asked.end.saturating_sub(asked.start));
        if count == 0 {
            return nothing;
        }
        let granted = asked.start..asked.start + count;
        if self.lately.len() < MAX_STRETCHES {
            self.lately.insert(granted.start, (granted.end, now));
        }
        granted
    }

    /// What is left of a request after the part that was sent a moment ago.
    fn without_lately(&mut self, now: Moment, asked: Range<u64>) -> Range<u64> {
        self.lately.retain(|_, (_, at)| now.since(*at) < COOL);
        let mut from = asked.start;
        for (&first, &(past, _)) in &self.lately {
            if (first..past).contains(&from) {
                from = past;
            }
        }
        from..asked.end.max(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Moment = Moment::after_start(Duration::ZERO);

    fn granted(replay: &mut Replay, now: Moment, since: u64, next: u64) -> Range<u64> {
        replay.grant(now, since..(since + MOST).min(next), next)
    }

    #[test]
    fn one_answer_serves_all_who_miss_the_same() {
        let mut replay = Replay::new(START, Pace::PHONE);
        assert_eq!(granted(&mut replay, START, 90, 100), 90..100);
        assert!(granted(&mut replay, START, 90, 100).is_empty());
        assert!(granted(&mut replay, START, 95, 100).is_empty());
        assert_eq!(granted(&mut replay, START, 90, 103), 100..103, "only what is new");
        let later = START + COOL;
        assert_eq!(granted(&mut replay, later, 95, 103), 95..103);
    }

    #[test]
    fn a_client_that_asks_for_everything_for_ever_costs_a_bounded_number_of_events() {
        let mut replay = Replay::new(START, Pace::PHONE);
        let sent: u64 = (0..100_000)
            .map(|n| {
                let now = START + Duration::from_millis(n / 10);
                let range = granted(&mut replay, now, (n % 9) * 1000, 20_000);
                range.end - range.start
            })
            .sum();
        assert!(sent <= 2000 + 500 * 10, "{sent} events in ten seconds");
        let honest = granted(&mut replay, START + Duration::from_secs(10), 19_990, 20_000);
        assert_eq!(honest, 19_990..20_000, "an honest gap is still healed");
    }

    #[test]
    fn nothing_asked_nothing_sent() {
        let mut replay = Replay::new(START, Pace::PHONE);
        assert!(replay.grant(START, 5..5, 5).is_empty());
        assert!(replay.grant(START, u64::MAX..u64::MAX, 5).is_empty());
    }
}
