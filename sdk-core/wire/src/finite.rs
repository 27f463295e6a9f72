//! Numbers that mean something.

use serde::{Deserialize, Deserializer, Serialize, de};

/// A float from `MIN` to `MAX`, so neither infinite nor NaN: exo's parser takes those, its arithmetic, its master and
/// its dashboard do not, and JSON has no word for them.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Finite<const MIN: i64, const MAX: i64>(f64);

/// More than any count, rate or time.
const VAST: i64 = 1_000_000_000_000_000;

/// A part of a whole, 0 to 1.
pub type Fraction = Finite<0, 1>;
/// A temperature that a device may have.
pub type Celsius = Finite<-60, 200>;
/// A power that a device may draw.
pub type Watts = Finite<0, 10_000>;
/// A rate, a time, a penalty: not negative, not absurd.
pub type Amount = Finite<0, VAST>;
/// The logarithm of a probability.
pub type LogProbability = Finite<{ -VAST }, 0>;
/// A setting of a sampler, which may be below nought.
pub type Setting = Finite<-100, 100>;

impl<const MIN: i64, const MAX: i64> Finite<MIN, MAX> {
    /// The number, if it is one and in range.
    pub fn new(number: f64) -> Option<Self> {
        (MIN as f64..=MAX as f64).contains(&number).then_some(Self(number))
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> Default for Finite<MIN, MAX> {
    /// Nought, or what is nearest to it.
    fn default() -> Self {
        Self(0.0_f64.clamp(MIN as f64, MAX as f64))
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Finite<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::new(number).ok_or_else(|| de::Error::custom(format!("{number} is not {MIN} to {MAX}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_or_out_of_range_is_not_taken() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-9, 1.000_001] {
            assert_eq!(Fraction::new(bad), None, "{bad}");
        }
        assert_eq!(Fraction::new(1.0).map(Fraction::get), Some(1.0));
    }
}
