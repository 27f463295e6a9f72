//! One sensor, its model, and what both together allow.

use std::time::Duration;

use crate::{
    now::{Moment, Now},
    reading::{Reading, Timestamp},
    thermal::{Forecast, Observation, ThermalError, ThermalModel, Unit},
};

use super::{Level, Limits};

/// What one sensor allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Advice {
    /// The most work that is safe.
    pub(super) ceiling: Level,
    /// Whether the next level up would be safe for long.
    pub(super) may_rise: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Track<U> {
    model: ThermalModel<U>,
    limits: Limits<U>,
    /// The readings of the last seconds, averaged.
    smooth: Option<f64>,
    heard: Moment,
    /// When the sensor says that it was read: one that stands still is not read again.
    stamp: Option<Timestamp>,
    /// How many readings in a row were too far from the others.
    strange: u8,
    /// What the model allowed, for which step of it and at which level.
    plan: Option<(Moment, Level, Advice)>,
}

/// How long readings are averaged before they are acted on.
const SMOOTHING: Duration = Duration::from_secs(4);
/// A sensor that was silent for so long is lost.
const SILENCE: Duration = Duration::from_secs(10);
/// A phone does not warm by this many grains between two readings; a sensor that says so must say it again.
const LEAP: f64 = 15.0;
/// How often.
const CONVINCING: u8 = 6;
/// Before this many steps of the model its outlook is a prior, and only the readings count.
const LEARNT: u32 = 6;
/// How far ahead the end of full work is seen: a sensor goes on climbing after the work went down.
const SOON: Duration = Duration::from_mins(1);
/// How far ahead a level must hold.
const LATER: Duration = Duration::from_mins(10);

impl<U: Unit> Track<U> {
    pub(super) fn new(limits: Limits<U>) -> Self {
        Self {
            model: ThermalModel::new(),
            limits,
            smooth: None,
            heard: Moment::default(),
            stamp: None,
            strange: 0,
            plan: None,
        }
    }

    /// Takes a reading in, if it is new and can be meant.
    pub(super) fn hear<T: Copy>(
        &mut self,
        now: Now,
        reading: &Reading<T>,
        observe: impl FnOnce(T) -> Result<Observation<U>, ThermalError>,
    ) {
        let Some(Ok(seen)) = reading.get().map(observe) else { return };
        if self.stamp == Some(reading.at()) {
            return;
        }
        self.stamp = Some(reading.at());
        if self.is_leap(&seen) {
            return;
        }
        self.model.observe(now, seen);
        let value = match (seen.exact(), self.model.estimate()) {
            (Some(value), _) => value,
            (None, Some(estimate)) => seen.nearest(estimate.mean),
            (None, None) => return,
        };
        let age = now.mono.since(self.heard);
        self.smooth = Some(match self.smooth {
            Some(smooth) if age < SILENCE => {
                let new = 1.0 - (-age.as_secs_f64() / SMOOTHING.as_secs_f64()).exp();
                seen.nearest(smooth + new * (value - smooth)).min(smooth.max(value))
            }
            _ => value,
        });
        self.heard = now.mono;
    }

    fn is_leap(&mut self, seen: &Observation<U>) -> bool {
        let far = match (self.smooth, seen.exact()) {
            (Some(smooth), Some(value)) => (value - smooth).abs() > LEAP * U::GRAIN,
            _ => false,
        };
        self.strange = if far { self.strange.saturating_add(1) } else { 0 };
        if self.strange >= CONVINCING {
            self.smooth = None;
            self.strange = 0;
            return false;
        }
        far
    }

    /// The engine does this share of full work from now on.
    pub(super) fn load(&mut self, now: Now, share: f64) {
        self.model.load(now, share);
    }

    /// Whether it ever told anything.
    pub(super) const fn is_known(&self) -> bool {
        self.smooth.is_some()
    }

    /// Whether it told something lately.
    pub(super) fn is_alive(&self, now: Moment) -> bool {
        self.is_known() && now.since(self.heard) < SILENCE
    }

    /// How close to its limit the device is by this sensor, 1 at the limit.
    pub(super) fn closeness(&self) -> Option<f64> {
        self.smooth.map(|smooth| self.limits.closeness(smooth))
    }

    /// How long until the limit if the work goes on.
    pub(super) fn time_to_limit(&self) -> Option<Duration> {
        self.model.time_to(self.limits.limit())
    }

    /// What it will say.
    pub(super) fn forecast(&mut self, horizon: Duration) -> Option<Forecast<U>> {
        self.model.forecast(horizon)
    }

    /// What is safe by this sensor, for a device that works at `level`. The model is asked only when it has learnt
    /// something or the level has changed.
    pub(super) fn advice(&mut self, level: Level) -> Option<Advice> {
        let smooth = self.smooth?;
        if smooth >= self.limits.stop() {
            return Some(Advice { ceiling: Level::Paused, may_rise: false });
        }
        let step = self.model.stepped();
        let planned = match self.plan {
            Some((at, when_at, advice)) if at == step && when_at == level => advice,
            _ => {
                let advice = self.planned(level, smooth);
                self.plan = Some((step, level, advice));
                advice
            }
        };
        let ceiling = if level == Level::Full && smooth >= self.limits.act() {
            planned.ceiling.min(Level::Eased)
        } else {
            planned.ceiling
        };
        Some(Advice { ceiling, may_rise: planned.may_rise && smooth < self.limits.act() })
    }

    fn planned(&self, level: Level, smooth: f64) -> Advice {
        let limits = &self.limits;
        let knows = self.model.steps() >= LEARNT;
        let outlook = |horizon, level: Level| {
            self.model.outlook(horizon, level.duty()).filter(|_| knows).unwrap_or(smooth)
        };
        let full_holds = || smooth < limits.act() && outlook(SOON, Level::Full) < limits.act();

        let holds = match level {
            Level::Full => full_holds(),
            Level::Paused => true,
            _ => outlook(LATER, level) < limits.stop(),
        };
        let ceiling = if holds {
            level
        } else {
            let fits = |lower: &Level| *lower < level && outlook(LATER, *lower) <= limits.aim();
            let working = Level::ALL.into_iter().filter(|lower| *lower > Level::Paused).find(fits);
            working.unwrap_or(if outlook(SOON, Level::Low) < limits.stop() {
                Level::Low
            } else {
                Level::Paused
            })
        };
        let may_rise = match level.above() {
            // Full work, and any work after a pause, wait for the whole hysteresis.
            Level::Full => smooth <= limits.resume() && full_holds(),
            Level::Low => smooth <= limits.resume(),
            above => outlook(LATER, above) <= limits.aim() - (limits.stop() - limits.aim()),
        };
        Advice { ceiling: ceiling.min(level), may_rise }
    }
}
