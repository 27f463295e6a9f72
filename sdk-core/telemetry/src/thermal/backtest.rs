//! How well the model would have foretold what then came.

use std::time::Duration;

use crate::{Now, now::Moment};

use super::{Forecast, Observation, ThermalError, ThermalModel, Unit};

/// What was foretold for the second half of a trace from its first half, and what it was worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Backtest<U> {
    /// How far off the forecast was: the root of the mean square, in the unit of the readings.
    pub rmse: f64,
    /// How far off it would have been to repeat the last value that was seen.
    pub last_value_rmse: f64,
    /// The share of the values that lay in the 80% band.
    pub band_coverage: f64,
    /// The forecasts beside what came.
    pub points: Vec<Backtested<U>>,
}

/// One forecast beside what came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backtested<U> {
    /// What came.
    pub came: f64,
    /// What was foretold at half-time.
    pub foretold: Forecast<U>,
}

impl<U: Unit> Backtest<U> {
    /// Learns from the first half of readings that are `apart` from each other, under full work all the time, and
    /// foretells the second half in one go.
    pub fn halves(values: &[f64], apart: Duration) -> Result<Self, ThermalError> {
        let seen = values.iter().map(|value| Observation::value(*value)).collect::<Result<Vec<_>, _>>()?;
        let (learn, rest) = seen.split_at(seen.len() / 2);
        let (Some(last), false) = (learn.last(), rest.is_empty()) else {
            return Err(ThermalError::TooShort { values: values.len() });
        };
        let mut model = ThermalModel::<U>::new();
        let mut at = Duration::ZERO;
        for observation in learn {
            at += apart;
            model.observe(Now { mono: Moment::after_start(at), wall: at }, *observation);
        }
        let mut points = Vec::with_capacity(rest.len());
        let mut horizon = Duration::ZERO;
        for observation in rest {
            horizon += apart;
            if let Some(foretold) = model.forecast(horizon) {
                points.push(Backtested { came: observation.high(), foretold });
            }
        }
        let count = points.len() as f64;
        let root_mean =
            |error: &dyn Fn(&Backtested<U>) -> f64| (points.iter().map(error).sum::<f64>() / count).sqrt();
        let inside =
            |point: &&Backtested<U>| (point.foretold.low..=point.foretold.high).contains(&point.came);
        Ok(Self {
            rmse: root_mean(&|point| (point.came - point.foretold.mean).powi(2)),
            last_value_rmse: root_mean(&|point| (point.came - last.high()).powi(2)),
            band_coverage: points.iter().filter(inside).count() as f64 / count,
            points,
        })
    }
}
