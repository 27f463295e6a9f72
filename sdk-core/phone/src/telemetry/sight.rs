//! What was seen, as plain data.

use exo_telemetry::{Readings, probe::Identity};
use serde::Serialize;

/// One look at the device, and what follows from all looks so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Sight {
    /// Seconds since the first look.
    pub(super) at_s: f64,
    pub(super) identity: Identity,
    pub(super) readings: Readings,
    /// `None` while the device tells nothing about its heat.
    pub(super) forecast: Option<Forecast>,
    /// What was measured before, oldest first; gaps are `None`. For the chart: a reader of JSON has seen it.
    #[serde(skip)]
    pub(super) past: Vec<Option<f64>>,
}

/// How warm the device will be if it goes on as now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Forecast {
    /// What the device tells: "celsius", "headroom" or "levels".
    pub(super) unit: &'static str,
    /// What stands behind a figure.
    #[serde(skip)]
    pub(super) suffix: &'static str,
    /// The reading from which it goes on.
    pub(super) now: f64,
    /// Soonest first.
    pub(super) points: Vec<Band>,
}

/// What will be at one time: four times in five between `low` and `high`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Band {
    pub(super) after_s: f64,
    pub(super) low: f64,
    pub(super) mean: f64,
    pub(super) high: f64,
}
