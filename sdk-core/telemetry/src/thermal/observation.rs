//! What a sensor said, as the model may use it.

use std::marker::PhantomData;

use crate::reading::ThermalStatus;

use super::{Celsius, Headroom, Levels, ThermalError, Unit};

/// One look at the heat: a value, or the stretch in which it lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation<U> {
    low: f64,
    high: f64,
    unit: PhantomData<U>,
}

/// Whose names the levels are. iOS has four where Android has seven, so that *fair* covers more than *light*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LevelNames {
    /// All seven of them.
    #[default]
    Android,
    /// Nominal, fair, serious and critical, told as `None`, `Light`, `Severe` and `Critical`.
    Ios,
}

impl<U: Unit> Observation<U> {
    /// A value of the unit, if a sensor can mean it.
    pub fn value(value: f64) -> Result<Self, ThermalError> {
        if !U::PLAUSIBLE.contains(&value) {
            return Err(ThermalError::Absurd {
                value,
                low: *U::PLAUSIBLE.start(),
                high: *U::PLAUSIBLE.end(),
                unit: U::SUFFIX,
            });
        }
        match U::FLOOR {
            Some(floor) if value <= floor => Ok(Self::between(f64::NEG_INFINITY, floor)),
            _ => Ok(Self::between(value, value)),
        }
    }

    const fn between(low: f64, high: f64) -> Self {
        Self { low, high, unit: PhantomData }
    }

    /// The least that it may be; minus infinity if nothing is known.
    pub const fn low(&self) -> f64 {
        self.low
    }

    /// The most that it may be; infinity if nothing is known.
    pub const fn high(&self) -> f64 {
        self.high
    }

    /// The value, if it is one and not a stretch.
    pub fn exact(&self) -> Option<f64> {
        (self.low == self.high).then_some(self.low)
    }

    /// The nearest number to `guess` that agrees with what was seen.
    pub(crate) const fn nearest(&self, guess: f64) -> f64 {
        guess.max(self.low).min(self.high)
    }
}

impl Observation<Celsius> {
    /// Degrees.
    pub fn celsius(degrees: f64) -> Result<Self, ThermalError> {
        Self::value(degrees)
    }
}

impl Observation<Headroom> {
    /// What `getThermalHeadroom` returned. It returns NaN when it was asked too often; that is refused here.
    pub fn headroom(headroom: f64) -> Result<Self, ThermalError> {
        Self::value(headroom)
    }

    /// What a status says of the headroom: by its definition, severe begins at 1. Nothing else is defined.
    pub fn from_status(status: ThermalStatus) -> Self {
        if status >= ThermalStatus::Severe {
            Self::between(1.0, f64::INFINITY)
        } else {
            Self::between(f64::NEG_INFINITY, 1.0)
        }
    }
}

impl Observation<Levels> {
    /// The stretch that a name covers.
    pub fn level(status: ThermalStatus, names: LevelNames) -> Self {
        let (low, high) = match (names, status) {
            (_, ThermalStatus::None) => (f64::NEG_INFINITY, 1.0),
            (LevelNames::Android, ThermalStatus::Light) => (1.0, 2.0),
            (LevelNames::Ios, ThermalStatus::Light | ThermalStatus::Moderate) => (1.0, 3.0),
            (LevelNames::Android, ThermalStatus::Moderate) => (2.0, 3.0),
            (_, ThermalStatus::Severe) => (3.0, 4.0),
            (LevelNames::Android, ThermalStatus::Critical) => (4.0, 5.0),
            (LevelNames::Android, ThermalStatus::Emergency) => (5.0, 6.0),
            (LevelNames::Ios, _) => (4.0, f64::INFINITY),
            (LevelNames::Android, ThermalStatus::Shutdown) => (6.0, f64::INFINITY),
        };
        Self::between(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_sensor_can_mean_is_refused_by_name() {
        for absurd in [-273.15, 65535.0, f64::NAN, f64::INFINITY] {
            let refused = Observation::celsius(absurd).unwrap_err().to_string();
            assert!(refused.contains("-40 °C and 150 °C"), "{refused}");
        }
        assert!(Observation::headroom(f64::NAN).is_err());
        assert_eq!(Observation::celsius(41.5).unwrap().exact(), Some(41.5));
    }

    #[test]
    fn headroom_zero_says_at_most_zero() {
        let cool = Observation::headroom(0.0).unwrap();
        assert_eq!((cool.exact(), cool.high()), (None, 0.0));
        assert_eq!(cool.nearest(-0.4), -0.4);
    }

    #[test]
    fn a_status_tells_on_which_side_of_severe_the_headroom_is_and_no_more() {
        assert_eq!(Observation::from_status(ThermalStatus::Critical).low(), 1.0);
        assert_eq!(Observation::from_status(ThermalStatus::Moderate).high(), 1.0);
        assert_eq!(Observation::from_status(ThermalStatus::Moderate).low(), f64::NEG_INFINITY);
    }

    #[test]
    fn fair_on_an_iphone_covers_what_android_calls_light_and_moderate() {
        let fair = Observation::level(ThermalStatus::Light, LevelNames::Ios);
        assert_eq!((fair.low(), fair.high()), (1.0, 3.0));
        let light = Observation::level(ThermalStatus::Light, LevelNames::Android);
        assert_eq!((light.low(), light.high()), (1.0, 2.0));
    }
}
