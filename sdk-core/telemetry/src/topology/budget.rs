//! What probing may cost.

use std::time::Duration;

use super::wire::LARGEST_TRAIN;
use crate::now::Moment;

/// What all probing of a node may cost: a tank that fills at a steady rate and is empty at first.
///
/// Whatever happens, no more was spent since the start than `rate x time` (one second more for what others asked for),
/// and no more in any span of time than that and one tank.
#[derive(Debug, Clone)]
pub struct Budget {
    rate: f64,
    tank: f64,
    filled_at: Moment,
}

impl Budget {
    /// A tank that is filled with so many bytes a second and holds the largest train, with its overhead.
    pub fn new(bytes_per_second: f64, now: Moment) -> Self {
        Self { rate: bytes_per_second.max(0.0), tank: 0.0, filled_at: now }
    }

    /// Whether so many bytes may be spent now.
    pub fn affords(&self, now: Moment, bytes: f64) -> bool {
        self.at(now) >= bytes
    }

    /// When so many bytes may be spent.
    pub fn ready(&self, now: Moment, bytes: f64) -> Moment {
        now + waiting(bytes - self.at(now), self.rate)
    }

    /// Takes the bytes if they are there.
    pub fn take(&mut self, now: Moment, bytes: f64) -> bool {
        let held = self.at(now);
        let affordable = held >= bytes;
        (self.tank, self.filled_at) = (if affordable { held - bytes } else { held }, now);
        affordable
    }

    /// Takes the bytes for somebody who paid for them too, and whose clock is not ours: what will be there in a second
    /// counts as there.
    pub(super) fn take_for_another(&mut self, now: Moment, bytes: f64) -> bool {
        let held = self.at(now);
        let affordable = held + self.rate >= bytes;
        (self.tank, self.filled_at) = (if affordable { held - bytes } else { held }, now);
        affordable
    }

    fn at(&self, now: Moment) -> f64 {
        (self.tank + self.rate * now.since(self.filled_at).as_secs_f64()).min(TANK)
    }
}

/// A little more than the largest train, so that it can be afforded.
const TANK: f64 = LARGEST_TRAIN as f64 * 1.1;
/// The first train of a link comes before anything is known of the link; it is paid for afterwards.
const ADVANCE: f64 = 70_000.0;
/// What was spent longer ago matters less and less.
const MEMORY: Duration = Duration::from_mins(10);

/// What one link was burdened with, against a part of what it carries.
#[derive(Debug, Clone)]
pub(super) struct Ledger {
    opened: Moment,
    spent: f64,
    /// When the first train went out.
    advanced: Option<Moment>,
}

impl Ledger {
    pub(super) const fn new(now: Moment) -> Self {
        Self { opened: now, spent: 0.0, advanced: None }
    }

    /// When so many bytes may be spent on a link that carries `rate` bytes a second, of which `share` is ours. A link
    /// that turns out slower than thought has a debt to pay first.
    pub(super) fn ready(&self, now: Moment, bytes: f64, share: f64, rate: Option<f64>) -> Moment {
        let Some(rate) = rate else {
            return self.advanced.map_or(now, |first| first + MEMORY);
        };
        let earned = share * rate * now.since(self.opened).as_secs_f64() + ADVANCE;
        now + waiting(self.spent + bytes - earned, share * rate)
    }

    /// A train went out, of which so many bytes are to be paid.
    pub(super) fn spend_on_train(&mut self, now: Moment, bytes: f64) {
        self.advanced = Some(now);
        self.spend(now, bytes);
    }

    pub(super) fn spend(&mut self, now: Moment, bytes: f64) {
        let age = now.since(self.opened);
        if age > MEMORY {
            let kept = MEMORY / 2;
            self.spent *= kept.div_duration_f64(age);
            self.opened = Moment::after_start(now.since_start().saturating_sub(kept));
        }
        self.spent += bytes;
    }
}

/// How long until `missing` bytes are there at this rate.
fn waiting(missing: f64, rate: f64) -> Duration {
    const NEVER: Duration = Duration::from_hours(24);
    if missing <= 0.0 {
        return Duration::ZERO;
    }
    // A microsecond more, or rounding would wake the caller for nothing.
    let seconds = missing / rate + 1e-6;
    Duration::try_from_secs_f64(seconds).map_or(NEVER, |wait| wait.min(NEVER))
}
