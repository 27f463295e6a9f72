//! Where a device stands, in a form that can be compared with others.

use std::time::Duration;

use crate::{
    now::Moment,
    thermal::{Celsius, Forecast, Headroom, Levels},
};

use super::{Level, ThermalGovernor};

/// Where a device stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// How much it may work.
    pub level: Level,
    /// How close it is to its limit, 1 at the limit; `None` if no sensor ever told.
    pub closeness: Option<f64>,
    /// Whether a sensor told something in the last seconds.
    pub is_seen: bool,
    /// How long until its limit if the work goes on; `None` if it is not on its way there.
    pub time_to_limit: Option<Duration>,
    /// What its sensor will say, in its own unit; `None` if no sensor ever told.
    pub outlook: Option<Outlook>,
}

/// A forecast with its unit, for a list of devices that do not share one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outlook {
    /// In degrees.
    Celsius(Forecast<Celsius>),
    /// In headroom.
    Headroom(Forecast<Headroom>),
    /// In levels.
    Levels(Forecast<Levels>),
}

impl ThermalGovernor {
    /// Where the device stands, with a forecast so far ahead. For people and for the cluster: about once in some
    /// seconds, not on every tick.
    pub fn standing(&mut self, now: Moment, horizon: Duration) -> Standing {
        let times =
            [self.celsius.time_to_limit(), self.headroom.time_to_limit(), self.levels.time_to_limit()];
        // The finest unit that the device tells.
        let outlook = if let Some(forecast) = self.celsius.forecast(horizon) {
            Some(Outlook::Celsius(forecast))
        } else if let Some(forecast) = self.headroom.forecast(horizon) {
            Some(Outlook::Headroom(forecast))
        } else {
            self.levels.forecast(horizon).map(Outlook::Levels)
        };
        Standing {
            level: self.level,
            closeness: self.closeness(),
            is_seen: self.hears_any(now),
            time_to_limit: times.into_iter().flatten().min(),
            outlook,
        }
    }
}
