//! A value and where it comes from.
//!
//! Nothing is invented. A reading that cannot be had is *unavailable* with the reason; there is no default value that
//! could be mistaken for a measurement, and none can be built: the value lives inside the variants that have one.

mod device;
mod figure;
mod groups;
mod quantity;

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    ops::RangeInclusive,
    time::Duration,
};

use serde::{Deserialize, Serialize};

pub use device::{
    BatteryReadings, CpuReadings, DiskReadings, GpuReadings, MemoryReadings, NetworkKind, NetworkReadings,
    Pressure, Readings, ThermalReadings, ThermalStatus,
};
pub use figure::Figure;
pub use groups::{Group, Groups};
pub use quantity::{Quantity, Unit};

/// When a reading was made: milliseconds since 1970 by the device's own clock. For people and for the wire; inside a
/// process, ages are counted on the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl From<Duration> for Timestamp {
    fn from(since_1970: Duration) -> Self {
        Self(u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Words that are fixed in nearly every case, so that a reading costs no allocation.
pub type Words = Cow<'static, str>;

/// One reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Reading<T> {
    /// A sensor or the system said so.
    Measured {
        /// The value.
        value: T,
        /// When.
        at: Timestamp,
    },
    /// It was computed from something else.
    Estimated {
        /// The value.
        value: T,
        /// From what: "our own busy time".
        how: Words,
        /// When.
        at: Timestamp,
    },
    /// It cannot be had.
    Unavailable {
        /// Why: "the device has no battery", "permission denied", "the sensor said 65535 °C".
        why: Words,
        /// When that was found out.
        at: Timestamp,
    },
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A sensor or the system said so.
    Measured,
    /// It was computed from something else.
    Estimated,
    /// It cannot be had.
    Unavailable,
}

impl<T> Reading<T> {
    /// A value that a sensor or the system gave.
    pub const fn measured(value: T, at: Timestamp) -> Self {
        Self::Measured { value, at }
    }

    /// A value that was computed, and from what.
    pub fn estimated(value: T, how: impl Into<Words>, at: Timestamp) -> Self {
        Self::Estimated { value, how: how.into(), at }
    }

    /// No value, and why.
    pub fn unavailable(why: impl Into<Words>, at: Timestamp) -> Self {
        Self::Unavailable { why: why.into(), at }
    }

    /// The value, if there is one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Measured { value, .. } | Self::Estimated { value, .. } => Some(value),
            Self::Unavailable { .. } => None,
        }
    }

    /// A copy of the value, if there is one.
    pub fn get(&self) -> Option<T>
    where
        T: Copy,
    {
        self.value().copied()
    }

    /// Where it comes from.
    pub const fn source(&self) -> Source {
        match self {
            Self::Measured { .. } => Source::Measured,
            Self::Estimated { .. } => Source::Estimated,
            Self::Unavailable { .. } => Source::Unavailable,
        }
    }

    /// When it was made.
    pub const fn at(&self) -> Timestamp {
        match self {
            Self::Measured { at, .. } | Self::Estimated { at, .. } | Self::Unavailable { at, .. } => *at,
        }
    }

    /// Why there is no value.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Unavailable { why, .. } => Some(why),
            _ => None,
        }
    }

    /// Makes it unavailable in place. Words that are fixed cost no allocation, and neither do others if it was
    /// unavailable before: a sensor that is broken for hours costs nothing for hours.
    pub fn refuse(&mut self, why: fmt::Arguments<'_>, at: Timestamp) {
        if let Some(fixed) = why.as_str() {
            *self = Self::Unavailable { why: Cow::Borrowed(fixed), at };
            return;
        }
        let mut words = match self {
            Self::Unavailable { why: Cow::Owned(words), .. } => std::mem::take(words),
            _ => String::new(),
        };
        words.clear();
        // Writing to a string fails only if the value's own `Display` does; the words are then cut short.
        let _ = words.write_fmt(why);
        *self = Self::Unavailable { why: Cow::Owned(words), at };
    }

    /// The same provenance for another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Measured { value, at } => Reading::Measured { value: change(value), at },
            Self::Estimated { value, how, at } => Reading::Estimated { value: change(value), how, at },
            Self::Unavailable { why, at } => Reading::Unavailable { why, at },
        }
    }
}

impl<T: PartialOrd + fmt::Display> Reading<T> {
    /// Takes a measured value in place if it lies in the range; otherwise it is unavailable, and why.
    pub fn measure(&mut self, value: T, range: &RangeInclusive<T>, unit: &str, at: Timestamp) {
        if range.contains(&value) {
            *self = Self::measured(value, at);
        } else {
            let (low, high) = (range.start(), range.end());
            self.refuse(format_args!("{value}{unit} is not between {low}{unit} and {high}{unit}"), at);
        }
    }

    /// The same reading if its value lies in the range; otherwise unavailable, and why. NaN lies in no range.
    #[must_use]
    pub fn within(self, range: &RangeInclusive<T>, unit: &str) -> Self {
        match self.value() {
            Some(value) if !range.contains(value) => {
                let (low, high) = (range.start(), range.end());
                let why = format!("{value}{unit} is not between {low}{unit} and {high}{unit}");
                Self::unavailable(why, self.at())
            }
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000);

    #[test]
    fn what_cannot_be_had_has_no_value_but_a_reason() {
        let reading: Reading<f64> = Reading::unavailable("no sensor", NOW);
        assert_eq!(
            (reading.get(), reading.why(), reading.source()),
            (None, Some("no sensor"), Source::Unavailable)
        );
    }

    #[test]
    fn absurd_values_are_refused_by_name() {
        for absurd in [-273.15, 65535.0, f64::NAN, f64::INFINITY] {
            let reading = Reading::measured(absurd, NOW).within(&(-40.0..=150.0), " °C");
            assert_eq!(reading.get(), None);
            assert!(reading.why().unwrap().ends_with("is not between -40 °C and 150 °C"), "{reading:?}");
        }
        assert_eq!(Reading::measured(41.5, NOW).within(&(-40.0..=150.0), " °C").get(), Some(41.5));
    }

    #[test]
    fn a_reading_is_refused_in_place_with_words_that_keep_their_room() {
        let mut reading = Reading::measured(20.0, NOW);
        reading.measure(65535.0, &(-40.0..=150.0), " °C", NOW);
        let room = |reading: &Reading<f64>| match reading {
            Reading::Unavailable { why: Cow::Owned(words), .. } => words.as_ptr() as usize,
            _ => 0,
        };
        let before = room(&reading);
        reading.measure(65534.0, &(-40.0..=150.0), " °C", Timestamp(2_000));
        assert_eq!(reading.why(), Some("65534 °C is not between -40 °C and 150 °C"));
        assert_eq!((room(&reading), reading.at()), (before, Timestamp(2_000)));
        reading.refuse(format_args!("unplugged"), NOW);
        assert!(matches!(reading, Reading::Unavailable { why: Cow::Borrowed("unplugged"), .. }));
    }

    #[test]
    fn the_provenance_is_part_of_the_json() {
        let measured = serde_json::to_string(&Reading::measured(0.5, NOW)).unwrap();
        assert_eq!(measured, r#"{"source":"measured","value":0.5,"at":1000}"#);
        let unavailable = serde_json::to_string(&Reading::<f64>::unavailable("asleep", NOW)).unwrap();
        assert_eq!(unavailable, r#"{"source":"unavailable","why":"asleep","at":1000}"#);
        assert_eq!(serde_json::from_str::<Reading<f64>>(&measured).unwrap(), Reading::measured(0.5, NOW));
    }

    #[test]
    fn a_changed_value_keeps_its_provenance() {
        let reading = Reading::estimated(2.0, "twice one", NOW).map(|value| value as u64);
        assert_eq!(reading, Reading::estimated(2, "twice one", NOW));
    }
}
