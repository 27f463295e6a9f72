//! Each rule against the readings.

use super::{Allowance, DAY, Policy, Reason, Rule, Surroundings, Verdict};
use crate::reading::{NetworkKind, Reading};

/// Over so many degrees below the limit the share falls from 1 to 0.
const TAPER_CELSIUS: f64 = 5.0;
/// The share at the highest status that is allowed.
const AT_THE_LIMIT: f64 = 0.5;

/// How far from a limit a reading must be. Work that goes on needs no margin; work that begins again does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Margin {
    battery: f64,
    celsius: f64,
    /// Whether the highest status that is allowed is good enough.
    at_the_limit: bool,
}

impl Margin {
    pub(super) const NONE: Self = Self { battery: 0.0, celsius: 0.0, at_the_limit: true };
    pub(super) const TO_RESUME: Self = Self { battery: 0.05, celsius: TAPER_CELSIUS, at_the_limit: false };
}

/// One answer.
enum Answer {
    Yes,
    Limited(f64, String),
    No(String),
    Unknown(String),
}

use Answer::{Limited, No, Unknown, Yes};

impl Policy {
    /// What is allowed now, without regard to what was before.
    pub fn evaluate(&self, around: &Surroundings<'_>) -> Allowance {
        self.with_margin(around, Margin::NONE)
    }

    pub(super) fn with_margin(&self, around: &Surroundings<'_>, margin: Margin) -> Allowance {
        let answers = [
            (Rule::OnlyWhileCharging, self.charging(around)),
            (Rule::MinBattery, self.battery(around, margin)),
            (Rule::MaxTemperature, self.temperature(around, margin)),
            (Rule::MaxThermalStatus, self.status(around, margin)),
            (Rule::WifiOnly, self.wifi(around)),
            (Rule::MemoryCap, self.memory(around)),
            (Rule::QuietHours, self.quiet(around)),
            (Rule::ForegroundOnly, self.foreground(around)),
        ];
        let mut allowance =
            Allowance { share: 1.0, admit: true, memory: self.memory_cap, reasons: Vec::new() };
        for (rule, answer) in answers {
            let (share, verdict, words) = match answer {
                Yes => continue,
                Limited(share, words) => (share, Verdict::Limited, words),
                No(words) => (0.0, Verdict::Denied, words),
                Unknown(words) => (0.0, Verdict::Unknown, words),
            };
            allowance.share = allowance.share.min(share);
            allowance.reasons.push(Reason { rule, verdict, words });
        }
        allowance.admit = allowance.share > 0.0;
        allowance
    }

    fn charging(&self, around: &Surroundings<'_>) -> Answer {
        if !self.only_while_charging {
            return Yes;
        }
        let charging = &around.readings.battery.charging;
        match charging.get() {
            Some(true) => Yes,
            Some(false) => No("the phone is not being charged".into()),
            None => Unknown(unknown("whether the phone is being charged", charging)),
        }
    }

    fn battery(&self, around: &Surroundings<'_>, margin: Margin) -> Answer {
        let Some(least) = self.min_battery else { return Yes };
        // A margin must not ask for more than full.
        let least = if margin.battery > 0.0 { (least + margin.battery).min(1.0).max(least) } else { least };
        let level = around.readings.battery.level.clone().within(&(0.0..=1.0), "");
        match level.get() {
            Some(level) if level >= least => Yes,
            Some(level) => {
                No(format!("the battery is at {:.0}%, {:.0}% is asked for", level * 100.0, least * 100.0))
            }
            None => Unknown(unknown("how full the battery is", &level)),
        }
    }

    fn temperature(&self, around: &Surroundings<'_>, margin: Margin) -> Answer {
        let Some(limit) = self.max_temperature else { return Yes };
        let limit = limit - margin.celsius;
        let reading = around.readings.thermal.temperature.clone().within(&(-40.0..=150.0), " °C");
        let Some(celsius) = reading.get() else { return Unknown(unknown("how hot it is", &reading)) };
        let left = (limit - celsius) / TAPER_CELSIUS;
        // Written so that a limit which is no number says no.
        if left >= 1.0 || (left > 0.0 && margin.celsius > 0.0) {
            Yes
        } else if left > 0.0 {
            Limited(left, format!("it is {celsius:.1} °C, near the limit of {limit:.1} °C"))
        } else {
            No(format!("it is {celsius:.1} °C, below {limit:.1} °C is asked for"))
        }
    }

    fn status(&self, around: &Surroundings<'_>, margin: Margin) -> Answer {
        let Some(limit) = self.max_thermal_status else { return Yes };
        let reading = &around.readings.thermal.status;
        let Some(status) = reading.get() else { return Unknown(unknown("the thermal status", reading)) };
        let named = |status| format!("{status:?}").to_lowercase();
        // The lowest status is as good as it gets: there is nothing below it to wait for.
        let as_cool_as_can_be = status < limit || status == crate::reading::ThermalStatus::None;
        if as_cool_as_can_be {
            Yes
        } else if status == limit && margin.at_the_limit {
            Limited(AT_THE_LIMIT, format!("the thermal status is {}, the highest allowed", named(status)))
        } else {
            No(format!("the thermal status is {}, {} is the highest allowed", named(status), named(limit)))
        }
    }

    fn wifi(&self, around: &Surroundings<'_>) -> Answer {
        if !self.wifi_only {
            return Yes;
        }
        let network = &around.readings.network;
        match (network.kind.get(), network.metered.get()) {
            (Some(NetworkKind::Wifi | NetworkKind::Ethernet), Some(true)) => {
                No("this network costs money".into())
            }
            (Some(NetworkKind::Wifi | NetworkKind::Ethernet), _) => Yes,
            (Some(NetworkKind::Cellular), _) => No("the phone is on a mobile network".into()),
            (Some(NetworkKind::Other), _) => No("the network is neither Wi-Fi nor a cable".into()),
            (Some(NetworkKind::None), _) => No("there is no network".into()),
            (None, _) => Unknown(unknown("what carries the network", &network.kind)),
        }
    }

    fn memory(&self, around: &Surroundings<'_>) -> Answer {
        let Some(cap) = self.memory_cap else { return Yes };
        let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
        match around.memory_used {
            Some(used) if used < cap => Yes,
            Some(used) => No(format!("{:.2} GiB are in use, the cap is {:.2} GiB", gib(used), gib(cap))),
            None => Unknown("it is not known how much memory our work uses".into()),
        }
    }

    fn quiet(&self, around: &Surroundings<'_>) -> Answer {
        let Some(hours) = self.quiet_hours else { return Yes };
        match around.minute_of_day.filter(|minute| *minute < DAY) {
            Some(minute) if hours.contains(minute) => {
                No(format!("quiet hours are from {} to {}", clock(hours.from), clock(hours.to)))
            }
            Some(_) => Yes,
            None => Unknown("it is not known what time it is here".into()),
        }
    }

    fn foreground(&self, around: &Surroundings<'_>) -> Answer {
        match (self.foreground_only, around.foreground) {
            (false, _) | (true, Some(true)) => Yes,
            (true, Some(false)) => No("the app is in the background".into()),
            (true, None) => Unknown("it is not known whether the app is on the screen".into()),
        }
    }
}

fn unknown<T>(what: &str, reading: &Reading<T>) -> String {
    format!("it is not known {what} ({})", reading.why().unwrap_or("no reading"))
}

fn clock(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}
