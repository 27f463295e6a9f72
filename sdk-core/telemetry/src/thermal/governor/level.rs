//! What the engine may do, from full to nothing.

use serde::{Deserialize, Serialize};

/// How much work is allowed, coolest first: a greater level is more work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// No work until it has cooled down.
    Paused,
    /// Just enough to keep a place in the cluster.
    Low,
    /// About half.
    Half,
    /// Four fifths.
    Reduced,
    /// A little less than all.
    Eased,
    /// Everything.
    Full,
}

/// What a level asks of the engine. The governor offers, the caller applies what it can.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// The share of the time in which the engine may work.
    pub duty: f64,
    /// The share of the usual batch.
    pub batch: f64,
    /// Which weights to run, if there is a choice.
    pub precision: Precision,
}

/// Which weights to run, if there is a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// What the model was loaded with.
    Usual,
    /// Fewer bits, which move fewer bytes and so make less heat; worth a reload only for long work.
    Lower,
}

impl Level {
    /// All levels, the most work first.
    pub const ALL: [Self; 6] = [Self::Full, Self::Eased, Self::Reduced, Self::Half, Self::Low, Self::Paused];

    /// What it asks of the engine.
    pub const fn measures(self) -> Measures {
        let (duty, batch, precision) = match self {
            Self::Full => (1.0, 1.0, Precision::Usual),
            Self::Eased => (0.95, 1.0, Precision::Usual),
            Self::Reduced => (0.8, 0.5, Precision::Usual),
            Self::Half => (0.5, 0.5, Precision::Lower),
            Self::Low => (0.25, 0.25, Precision::Lower),
            Self::Paused => (0.0, 0.0, Precision::Lower),
        };
        Measures { duty, batch, precision }
    }

    /// The share of full work.
    pub const fn duty(self) -> f64 {
        self.measures().duty
    }

    /// One step more work.
    #[must_use]
    pub const fn above(self) -> Self {
        match self {
            Self::Paused => Self::Low,
            Self::Low => Self::Half,
            Self::Half => Self::Reduced,
            Self::Reduced => Self::Eased,
            Self::Eased | Self::Full => Self::Full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_asks_for_no_more_than_the_one_above() {
        for pair in Level::ALL.windows(2) {
            let (more, less) = (pair[0], pair[1]);
            assert!(more > less && more.duty() > less.duty() && less.above() == more);
            assert!(more.measures().batch >= less.measures().batch);
        }
    }
}
