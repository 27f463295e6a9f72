//! In what a device tells its heat. The unit is part of every type, so that none is ever turned into another.

use std::{fmt, ops::RangeInclusive};

mod sealed {
    pub trait Sealed {}
}

/// A way to tell heat. A model, its forecasts and its limits share one; there is no conversion.
pub trait Unit: sealed::Sealed + fmt::Debug + Clone + Copy + PartialEq + Send + Sync + 'static {
    /// What stands behind a number: " °C".
    const SUFFIX: &'static str;
    /// How many of this unit weigh as much as one degree does in the *prior* of the model: how far a phone may be
    /// expected to move, and how coarse its sensor is. It scales what is not known yet, never a reading.
    const GRAIN: f64;
    /// What a sensor can mean. Anything else is a broken sensor.
    const PLAUSIBLE: RangeInclusive<f64>;
    /// Values from here down all read the same, so such a reading says "at most".
    const FLOOR: Option<f64>;
}

/// Degrees of some part of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Celsius;

/// Android's thermal headroom: 1 is where severe throttling begins, 0 is cool, and everything cooler reads 0 too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headroom;

/// Named levels as a line on which each name covers a stretch: none is 0 to 1, light 1 to 2, and so on to shutdown,
/// 6 to 7. Where a device stands within a stretch is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Levels;

impl sealed::Sealed for Celsius {}
impl sealed::Sealed for Headroom {}
impl sealed::Sealed for Levels {}

impl Unit for Celsius {
    const SUFFIX: &'static str = " °C";
    const GRAIN: f64 = 1.0;
    const PLAUSIBLE: RangeInclusive<f64> = -40.0..=150.0;
    const FLOOR: Option<f64> = None;
}

impl Unit for Headroom {
    const SUFFIX: &'static str = " of the headroom";
    const GRAIN: f64 = 1.0 / 30.0;
    const PLAUSIBLE: RangeInclusive<f64> = 0.0..=4.0;
    const FLOOR: Option<f64> = Some(0.0);
}

impl Unit for Levels {
    const SUFFIX: &'static str = " levels";
    const GRAIN: f64 = 0.2;
    const PLAUSIBLE: RangeInclusive<f64> = 0.0..=7.0;
    const FLOOR: Option<f64> = None;
}
