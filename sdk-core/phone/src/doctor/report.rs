//! What the doctor found, as plain data: the JSON document and the source of every table.

use std::time::Duration;

use exo_gpu::{Calibration, DeviceDescription, Health, KernelReport, MemoryReport, Refusal};
use exo_telemetry::protocol::{DeviceCapabilities, DeviceType};
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
    /// Every kernel was tested and is trusted.
    Passed,
    /// At least one kernel gave wrong answers or could not be run; the CPU computes in its place.
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
    pub(super) memory: MemoryReport,
    /// The verdict on each kernel.
    pub(super) kernels: Vec<KernelReport>,
    /// What it can do, by a short run.
    pub(super) calibration: Calibration,
    /// What a member would tell of it.
    pub(super) telemetry: Telemetry,
    /// Whether the device is still the one that was opened.
    pub(super) health: Health,
    /// What the registry could not use or write.
    pub(super) notes: Vec<String>,
}

/// The part of a device's registration that is about what computes in it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Telemetry {
    /// Who made it.
    pub(super) vendor: &'static str,
    /// What it is.
    pub(super) device_type: DeviceType,
    /// What it can do.
    pub(super) capabilities: DeviceCapabilities,
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
    /// The kernels that gave wrong answers or could not be run.
    pub(super) fn distrusted(&self) -> impl Iterator<Item = &KernelReport> {
        self.kernels.iter().filter(|kernel| !kernel.verdict.is_trusted())
    }

    /// A device that was lost, or on which nothing was tested, proves nothing: it does not pass.
    fn outcome(&self) -> Outcome {
        if self.kernels.is_empty() || self.health != Health::Well {
            Outcome::Broken
        } else if self.distrusted().next().is_some() {
            Outcome::Failed
        } else {
            Outcome::Passed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;

    #[test]
    fn a_device_passes_when_every_kernel_is_trusted() {
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
    fn a_device_that_was_lost_during_its_tests_does_not_pass() {
        let mut opened = sample::opened();
        opened.health = Health::Replaced { reason: "it hung".into() };
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
    fn the_json_document_tells_what_was_measured_and_how() {
        let json = serde_json::to_value(sample::healthy()).unwrap();
        let opened = &json["opened"];
        assert_eq!(opened["calibration"]["compute"]["measured"]["per_second"], 1.15e12);
        assert_eq!(opened["calibration"]["compute"]["measured"]["samples"], 5);
        assert_eq!(opened["calibration"]["decode"]["unavailable"]["why"], sample::NO_DECODE);
        assert_eq!(opened["telemetry"]["capabilities"]["peak_flops_per_s"]["source"], "measured");
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
