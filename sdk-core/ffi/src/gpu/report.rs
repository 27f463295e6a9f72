//! What is said about a device: refusals, memory, kernels, speed.

use std::time::Duration;

use exo_gpu::BackendKind;

use crate::Result;

/// Why a backend, or one of its devices, was not used.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Refusal {
    /// The backend.
    pub backend: BackendKind,
    /// The device, where it came to that.
    pub device: Option<String>,
    /// The reason, for people.
    pub reason: String,
}

/// A device's memory at one moment, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Record)]
pub struct GpuMemory {
    /// In buffers.
    pub used: u64,
    /// Taken from the system, in use or kept for the next allocation.
    pub reserved: u64,
    /// The most that was ever in buffers at once.
    pub peak: u64,
    /// What may be used in all, where that is known.
    pub budget: Option<u64>,
}

impl From<exo_gpu::MemoryReport> for GpuMemory {
    fn from(report: exo_gpu::MemoryReport) -> Self {
        let exo_gpu::MemoryReport { used, reserved, peak, budget } = report;
        Self { used, reserved, peak, budget }
    }
}

/// What a self-test said of a kernel on this device.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Enum)]
pub enum Verdict {
    /// Its answers are right.
    Trusted,
    /// It gave a wrong answer; the CPU computes in its place.
    Wrong {
        /// What came and what was expected.
        reason: String,
    },
    /// It could not be run; the CPU computes in its place.
    Failed {
        /// What the driver said.
        reason: String,
    },
}

/// The outcome of one kernel's self-test.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct KernelReport {
    /// The kernel.
    pub kernel: String,
    /// What was found.
    pub verdict: Verdict,
    /// Largest error seen, as a part of the bound: 1 is the most that is trusted.
    pub worst_error: f64,
    /// How many cases were computed.
    pub cases: u32,
    /// How long they took.
    pub elapsed: Duration,
}

impl From<exo_gpu::KernelReport> for KernelReport {
    fn from(report: exo_gpu::KernelReport) -> Self {
        let verdict = match report.verdict {
            exo_gpu::Verdict::Trusted => Verdict::Trusted,
            exo_gpu::Verdict::Wrong { reason } => Verdict::Wrong { reason },
            exo_gpu::Verdict::Failed { reason } => Verdict::Failed { reason },
        };
        let exo_gpu::KernelReport { kernel, worst_error, cases, elapsed, .. } = report;
        Self { kernel, verdict, worst_error, cases, elapsed }
    }
}

/// How far a self-test has come.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct SelfTestProgress {
    /// Kernels that are done.
    pub done: u32,
    /// Kernels in all.
    pub total: u32,
    /// The one that comes next.
    pub kernel: String,
}

/// Hears how far a self-test has come.
#[uniffi::export(foreign)]
pub trait SelfTestListener: Send + Sync {
    /// One kernel more is done. What it throws is not heard.
    fn progressed(&self, progress: SelfTestProgress) -> Result<()>;
}

pub(super) fn tell(listener: Option<&dyn SelfTestListener>, now: exo_gpu::SelfTestProgress) {
    let exo_gpu::SelfTestProgress { done, total, kernel } = now;
    if let Some(listener) = listener {
        let _ = listener.progressed(SelfTestProgress { done: done as u32, total: total as u32, kernel });
    }
}

/// How fast a device does one thing.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Speed {
    /// Operations or bytes a second; none if it could not be measured.
    pub per_second: Option<f64>,
    /// What ran, or why it could not be measured.
    pub note: String,
}

impl From<exo_gpu::Speed> for Speed {
    fn from(speed: exo_gpu::Speed) -> Self {
        match speed {
            exo_gpu::Speed::Measured { what, per_second, .. } => {
                Self { per_second: Some(per_second), note: what.to_owned() }
            }
            exo_gpu::Speed::Unavailable { why } => Self { per_second: None, note: why },
        }
    }
}

/// What a device can do, as our kernels see it.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Calibration {
    /// Floating-point operations a second.
    pub compute: Speed,
    /// Bytes a second that kernels read from memory.
    pub memory: Speed,
    /// Bytes a second of 4-bit weights, as for each token.
    pub decode: Speed,
    /// How long all of it took.
    pub elapsed: Duration,
}

impl From<exo_gpu::Calibration> for Calibration {
    fn from(calibration: exo_gpu::Calibration) -> Self {
        let exo_gpu::Calibration { compute, memory, decode, elapsed } = calibration;
        Self { compute: compute.into(), memory: memory.into(), decode: decode.into(), elapsed }
    }
}
