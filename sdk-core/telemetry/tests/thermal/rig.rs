//! A device whose physics is known to the digit, and time.

use std::time::Duration;

use exo_telemetry::{
    Now, Random, Reading, Readings,
    now::Moment,
    reading::{ThermalReadings, Timestamp},
};

pub(crate) fn at(since: Duration) -> Now {
    Now { mono: Moment::after_start(since), wall: since }
}

pub(crate) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn mins(minutes: u64) -> Duration {
    Duration::from_mins(minutes)
}

/// One store of heat: what the model must find out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Device {
    pub(crate) room: f64,
    pub(crate) rise: f64,
    pub(crate) minutes: f64,
    pub(crate) heat: f64,
}

impl Device {
    /// A device that has rested in its room.
    pub(crate) const fn rested(room: f64, rise: f64, minutes: f64) -> Self {
        Self { room, rise, minutes, heat: room }
    }

    pub(crate) fn work(&mut self, span: Duration, duty: f64) {
        self.heat = self.after(span, duty);
    }

    pub(crate) fn after(&self, span: Duration, duty: f64) -> f64 {
        let settles = self.room + self.rise * duty;
        settles + (self.heat - settles) * (-span.as_secs_f64() / 60.0 / self.minutes).exp()
    }
}

/// About normal, with a deviation of 1.
pub(crate) fn noise(random: &mut Random) -> f64 {
    (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0
}

pub(crate) fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.fraction()
}

/// A device that tells nothing.
pub(crate) fn silence(now: Now) -> ThermalReadings {
    Readings::unavailable("the sensor is asleep", Timestamp::from(now.wall)).thermal
}

/// A device that tells degrees only.
pub(crate) fn degrees(now: Now, celsius: f64) -> ThermalReadings {
    ThermalReadings { temperature: Reading::measured(celsius, Timestamp::from(now.wall)), ..silence(now) }
}
