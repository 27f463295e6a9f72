//! What the owner of the phone allows.
//!
//! A [`Policy`] is set by the app. With what the phone knows of itself ([`Surroundings`]) it gives an [`Allowance`]:
//! may new work be taken, and with what share of the device. [`PolicyKeeper`] does that on each reading and adds time:
//! work is *drained* before it is stopped, and a battery that stands at its threshold does not make a phone come and
//! go.
//!
//! ```text
//!                 a rule says no                  the deadline, or the work ended
//!   Working ───────────────────────> Draining ─────────────────────────────────> Stopped
//!      ^                                │                                           │
//!      └────────────────────────────────┴───────────────────────────────────────────┘
//!                 all rules say yes with a margin, for a while
//! ```
//!
//! What is not known counts as *no*, and the reason says so: a phone of which nobody knows whether it is being charged
//! may not work "only while charging".

mod allowance;
mod keeper;
mod rules;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use allowance::{Allowance, Reason, Rule, Verdict};
pub use keeper::{PolicyKeeper, State};

use crate::reading::{Readings, ThermalStatus};

/// Minutes of a day.
const DAY: u16 = 24 * 60;

/// The rules. By default there are none, and everything is allowed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Work only while the battery is being charged, or the device runs from the mains.
    pub only_while_charging: bool,
    /// Work only with at least this much in the battery, 0 to 1. It holds on the charger too: an owner who plugs an
    /// empty phone in wants it full.
    pub min_battery: Option<f64>,
    /// Work only below this many degrees Celsius. The share falls over the last 5 °C.
    pub max_temperature: Option<f64>,
    /// Work only up to this status; at it, with half of the device.
    pub max_thermal_status: Option<ThermalStatus>,
    /// Work only on Wi-Fi or a cable, and not where bytes cost money.
    pub wifi_only: bool,
    /// Use at most this many bytes.
    pub memory_cap: Option<u64>,
    /// Do not work at these times.
    pub quiet_hours: Option<QuietHours>,
    /// Work only while the app is on the screen.
    pub foreground_only: bool,
    /// How long work may go on after a rule said no: to finish, or to be handed to another device.
    #[serde(with = "seconds")]
    pub drain: Duration,
    /// How long all rules must say yes before work begins again.
    #[serde(with = "seconds")]
    pub settle: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            only_while_charging: false,
            min_battery: None,
            max_temperature: None,
            max_thermal_status: None,
            wifi_only: false,
            memory_cap: None,
            quiet_hours: None,
            foreground_only: false,
            drain: Duration::from_secs(30),
            settle: Duration::from_secs(30),
        }
    }
}

/// A time of day, by the owner's clock, at which the phone is left alone. It may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietHours {
    /// The first quiet minute of the day, 0 to 1439.
    pub from: u16,
    /// The first minute that is not quiet any more.
    pub to: u16,
}

impl QuietHours {
    /// Whether this minute of the day is quiet.
    pub const fn contains(self, minute: u16) -> bool {
        if self.from <= self.to {
            self.from <= minute && minute < self.to
        } else {
            minute >= self.from || minute < self.to
        }
    }
}

/// A policy that cannot be meant.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PolicyError {
    /// A battery level outside of 0 to 1.
    #[error("the least battery is {0}; it is a part of 1, so write 0.2 for 20%")]
    Battery(f64),
    /// No temperature at which a phone lives.
    #[error("the highest temperature is {0} °C; a limit between 0 and 120 °C is expected, such as 42")]
    Temperature(f64),
    /// A minute that no day has, or no minute at all.
    #[error(
        "quiet hours from minute {from} to {to}; expected are two different minutes of the day, 0 to 1439"
    )]
    QuietHours {
        /// The first quiet minute.
        from: u16,
        /// The first that is not.
        to: u16,
    },
    /// A cap under which nothing can run.
    #[error("the memory cap is 0 bytes; leave it out to set none, or turn the work off instead")]
    NoMemory,
}

impl Policy {
    /// Refuses what cannot be meant. A policy that was not checked is still safe: it allows less, never more.
    pub fn check(&self) -> Result<(), PolicyError> {
        if let Some(level) = self.min_battery.filter(|level| !(0.0..=1.0).contains(level)) {
            return Err(PolicyError::Battery(level));
        }
        if let Some(celsius) = self.max_temperature.filter(|celsius| !(0.0..=120.0).contains(celsius)) {
            return Err(PolicyError::Temperature(celsius));
        }
        if let Some(QuietHours { from, to }) = self.quiet_hours
            && (from == to || from >= DAY || to >= DAY)
        {
            return Err(PolicyError::QuietHours { from, to });
        }
        if self.memory_cap == Some(0) {
            return Err(PolicyError::NoMemory);
        }
        Ok(())
    }
}

/// What the rules are held against.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// What the device says of itself.
    pub readings: &'a Readings,
    /// Bytes that our work uses now.
    pub memory_used: Option<u64>,
    /// The minute of the day by the owner's clock, 0 to 1439.
    pub minute_of_day: Option<u16>,
    /// Whether the app is on the screen.
    pub foreground: Option<bool>,
}

/// Durations in a policy are seconds: that is what an app writes.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(value.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        Duration::try_from_secs_f64(seconds).map_err(|_| D::Error::custom("expected seconds, 0 or more"))
    }
}
