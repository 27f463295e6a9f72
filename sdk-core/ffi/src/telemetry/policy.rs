//! What the owner allows, and what follows from it now.

use std::time::Duration;

use exo_telemetry::{policy, reading::ThermalStatus};

/// Something that the owner can ask for.
#[uniffi::remote(Enum)]
pub enum Rule {
    /// Work only while charging.
    OnlyWhileCharging,
    /// Work only above a battery level.
    MinBattery,
    /// Work only below a temperature.
    MaxTemperature,
    /// Work only up to a thermal status.
    MaxThermalStatus,
    /// Work only on Wi-Fi or a cable.
    WifiOnly,
    /// Use no more memory than this.
    MemoryCap,
    /// Do not work at these times.
    QuietHours,
    /// Work only while the app is on the screen.
    ForegroundOnly,
}

/// What a rule says.
#[uniffi::remote(Enum)]
pub enum RuleVerdict {
    /// Yes, with a part of the device.
    Limited,
    /// No.
    Denied,
    /// It cannot know, which is a no.
    Unknown,
}

use policy::{Rule, Verdict as RuleVerdict};

/// A time of day, by the owner's clock, at which the phone is left alone. It may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Record)]
pub struct QuietHours {
    /// The first quiet minute of the day, 0 to 1439.
    pub from: u16,
    /// The first minute that is not quiet any more.
    pub to: u16,
}

/// The rules. By default there are none, and everything is allowed.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Policy {
    /// Work only while the battery is being charged, or the device runs from the mains.
    #[uniffi(default = false)]
    pub only_while_charging: bool,
    /// Work only with at least this much in the battery, 0 to 1.
    #[uniffi(default = None)]
    pub min_battery: Option<f64>,
    /// Work only below this many degrees Celsius.
    #[uniffi(default = None)]
    pub max_temperature: Option<f64>,
    /// Work only up to this status.
    #[uniffi(default = None)]
    pub max_thermal_status: Option<ThermalStatus>,
    /// Work only on Wi-Fi or a cable, and not where bytes cost money.
    #[uniffi(default = false)]
    pub wifi_only: bool,
    /// Use at most this many bytes.
    #[uniffi(default = None)]
    pub memory_cap: Option<u64>,
    /// Do not work at these times.
    #[uniffi(default = None)]
    pub quiet_hours: Option<QuietHours>,
    /// Work only while the app is on the screen.
    #[uniffi(default = false)]
    pub foreground_only: bool,
    /// How long work may go on after a rule said no; 30 s if left out.
    #[uniffi(default = None)]
    pub drain: Option<Duration>,
    /// How long all rules must say yes before work begins again; 30 s if left out.
    #[uniffi(default = None)]
    pub settle: Option<Duration>,
}

impl From<Policy> for policy::Policy {
    fn from(asked: Policy) -> Self {
        let usual = Self::default();
        Self {
            only_while_charging: asked.only_while_charging,
            min_battery: asked.min_battery,
            max_temperature: asked.max_temperature,
            max_thermal_status: asked.max_thermal_status,
            wifi_only: asked.wifi_only,
            memory_cap: asked.memory_cap,
            quiet_hours: asked.quiet_hours.map(|QuietHours { from, to }| policy::QuietHours { from, to }),
            foreground_only: asked.foreground_only,
            drain: asked.drain.unwrap_or(usual.drain),
            settle: asked.settle.unwrap_or(usual.settle),
        }
    }
}

/// One rule that matters now.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Reason {
    /// Which.
    pub rule: Rule,
    /// What it says.
    pub verdict: RuleVerdict,
    /// The same for people.
    pub words: String,
}

/// What the phone may do now.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Allowance {
    /// 0 to 1: how much of the device work may use.
    pub share: f64,
    /// Whether new work may be taken.
    pub admit: bool,
    /// The most bytes that work may use, if the owner set a cap.
    pub memory: Option<u64>,
    /// Every rule that says no, does not know, or takes a part of the share away.
    pub reasons: Vec<Reason>,
    /// All reasons in one line.
    pub sentence: String,
}

impl From<&policy::Allowance> for Allowance {
    fn from(allowance: &policy::Allowance) -> Self {
        let told = |reason: &policy::Reason| Reason {
            rule: reason.rule,
            verdict: reason.verdict,
            words: reason.words.clone(),
        };
        Self {
            share: allowance.share,
            admit: allowance.admit,
            memory: allowance.memory,
            reasons: allowance.reasons.iter().map(told).collect(),
            sentence: allowance.sentence(),
        }
    }
}
