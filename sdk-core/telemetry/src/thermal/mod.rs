//! Heat: forecast, then act.
//!
//! A phone under work warms up until its system slows it down. Whoever reacts to that has lost already: the slowdown
//! lasts for minutes. So each device gets a model that is learnt from its own readings
//! ([`ThermalModel`]), and a [`ThermalGovernor`] that eases the work before the limit is reached. [`Overview`] shows a
//! whole cluster.
//!
//! A device tells its heat in degrees, as Android's headroom, or by names. The unit is part of the type, and a
//! forecast has the unit of the readings: no degrees are invented for a phone that tells none.
//!
//! ```text
//!   reading ──> Observation ──> ThermalModel ──> Forecast ──> ThermalGovernor ──> Level ──> what the engine does
//! ```

mod backtest;
mod bank;
mod circuit;
mod error;
mod filter;
mod forecast;
pub mod governor;
mod model;
mod normal;
mod observation;
mod overview;
mod prior;
mod unit;

pub use backtest::{Backtest, Backtested};
pub use error::ThermalError;
pub use forecast::Forecast;
pub use governor::{GovernorConfig, Level, Limits, Measures, Outlook, Standing, TICK, ThermalGovernor};
pub use model::{Learnt, ThermalModel};
pub use observation::{LevelNames, Observation};
pub use overview::Overview;
pub use unit::{Celsius, Headroom, Levels, Unit};
