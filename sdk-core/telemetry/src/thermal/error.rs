//! What can be wrong with what the thermal part is given.

use thiserror::Error;

/// Why a value or a setting was refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ThermalError {
    /// A sensor that says this is broken.
    #[error(
        "the sensor said {value}{unit}, which is not between {low}{unit} and {high}{unit}; ask it again later"
    )]
    Absurd {
        /// What it said.
        value: f64,
        /// The least that is plausible.
        low: f64,
        /// The most that is plausible.
        high: f64,
        /// Of what.
        unit: &'static str,
    },
    /// A governor cannot work with these.
    #[error(
        "a limit of {limit}{unit} with a margin of {margin} and a hysteresis of {hysteresis} cannot be kept: \
         all must be finite, and 0 < margin < hysteresis"
    )]
    Limits {
        /// The limit.
        limit: f64,
        /// How far below it the governor begins to act.
        margin: f64,
        /// How far below it full work resumes.
        hysteresis: f64,
        /// Of what.
        unit: &'static str,
    },
    /// There is nothing to learn from, or nothing to foretell.
    #[error(
        "{values} values are not enough: at least 2 are needed, the first half to learn from, the rest to foretell"
    )]
    TooShort {
        /// How many there are.
        values: usize,
    },
}
