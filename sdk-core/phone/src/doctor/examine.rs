//! Asks the SDK, and fills the report.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use exo_gpu::{
    Calibration, CalibrationLimits, Device, DeviceDescription, Error, Gpu, MemoryReport, OpenOptions,
    SelfTestProgress, Speed,
};
use exo_telemetry::Timestamp;

use super::report::{Opened, Report, Telemetry};
use crate::capabilities::{capabilities, device_type, vendor};

/// Opens a device, tests it, and reports; failures are part of the report.
pub(super) fn examine(options: OpenOptions, progress: &mut dyn FnMut(SelfTestProgress)) -> Report {
    let start = Instant::now();
    let gpu = match Gpu::open(options) {
        Ok(gpu) => gpu,
        Err(error) => return refused(error),
    };
    let open_time = start.elapsed();
    let tested =
        gpu.device().self_test(progress).and_then(|kernels| Ok((kernels, gpu.device().memory_report()?)));
    let (opened, error) = match tested {
        Ok((kernels, memory)) => {
            let calibration = calibrate(gpu.device());
            let (device, health) = (gpu.device().description(), gpu.device().health());
            let telemetry = telemetry(&device, &memory, &calibration, now());
            let notes = gpu.registry_notes();
            (Some(Opened { device, open_time, memory, kernels, calibration, telemetry, health, notes }), None)
        }
        Err(error) => (None, Some(format!("the self-tests broke off: {error}"))),
    };
    let report = Report::new(gpu.devices().to_vec(), gpu.refusals().to_vec(), opened, error);
    gpu.device().close();
    report
}

/// Measures the device, after its kernels were tested. One that is lost meanwhile shows in its health.
///
/// Who asks the doctor waits anyway: more time than apps give, so that a busy machine gets its figures too.
fn calibrate(device: &Device) -> Calibration {
    let start = Instant::now();
    let limits = CalibrationLimits { time: Duration::from_secs(1), ..CalibrationLimits::default() };
    device.calibrate(limits).unwrap_or_else(|error| {
        let nothing = || Speed::Unavailable { why: error.to_string() };
        Calibration { compute: nothing(), memory: nothing(), decode: nothing(), elapsed: start.elapsed() }
    })
}

/// What a member would tell of the device.
pub(super) fn telemetry(
    device: &DeviceDescription,
    memory: &MemoryReport,
    calibration: &Calibration,
    at: Timestamp,
) -> Telemetry {
    Telemetry {
        vendor: vendor(device.vendor),
        device_type: device_type(device, std::env::consts::OS),
        capabilities: capabilities(device, memory, calibration, at),
    }
}

fn now() -> Timestamp {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into()
}

/// Nothing was opened. The reasons become refusals, which the report shows one by one.
fn refused(error: Error) -> Report {
    let message = error.to_string();
    match error {
        Error::NoDevice { refusals } => Report::new(
            Vec::new(),
            refusals,
            None,
            Some("no device could be opened; the reasons are above".into()),
        ),
        _ => Report::new(Vec::new(), Vec::new(), None, Some(message)),
    }
}

#[cfg(test)]
mod tests {
    use exo_gpu::BackendKind;

    use super::*;

    fn remembering_nothing(backend: BackendKind) -> OpenOptions {
        OpenOptions::new().remember_nothing().backend(backend)
    }

    #[test]
    fn the_cpu_passes_everywhere_and_reports_progress_to_the_end() {
        let mut last = None;
        let report =
            examine(remembering_nothing(BackendKind::Cpu), &mut |step| last = Some((step.done, step.total)));
        assert!(report.is_healthy(), "{report:?}");
        assert!(matches!(last, Some((done, total)) if done == total && total > 0), "{last:?}");
        let opened = report.opened.unwrap();
        assert!(opened.calibration.compute != opened.calibration.memory, "each has a figure or a reason");
    }

    #[test]
    fn a_backend_that_this_platform_lacks_is_refused_with_its_reason() {
        let foreign = if cfg!(target_vendor = "apple") { BackendKind::Vulkan } else { BackendKind::Metal };
        let report = examine(remembering_nothing(foreign), &mut |_| {});
        assert!(!report.is_healthy());
        assert!(report.opened.is_none());
        assert!(!report.refusals.is_empty(), "{report:?}");
    }
}
