//! What counts as 1.

use serde::{Deserialize, Serialize};

use super::Candidate;

/// What counts as 1 in each part of a score; more than that counts as 1 too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Bytes of usable memory.
    pub memory: f64,
    /// Free operations a second.
    pub compute: f64,
    /// Bytes a second to the other members.
    pub bandwidth: f64,
    /// The round trip, in seconds, at which the network position is one half.
    pub round_trip: f64,
}

impl Default for Reference {
    /// A good desktop: 16 GiB free, 4 TFLOP/s free, gigabit links; half the network position at 10 ms.
    fn default() -> Self {
        Self {
            memory: (16u64 << 30) as f64,
            compute: 4e12,
            bandwidth: 125e6,
            round_trip: HALF_POSITION_SECONDS,
        }
    }
}

const HALF_POSITION_SECONDS: f64 = 0.010;

impl Reference {
    /// The best of these devices, part by part. Where none tells, the part is 0 and nobody gets anything for it.
    pub fn best_of(devices: &[Candidate]) -> Self {
        let best = |of: &dyn Fn(&Candidate) -> Option<f64>| {
            devices.iter().filter_map(of).filter(|value| value.is_finite()).fold(0.0, f64::max)
        };
        Self {
            memory: best(&|device| device.memory.get().map(|bytes| bytes as f64)),
            compute: best(&|device| device.free_compute().get()),
            bandwidth: best(&|device| device.bandwidth.get()),
            round_trip: HALF_POSITION_SECONDS,
        }
    }
}

/// `value` as a fraction of what counts as 1. Never divides by nothing.
pub(super) fn fraction(value: f64, of: f64) -> f64 {
    if of > 0.0 && value > 0.0 { (value / of).min(1.0) } else { 0.0 }
}
