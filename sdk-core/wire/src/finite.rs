//! Numbers that JSON can hold.

use serde::{Deserialize, Deserializer, Serialize, de};

/// A float that is neither infinite nor NaN: exo's parser takes those, its arithmetic and its dashboard do not, and
/// JSON has no word for them.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize)]
#[serde(transparent)]
pub struct Finite(f64);

impl Finite {
    /// Nought.
    pub const ZERO: Self = Self(0.0);

    /// The number, if it is one.
    pub fn new(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self(number))
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl From<u32> for Finite {
    fn from(number: u32) -> Self {
        Self(number.into())
    }
}

impl<'de> Deserialize<'de> for Finite {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::new(number).ok_or_else(|| de::Error::custom("not a finite number"))
    }
}
