//! How this device is.

use std::time::Duration;

use exo_node::vitals;
use exo_telemetry::{
    policy,
    thermal::{self, Forecast, Level},
};

use super::{Allowance, Sample, samples};

/// How much a device may work, by its heat.
#[uniffi::remote(Enum)]
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

/// Whether work is taken, drained or stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Enum)]
pub enum WorkState {
    /// Work is taken and done.
    Working,
    /// No new work is taken; what is under way may finish.
    Draining,
    /// Nothing is done.
    Stopped,
}

/// What a forecast is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Enum)]
pub enum HeatUnit {
    /// Degrees.
    Celsius,
    /// Android's headroom.
    Headroom,
    /// Android's levels, from 0.
    Levels,
}

/// What the sensor will say.
#[derive(Debug, Clone, Copy, PartialEq, uniffi::Record)]
pub struct Outlook {
    /// In what.
    pub unit: HeatUnit,
    /// The best guess.
    pub mean: f64,
    /// One time in ten it will be below this.
    pub low: f64,
    /// One time in ten it will be above this.
    pub high: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// How far ahead.
    pub horizon: Duration,
}

/// Where the heat stands, and where it is going.
#[derive(Debug, Clone, Copy, PartialEq, uniffi::Record)]
pub struct Heat {
    /// How much the device may work.
    pub level: Level,
    /// How close it is to its limit, 1 at the limit; none if no sensor ever told.
    pub closeness: Option<f64>,
    /// Whether a sensor told something in the last seconds.
    pub is_seen: bool,
    /// How long until its limit if the work goes on; none if it is not on its way there.
    pub time_to_limit: Option<Duration>,
    /// What its sensor will say; none if no sensor ever told.
    pub outlook: Option<Outlook>,
}

/// How this device is.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Condition {
    /// What the probe saw last.
    pub readings: Vec<Sample>,
    /// What the owner's policy allows, and why not more.
    pub allowance: Allowance,
    /// Whether work is taken, drained or stopped.
    pub work: WorkState,
    /// Where the heat stands, and where it is going.
    pub heat: Heat,
    /// The part of the device that work may use now, by the policy and by the heat.
    pub share: f64,
    /// Whether exo is offered a backend.
    pub offers: bool,
}

impl From<&vitals::Condition> for Condition {
    fn from(condition: &vitals::Condition) -> Self {
        Self {
            readings: samples(&condition.readings),
            allowance: (&condition.allowance).into(),
            work: match condition.state {
                policy::State::Working => WorkState::Working,
                policy::State::Draining { .. } => WorkState::Draining,
                policy::State::Stopped => WorkState::Stopped,
            },
            heat: (&condition.standing).into(),
            share: condition.share(),
            offers: condition.offers,
        }
    }
}

impl From<&thermal::Standing> for Heat {
    fn from(standing: &thermal::Standing) -> Self {
        Self {
            level: standing.level,
            closeness: standing.closeness,
            is_seen: standing.is_seen,
            time_to_limit: standing.time_to_limit,
            outlook: standing.outlook.as_ref().map(Outlook::from),
        }
    }
}

impl From<&thermal::Outlook> for Outlook {
    fn from(outlook: &thermal::Outlook) -> Self {
        match outlook {
            thermal::Outlook::Celsius(forecast) => forecasting(HeatUnit::Celsius, forecast),
            thermal::Outlook::Headroom(forecast) => forecasting(HeatUnit::Headroom, forecast),
            thermal::Outlook::Levels(forecast) => forecasting(HeatUnit::Levels, forecast),
        }
    }
}

fn forecasting<U>(unit: HeatUnit, forecast: &Forecast<U>) -> Outlook {
    let Forecast { mean, low, high, confidence, horizon, .. } = *forecast;
    Outlook { unit, mean, low, high, confidence, horizon }
}
