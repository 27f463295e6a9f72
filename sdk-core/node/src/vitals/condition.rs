//! How the device is, for its own app.

use exo_telemetry::{
    Readings,
    policy::{Allowance, State},
    thermal::Standing,
};

/// How the device is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// What the probe saw last. What was not looked at yet is unavailable.
    pub readings: Readings,
    /// What the owner's policy allows, and why not more.
    pub allowance: Allowance,
    /// Whether work is taken, drained or stopped.
    pub state: State,
    /// Where the heat stands, and where it is going.
    pub standing: Standing,
    /// Whether exo is offered a backend.
    pub offers: bool,
}

impl Condition {
    /// The part of the device that work may use now, by the policy and by the heat.
    pub fn share(&self) -> f64 {
        self.allowance.share.min(self.standing.level.duty())
    }
}

/// What our own work takes of the device.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// 0 to 1: the part of the allowed time in which the engine computes. While it is above 0, the heat is looked at
    /// twice a second.
    pub busy: f64,
    /// Bytes that it holds.
    pub memory: u64,
}
