//! How warm is too warm, in the unit in which the device tells it.

use std::marker::PhantomData;

use crate::thermal::{Celsius, Headroom, Levels, ThermalError, Unit};

/// A limit, how far below it the governor begins to act, and how far below it full work resumes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits<U> {
    limit: f64,
    margin: f64,
    hysteresis: f64,
    unit: PhantomData<U>,
}

impl<U: Unit> Limits<U> {
    /// Checked limits: the hysteresis must be wider than the margin, or the governor would swing.
    pub fn new(limit: f64, margin: f64, hysteresis: f64) -> Result<Self, ThermalError> {
        let finite = limit.is_finite() && margin.is_finite() && hysteresis.is_finite();
        if !finite || margin <= 0.0 || hysteresis <= margin {
            return Err(ThermalError::Limits { limit, margin, hysteresis, unit: U::SUFFIX });
        }
        Ok(Self { limit, margin, hysteresis, unit: PhantomData })
    }

    /// What must never be reached.
    pub const fn limit(&self) -> f64 {
        self.limit
    }

    /// From here on there is no full work.
    pub const fn act(&self) -> f64 {
        self.limit - self.margin
    }

    /// From here on there is no work: a tenth of the margin is left.
    pub const fn stop(&self) -> f64 {
        self.limit - 0.1 * self.margin
    }

    /// The warmest that less than full work may aim for: a fifth of the margin is left.
    pub const fn aim(&self) -> f64 {
        self.limit - 0.2 * self.margin
    }

    /// Down here full work resumes.
    pub const fn resume(&self) -> f64 {
        self.limit - self.hysteresis
    }

    /// How close a value is to the limit: 0 at the resuming point and below, 1 at the limit. Units cancel out, so this
    /// is what devices are compared by.
    pub const fn closeness(&self, value: f64) -> f64 {
        ((value - self.resume()) / self.hysteresis).max(0.0)
    }
}

impl Limits<Celsius> {
    /// 90 °C inside a processor or GPU, some degrees before they slow themselves down (95 to 105 °C), with the margins of
    /// [the default](Self::default).
    pub const fn of_a_chip() -> Self {
        Self { limit: 90.0, margin: 5.0, hysteresis: 10.0, unit: PhantomData }
    }
}

impl Default for Limits<Celsius> {
    /// 45 °C on the battery, where phones begin to defend themselves, 5 °C of margin, 10 °C of hysteresis.
    fn default() -> Self {
        Self { limit: 45.0, margin: 5.0, hysteresis: 10.0, unit: PhantomData }
    }
}

impl Default for Limits<Headroom> {
    /// Severe throttling. Android lays one whole headroom over 30 °C of its own sensor, so the margins are a sixth and
    /// a third.
    fn default() -> Self {
        Self { limit: 1.0, margin: 1.0 / 6.0, hysteresis: 1.0 / 3.0, unit: PhantomData }
    }
}

impl Default for Limits<Levels> {
    /// Where *severe* (iOS: *serious*) begins; *moderate* is the margin, and full work resumes below *light*.
    fn default() -> Self {
        Self { limit: 3.0, margin: 1.0, hysteresis: 2.0, unit: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_would_swing_are_refused() {
        for (limit, margin, hysteresis) in
            [(45.0, 10.0, 10.0), (45.0, 0.0, 10.0), (f64::NAN, 5.0, 10.0), (45.0, 5.0, f64::INFINITY)]
        {
            let refused = Limits::<Celsius>::new(limit, margin, hysteresis).unwrap_err().to_string();
            assert!(refused.contains("0 < margin < hysteresis"), "{refused}");
        }
    }

    #[test]
    fn the_stations_on_the_way_to_the_limit_are_in_order() {
        let limits = Limits::<Celsius>::default();
        assert!(limits.resume() < limits.act() && limits.act() < limits.aim());
        assert!(limits.aim() < limits.stop() && limits.stop() < limits.limit());
        assert_eq!((limits.act(), limits.resume()), (40.0, 35.0));
        assert_eq!((limits.closeness(35.0), limits.closeness(45.0)), (0.0, 1.0));
    }
}
