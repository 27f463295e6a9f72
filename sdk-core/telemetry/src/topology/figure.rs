//! A figure, how far off it may be, and how it ages.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    Now,
    now::Moment,
    reading::{Reading, Source, Timestamp},
};

/// What was measured is taken at its word for so long.
pub const FRESH: Duration = Duration::from_mins(3);
/// And is forgotten after so long.
pub const FORGOTTEN: Duration = Duration::from_mins(10);
/// By how much of its value a figure may be off, besides its own error, just before it is forgotten.
const DRIFT: f64 = 0.5;

/// A figure and how far off it may be: the truth is expected within `value - error` and `value + error`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The best guess.
    pub value: f64,
    /// How far off it may be, in the same unit.
    pub error: f64,
}

impl Figure {
    /// A figure and its error.
    pub const fn new(value: f64, error: f64) -> Self {
        Self { value, error }
    }
}

/// How much a measurement of this age is still worth: 1 while fresh, 0 when forgotten, linear between.
pub fn confidence(age: Duration) -> f64 {
    let left = FORGOTTEN.saturating_sub(age).as_secs_f64();
    (left / FORGOTTEN.saturating_sub(FRESH).as_secs_f64()).min(1.0)
}

/// When something was measured, on both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) mono: Moment,
    pub(super) wall: Timestamp,
}

impl From<Now> for Stamp {
    fn from(now: Now) -> Self {
        Self { mono: now.mono, wall: now.wall.into() }
    }
}

impl Figure {
    /// The figure as a reading of today: measured while fresh, an estimate with a growing error later, then nothing.
    pub(super) fn aged(self, measured: Stamp, now: Now) -> Reading<Self> {
        let age = now.mono.since(measured.mono);
        if age <= FRESH {
            return Reading::measured(self, measured.wall);
        }
        if age >= FORGOTTEN {
            return Reading::unavailable("not measured for 10 minutes", measured.wall);
        }
        let error = self.error + DRIFT * (1.0 - confidence(age)) * self.value;
        let how = format!("measured {} minutes ago", age.as_secs() / 60);
        Reading::estimated(Self { error, ..self }, how, measured.wall)
    }
}

/// The reading as JSON people and other crates want it: the bare value, with the same provenance.
pub fn bare(reading: &Reading<Figure>) -> Reading<f64> {
    reading.clone().map(|figure| figure.value)
}

/// A figure made of several readings: never better than the weakest of them.
pub(super) fn combined(
    value: Figure,
    sources: &[Source],
    how: impl FnOnce() -> String,
    at: Timestamp,
) -> Reading<Figure> {
    if sources.iter().all(|source| *source == Source::Measured) {
        Reading::measured(value, at)
    } else {
        Reading::estimated(value, how(), at)
    }
}
