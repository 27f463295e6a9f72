//! What the doctor found, as plain data: the JSON document and the source of every table.

use std::time::Duration;

use exo_gpu::{DeviceDescription, Refusal};
use serde::Serialize;

/// The version of the JSON document; it changes when a field changes its meaning or goes away.
pub(super) const SCHEMA: u32 = 1;

/// One examination.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    /// [`SCHEMA`].
    pub(super) schema: u32,
    /// Our own version.
    pub(super) version: &'static str,
    /// In one word, for scripts.
    pub(super) outcome: Outcome,
    /// Every device that was seen, the best first.
    pub(super) devices: Vec<DeviceDescription>,
    /// What was passed over, and why.
    pub(super) refusals: Vec<Refusal>,
    /// The device that was opened, and what its tests said.
    pub(super) opened: Option<Opened>,
    /// Why nothing could be opened or tested.
    pub(super) error: Option<String>,
}

/// How the examination ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// Every kernel that the device can run was tested and trusted.
    Passed,
    /// At least one kernel gave wrong numbers; the CPU computes in its place.
    Failed,
    /// Nothing could be opened, or the tests could not be run to their end.
    Broken,
}

/// An opened device.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Opened {
    /// What it is.
    pub(super) device: DeviceDescription,
    /// How long opening took.
    pub(super) open_time: Duration,
    /// Memory after the tests.
    pub(super) memory: Memory,
    /// The verdict on each kernel.
    pub(super) kernels: Vec<Kernel>,
}

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Memory {
    /// In buffers that are alive.
    pub(super) used: u64,
    /// Taken from the system.
    pub(super) reserved: u64,
    /// The most that was ever used.
    pub(super) peak: u64,
    /// What the system lets us use, where it says so.
    pub(super) budget: Option<u64>,
}

/// The self-test of one kernel.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Kernel {
    /// Its name.
    pub(super) name: String,
    /// What the test said.
    pub(super) verdict: Verdict,
    /// The largest error that was seen.
    pub(super) worst_error: Option<f64>,
    /// The largest error that is allowed.
    pub(super) bound: f64,
    /// How long the test took.
    pub(super) elapsed: Duration,
}

/// What a self-test said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// Right on this device.
    Trusted,
    /// Wrong on this device: the CPU computes in its place.
    Wrong {
        /// What was seen.
        reason: String,
    },
    /// The device cannot run it; another variant or the CPU does.
    Unsupported {
        /// What is missing.
        why: String,
    },
}

impl Report {
    /// A report from what an examination found.
    pub(super) fn new(
        devices: Vec<DeviceDescription>,
        refusals: Vec<Refusal>,
        opened: Option<Opened>,
        error: Option<String>,
    ) -> Self {
        let outcome = match &opened {
            Some(opened) if error.is_none() => opened.outcome(),
            _ => Outcome::Broken,
        };
        Self { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), outcome, devices, refusals, opened, error }
    }

    /// Whether every self-test passed.
    pub(super) fn is_healthy(&self) -> bool {
        self.outcome == Outcome::Passed
    }
}

impl Opened {
    /// How many kernels were found right.
    pub(super) fn trusted(&self) -> usize {
        self.kernels.iter().filter(|kernel| kernel.verdict == Verdict::Trusted).count()
    }

    /// How many kernels were found wrong.
    pub(super) fn wrong(&self) -> usize {
        self.kernels.iter().filter(|kernel| matches!(kernel.verdict, Verdict::Wrong { .. })).count()
    }

    /// A device without a single trusted kernel proves nothing, so it does not pass.
    fn outcome(&self) -> Outcome {
        match (self.trusted(), self.wrong()) {
            (1.., 0) => Outcome::Passed,
            (0, 0) => Outcome::Broken,
            _ => Outcome::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;

    #[test]
    fn a_device_passes_when_every_kernel_that_it_can_run_is_trusted() {
        assert_eq!(sample::healthy().outcome, Outcome::Passed);
    }

    #[test]
    fn one_wrong_kernel_fails_the_examination() {
        assert_eq!(sample::one_kernel_lies().outcome, Outcome::Failed);
    }

    #[test]
    fn a_device_on_which_nothing_was_tested_does_not_pass() {
        let mut opened = sample::opened();
        opened.kernels.clear();
        let report = Report::new(Vec::new(), Vec::new(), Some(opened), None);
        assert_eq!(report.outcome, Outcome::Broken);
    }

    #[test]
    fn tests_that_broke_off_do_not_pass() {
        let report =
            Report::new(Vec::new(), Vec::new(), Some(sample::opened()), Some("the device was lost".into()));
        assert_eq!(report.outcome, Outcome::Broken);
    }

    #[test]
    fn the_json_document_tells_the_outcome_and_keeps_every_reason() {
        let json = serde_json::to_value(sample::one_kernel_lies()).unwrap();
        assert_eq!(json["outcome"], "failed");
        assert_eq!(json["schema"], SCHEMA);
        assert_eq!(json["refusals"][0]["reason"], sample::REFUSAL);
        assert_eq!(json["opened"]["kernels"][1]["verdict"]["wrong"]["reason"], sample::LIE);
    }
}
