//! How often to look and to speak.
//!
//! | pace | when | a sign of life |
//! |---|---|---|
//! | shown | somebody looks at our screen | every second |
//! | mains | the device is charged, or has no battery | every 5 s |
//! | battery | it runs on its battery, or does not say | every 15 s |
//! | saving | its battery is low, or its owner asked it to save power | every minute |
//!
//! Looks come with signs of life, so that one wake-up serves both. Each group has its own number of beats between two
//! looks; a group in which nothing changes is looked at half as often, then a quarter.

use std::time::Duration;

use crate::{Readings, reading::Group};

/// Below this a battery is saved without being asked.
const LOW_BATTERY: f64 = 0.2;

/// How eager to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pace {
    /// Somebody looks at our screen.
    Shown,
    /// Power costs nothing.
    Mains,
    /// Power costs something.
    Battery,
    /// Power is short.
    Saving,
}

impl Pace {
    /// The pace that suits the device as it is. One that does not say how it is powered may be on its battery.
    pub fn of(readings: &Readings, shown: bool) -> Self {
        let battery = &readings.battery;
        let charged = battery.charging.get() == Some(true);
        let asked_to_save = battery.power_save.get() == Some(true);
        let low = !charged && battery.level.get().is_some_and(|level| level < LOW_BATTERY);
        match () {
            () if asked_to_save || low => Self::Saving,
            () if shown => Self::Shown,
            () if charged => Self::Mains,
            () => Self::Battery,
        }
    }

    /// The time from one sign of life to the next.
    pub const fn beat(self) -> Duration {
        Duration::from_secs(match self {
            Self::Shown => 1,
            Self::Mains => 5,
            Self::Battery => 15,
            Self::Saving => 60,
        })
    }

    /// The time from one look at a group to the next.
    pub const fn look(self, group: Group) -> Duration {
        let beats: [u64; 4] = match group {
            Group::Gpu | Group::Thermal => [1, 1, 1, 1],
            Group::Memory | Group::Cpu | Group::Power => [1, 1, 2, 1],
            Group::Battery | Group::Network => [5, 6, 4, 2],
            Group::Disk => [30, 12, 20, 10],
        };
        let beats = beats[self as usize];
        Duration::from_secs(self.beat().as_secs() * beats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reading, Timestamp};

    fn device(level: Option<f64>, charging: Option<bool>, saving: Option<bool>) -> Readings {
        let now = Timestamp(0);
        let mut readings = Readings::unavailable("not looked at", now);
        if let Some(level) = level {
            readings.battery.level = Reading::measured(level, now);
        }
        if let Some(charging) = charging {
            readings.battery.charging = Reading::measured(charging, now);
        }
        if let Some(saving) = saving {
            readings.battery.power_save = Reading::measured(saving, now);
        }
        readings
    }

    #[test]
    fn power_decides_the_pace_and_the_screen_hastens_it() {
        for (level, charging, saving, shown, pace) in [
            (Some(0.9), Some(true), None, false, Pace::Mains),
            (None, Some(true), None, false, Pace::Mains),
            (Some(0.9), Some(false), None, false, Pace::Battery),
            (None, None, None, false, Pace::Battery),
            (Some(0.1), Some(true), None, false, Pace::Mains),
            (Some(0.1), Some(false), None, false, Pace::Saving),
            (Some(0.9), Some(true), Some(true), false, Pace::Saving),
            (Some(0.9), Some(false), None, true, Pace::Shown),
            (Some(0.1), Some(false), None, true, Pace::Saving),
        ] {
            assert_eq!(Pace::of(&device(level, charging, saving), shown), pace, "{level:?} {charging:?}");
        }
    }

    #[test]
    fn who_has_less_power_looks_less_often_at_everything() {
        let paces = [Pace::Shown, Pace::Mains, Pace::Battery, Pace::Saving];
        assert!(paces.is_sorted_by_key(|pace| pace.beat()));
        for group in Group::ALL {
            assert!(paces.is_sorted_by_key(|pace| pace.look(group)), "{group:?}");
        }
    }
}
