//! The thermal model of one device, as its sensor shows it.

use std::{marker::PhantomData, time::Duration};

use crate::now::{Moment, Now};

use super::{Forecast, Observation, Unit, bank::Bank, filter::Seen};

/// Learns how a device warms and cools from nothing but its readings, and says what will be.
///
/// Feed it with [`observe`](Self::observe) as often as there are readings, and tell it with [`load`](Self::load) how
/// much the device works. It computes at most every ten seconds; in between, readings are averaged.
#[derive(Debug, Clone)]
pub struct ThermalModel<U> {
    bank: Option<Bank>,
    /// What was seen since the last step.
    gathered: Gathered,
    /// When the last step was made.
    stepped: Moment,
    /// The last reading that a step took in, in grains.
    last: Seen,
    /// The share of full work that is being done, and since when it was summed up.
    work: f64,
    worked_until: Moment,
    /// Work times minutes since the last step.
    worked: f64,
    steps: u32,
    unit: PhantomData<U>,
}

/// Readings between two steps.
#[derive(Debug, Clone, Copy, Default)]
struct Gathered {
    /// Of values.
    sum: f64,
    count: f64,
    /// The stretch that was seen last, if it was one.
    stretch: Option<(f64, f64)>,
}

/// Readings closer than this are averaged: a sensor does not know more, and a battery pays for every step.
const STEP: Duration = Duration::from_secs(10);
/// After a gap like this the device may have done anything.
const GAP: Duration = Duration::from_mins(5);
/// What a repeated reading is worth does not depend on how often it is told: this long apart, each counts.
const INDEPENDENT_MINUTES: f64 = 1.0;
/// How many times the noise a reading carries, as a variance: sensors err in the same direction for a while.
const COLOURED: f64 = 2.2;
/// And one that repeats the one before: many batteries update every few minutes and repeat in between.
const HELD: f64 = 2.5;
/// As far ahead as anything is foretold.
const FURTHEST: Duration = Duration::from_hours(2);

impl<U: Unit> Default for ThermalModel<U> {
    fn default() -> Self {
        Self::new()
    }
}

impl<U: Unit> ThermalModel<U> {
    /// A device that was never seen, taken to be working fully until [`load`](Self::load) says otherwise.
    pub fn new() -> Self {
        Self {
            bank: None,
            gathered: Gathered::default(),
            stepped: Moment::default(),
            last: Seen { low: 0.0, high: 0.0, doubt: 1.0 },
            work: 1.0,
            worked_until: Moment::default(),
            worked: 0.0,
            steps: 0,
            unit: PhantomData,
        }
    }

    /// From now on the device does this share of full work. What full work means is the caller's: the duty of the
    /// engine, or watts over the watts of full work. It must only mean the same all the time.
    pub fn load(&mut self, now: Now, share: f64) {
        self.work_until(now.mono);
        self.work = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
    }

    fn work_until(&mut self, now: Moment) {
        self.worked += self.work * minutes(now.since(self.worked_until));
        self.worked_until = self.worked_until.max(now);
    }

    /// Takes a reading in. A clock that went back counts as one that stood still.
    pub fn observe(&mut self, now: Now, seen: Observation<U>) {
        let now = now.mono;
        let (low, high) = (seen.low() / U::GRAIN, seen.high() / U::GRAIN);
        if self.bank.is_none() {
            let first = if low.is_finite() && high.is_finite() {
                f64::midpoint(low, high)
            } else if high.is_finite() {
                high - 0.5 / U::GRAIN
            } else {
                low + 0.5 / U::GRAIN
            };
            self.bank = Some(Bank::new(first));
            (self.stepped, self.worked_until, self.worked) = (now, now, 0.0);
            self.take_in(low, high, 0.0);
            return;
        }
        match seen.exact() {
            Some(_) => {
                self.gathered.sum += low;
                self.gathered.count += 1.0;
                self.gathered.stretch = None;
            }
            None => self.gathered.stretch = Some((low, high)),
        }
        let since = now.since(self.stepped);
        if since < STEP {
            return;
        }
        let gathered = std::mem::take(&mut self.gathered);
        let (low, high) = gathered.stretch.unwrap_or_else(|| {
            let mean = gathered.sum / gathered.count.max(1.0);
            (mean, mean)
        });
        self.work_until(now);
        self.stepped = now;
        if since > GAP {
            self.reawaken(low, high);
        } else {
            self.take_in(low, high, minutes(since));
        }
        self.worked = 0.0;
    }

    fn take_in(&mut self, low: f64, high: f64, minutes: f64) {
        // A value that changed was measured anew; one that did not may be the old one, however often it is told.
        let repeats = self.steps > 0 && is_same(low, self.last.low) && is_same(high, self.last.high);
        let crowd = (INDEPENDENT_MINUTES / minutes.max(1e-3)).max(1.0);
        let doubt = COLOURED * if repeats { HELD * crowd } else { 1.0 };
        let seen = Seen { low, high, doubt };
        let work = if minutes > 0.0 { (self.worked / minutes).clamp(0.0, 1.0) } else { self.work };
        if let Some(bank) = &mut self.bank {
            bank.observe(minutes, work, seen);
        }
        self.last = seen;
        self.steps = self.steps.saturating_add(1);
    }

    fn reawaken(&mut self, low: f64, high: f64) {
        if let Some(bank) = &mut self.bank {
            let at = bank.sensor().mean.max(low).min(high);
            bank.reawaken(at);
        }
        self.last = Seen { low, high, doubt: 1.0 };
    }

    /// Whether anything was seen.
    pub const fn is_blind(&self) -> bool {
        self.bank.is_none()
    }

    /// How many steps it has learnt from.
    pub const fn steps(&self) -> u32 {
        self.steps
    }

    /// When it last learnt.
    pub(super) const fn stepped(&self) -> Moment {
        self.stepped
    }

    /// Where the sensor would stand now without noise.
    pub fn estimate(&self) -> Option<Forecast<U>> {
        self.bank.as_ref().map(|bank| Forecast::new(bank.sensor(), Duration::ZERO))
    }

    /// What the sensor will say after `horizon` if the work goes on as now. `None` until something was seen.
    pub fn forecast(&mut self, horizon: Duration) -> Option<Forecast<U>> {
        let horizon = horizon.min(FURTHEST);
        let (low, high, work) = (self.last.low, self.last.high, self.work);
        let bank = self.bank.as_mut()?;
        let moments = bank.after(minutes(horizon), work);
        let last = bank.sensor().mean.max(low).min(high);
        Some(Forecast::shrunk(moments, last, horizon))
    }

    /// Where the sensor will be after `horizon` of another share of work: nothing held back, so for decisions. It never
    /// falls when the work rises.
    pub fn outlook(&self, horizon: Duration, share: f64) -> Option<f64> {
        let bank = self.bank.as_ref()?;
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
        Some(bank.mean_after(minutes(horizon.min(FURTHEST)), self.work, share) * U::GRAIN)
    }

    /// Where the device settles if it does this share of full work for ever.
    pub fn steady_state(&self, share: f64) -> Option<Forecast<U>> {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
        self.bank.as_ref().map(|bank| Forecast::new(bank.settled(share), FURTHEST))
    }

    /// How long the work can go on as now until the sensor says `limit`: zero if it does, `None` if it will not within
    /// two hours or nothing was seen.
    pub fn time_to(&self, limit: f64) -> Option<Duration> {
        let bank = self.bank.as_ref()?;
        let limit = limit / U::GRAIN;
        if bank.sensor().mean >= limit {
            return Some(Duration::ZERO);
        }
        let reaches = |minutes: f64| bank.mean_after(minutes, self.work, self.work) >= limit;
        let (mut before, mut after) = (0.0, 0.25);
        while !reaches(after) {
            (before, after) = (after, after * 1.5);
            if after > minutes(FURTHEST) {
                return None;
            }
        }
        for _ in 0..12 {
            let middle = f64::midpoint(before, after);
            if reaches(middle) { after = middle } else { before = middle }
        }
        Some(Duration::from_secs_f64(after * 60.0))
    }

    /// The share of full work that keeps the device at `target` for ever, 0 to 1. `None` until something was seen.
    pub fn holding_duty(&self, target: f64) -> Option<f64> {
        let (room, rise) = self.bank.as_ref()?.room_and_rise();
        let allowed = target / U::GRAIN - room;
        Some(if allowed <= 0.0 {
            0.0
        } else if allowed >= rise {
            1.0
        } else {
            allowed / rise
        })
    }

    /// The watts that keep the device at `target`, when full work draws so many.
    pub fn holding_power(&self, target: f64, full_watts: f64) -> Option<f64> {
        self.holding_duty(target).map(|duty| duty * full_watts)
    }

    /// What the readings have said of the device itself so far.
    pub fn learnt(&self) -> Option<Learnt<U>> {
        let bank = self.bank.as_ref()?;
        let (room, rise) = bank.room_and_rise();
        Some(Learnt {
            time_constant: Duration::from_secs_f64(bank.time_constant() * 60.0),
            idle: room * U::GRAIN,
            rise: rise * U::GRAIN,
            unit: PhantomData,
        })
    }
}

/// What the readings have said of the device itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learnt<U> {
    /// How long the part under the sensor takes to follow the work by two thirds.
    pub time_constant: Duration,
    /// Where it settles without work.
    pub idle: f64,
    /// How far full work moves it in the end: power times thermal resistance.
    pub rise: f64,
    unit: PhantomData<U>,
}

/// Equal but for rounding, infinities included.
fn is_same(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() < 1e-6
}

fn minutes(span: Duration) -> f64 {
    span.as_secs_f64() / 60.0
}
