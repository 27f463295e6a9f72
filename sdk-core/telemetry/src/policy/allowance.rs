//! What is allowed now, and why.

use std::fmt;

use serde::Serialize;

/// What the phone may do now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Allowance {
    /// 0 to 1: how much of the device work may use.
    pub share: f64,
    /// Whether new work may be taken. A node that may not stops offering itself *before* it would be picked.
    pub admit: bool,
    /// The most bytes that work may use, if the owner set a cap.
    pub memory: Option<u64>,
    /// Every rule that says no, does not know, or takes a part of the share away; in the order of [`Rule`].
    pub reasons: Vec<Reason>,
}

impl Allowance {
    /// All reasons in one line: "the battery is at 15%, 20% is asked for; it is not known whether ...".
    pub fn sentence(&self) -> String {
        if self.reasons.is_empty() {
            return "everything is allowed".into();
        }
        self.reasons.iter().map(|reason| reason.words.as_str()).collect::<Vec<_>>().join("; ")
    }
}

/// Something that the owner can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// [`only_while_charging`](super::Policy::only_while_charging).
    OnlyWhileCharging,
    /// [`min_battery`](super::Policy::min_battery).
    MinBattery,
    /// [`max_temperature`](super::Policy::max_temperature).
    MaxTemperature,
    /// [`max_thermal_status`](super::Policy::max_thermal_status).
    MaxThermalStatus,
    /// [`wifi_only`](super::Policy::wifi_only).
    WifiOnly,
    /// [`memory_cap`](super::Policy::memory_cap).
    MemoryCap,
    /// [`quiet_hours`](super::Policy::quiet_hours).
    QuietHours,
    /// [`foreground_only`](super::Policy::foreground_only).
    ForegroundOnly,
}

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Yes, with a part of the device.
    Limited,
    /// No.
    Denied,
    /// It cannot know, which is a no.
    Unknown,
}

/// One rule that matters now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// Which.
    pub rule: Rule,
    /// What it says.
    pub verdict: Verdict,
    /// The same for people.
    pub words: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
