//! What a GPU's description and its calibration mean in telemetry's words.
//!
//! `exo-gpu` and `exo-telemetry` do not know each other; this is where both are known. Nothing is invented on the way:
//! what was measured is *measured* with its time, what could not be is *unavailable* with the reason.

use std::time::{SystemTime, UNIX_EPOCH};

use exo_gpu::{
    BackendKind, Calibration, CalibrationLimits, ComputeUnits, DeviceDescription, DeviceKind, Error, Gpu,
    MemoryReport, OpenOptions, Speed, Vendor,
};
use exo_telemetry::{
    Reading, Timestamp,
    protocol::{DeviceCapabilities, DeviceType, Extra},
};

/// Opens the device that an app would get, measures it for a third of a second, and closes it.
pub(crate) fn measured() -> Result<DeviceCapabilities, Error> {
    let gpu = Gpu::open(OpenOptions::new())?;
    let device = gpu.device();
    let measured = device.calibrate(CalibrationLimits::default()).and_then(|calibration| {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into();
        Ok(capabilities(&device.description(), &device.memory_report()?, &calibration, at))
    });
    device.close();
    measured
}

/// What a device can do, as its registration tells it.
pub(crate) fn capabilities(
    device: &DeviceDescription,
    memory: &MemoryReport,
    calibration: &Calibration,
    at: Timestamp,
) -> DeviceCapabilities {
    DeviceCapabilities {
        memory_bytes: memory_bytes(device, memory, at).into(),
        compute_units: match &device.compute_units {
            ComputeUnits::Known { count, .. } => Reading::measured(*count, at),
            ComputeUnits::Unavailable { why } => Reading::unavailable(why.clone(), at),
        }
        .into(),
        peak_flops_per_s: speed(&calibration.compute, at).into(),
        memory_bytes_per_s: speed(&calibration.memory, at).into(),
        features: features(device),
        precisions: precisions(device),
        backends: backends(device.backend),
        extra: Extra::new(),
    }
}

/// What computes in the device, on the platform that [`std::env::consts::OS`] names.
pub(crate) fn device_type(device: &DeviceDescription, os: &str) -> DeviceType {
    match (os, device.vendor) {
        ("android", _) => DeviceType::MobileAndroid,
        ("ios", _) => DeviceType::MobileIos,
        ("macos", Vendor::Apple) => DeviceType::AppleSilicon,
        _ if matches!(device.kind, DeviceKind::Host | DeviceKind::Software) => DeviceType::Cpu,
        (_, Vendor::Nvidia) => DeviceType::Nvidia,
        (_, Vendor::Amd) => DeviceType::Amd,
        (_, Vendor::Intel) => DeviceType::Intel,
        _ => DeviceType::OtherGpu,
    }
}

/// Who made what computes, as people write it.
pub(crate) fn vendor(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Qualcomm => "Qualcomm",
        Vendor::Arm => "Arm",
        Vendor::Samsung => "Samsung",
        Vendor::Imagination => "Imagination",
        Vendor::Nvidia => "NVIDIA",
        Vendor::Amd => "AMD",
        Vendor::Intel => "Intel",
        Vendor::Apple => "Apple",
        Vendor::Mesa => "Mesa",
        Vendor::Other => "unknown",
    }
}

fn speed(speed: &Speed, at: Timestamp) -> Reading<f64> {
    match speed {
        Speed::Measured { per_second, .. } => Reading::measured(*per_second, at),
        Speed::Unavailable { why } => Reading::unavailable(why.clone(), at),
    }
}

/// What models may use at most: the system's word, and without one all that the device has.
fn memory_bytes(device: &DeviceDescription, memory: &MemoryReport, at: Timestamp) -> Reading<u64> {
    match (memory.budget, device.total_memory()) {
        (Some(budget), _) => Reading::measured(budget, at),
        (None, 0) => Reading::unavailable("neither a budget nor the size of the memory is known", at),
        (None, total) => Reading::estimated(total, "all memory of the device: no budget is told", at),
    }
}

fn features(device: &DeviceDescription) -> Vec<String> {
    let has = device.features;
    named(&[
        ("subgroups", has.subgroup_arithmetic),
        ("subgroup_shuffle", has.subgroup_shuffle),
        ("dot_product", has.dot_product),
        ("storage_8bit", has.storage_8bit),
        ("storage_16bit", has.storage_16bit),
        ("unified_memory", device.unified_memory),
    ])
}

fn precisions(device: &DeviceDescription) -> Vec<String> {
    named(&[("f32", true), ("f16", device.features.f16), ("i8", device.features.int8)])
}

/// The one that was opened, and the CPU that takes over when it fails.
fn backends(opened: BackendKind) -> Vec<String> {
    named(&[
        ("vulkan", opened == BackendKind::Vulkan),
        ("metal", opened == BackendKind::Metal),
        ("cpu", true),
    ])
}

fn named(all: &[(&str, bool)]) -> Vec<String> {
    all.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use exo_telemetry::{
        probe::Identity,
        protocol::{Body, DeviceId, DeviceRegistration, Message, VERSION},
    };

    use super::*;
    use crate::doctor::sample;

    const NOW: Timestamp = Timestamp(1_767_225_600_000);

    fn told(calibration: &Calibration) -> DeviceCapabilities {
        capabilities(&sample::device(), &sample::memory(), calibration, NOW)
    }

    #[test]
    fn what_was_measured_is_measured_at_its_time() {
        let told = told(&sample::calibration());
        assert_eq!(told.peak_flops_per_s.reading, Reading::measured(1.15e12, NOW));
        assert_eq!(told.memory_bytes_per_s.reading, Reading::measured(4.2e10, NOW));
        assert_eq!(told.memory_bytes.reading, Reading::measured(3 << 30, NOW));
    }

    #[test]
    fn what_could_not_be_measured_keeps_its_reason_and_is_never_zero() {
        let calibration =
            Calibration { compute: Speed::Unavailable { why: "too hot".into() }, ..sample::calibration() };
        let told = told(&calibration);
        assert_eq!(told.peak_flops_per_s.reading, Reading::unavailable("too hot", NOW));
        assert_eq!(told.compute_units.reading, Reading::unavailable("the driver does not say", NOW));
    }

    #[test]
    fn without_a_budget_the_memory_is_an_estimate_and_without_a_size_it_is_unavailable() {
        let memory = MemoryReport { budget: None, ..sample::memory() };
        let mut device = sample::device();
        let of = |device: &DeviceDescription| memory_bytes(device, &memory, NOW);
        assert!(matches!(of(&device), Reading::Estimated { value, .. } if value == 7 << 30));
        device.heaps.clear();
        assert_eq!(of(&device).get(), None);
    }

    #[test]
    fn features_precisions_and_backends_are_those_that_the_device_has() {
        let told = told(&sample::calibration());
        assert_eq!(told.features, ["subgroups", "unified_memory"]);
        assert_eq!(told.precisions, ["f32", "i8"]);
        assert_eq!(told.backends, ["vulkan", "cpu"]);
        assert_eq!(backends(BackendKind::Cpu), ["cpu"]);
    }

    #[test]
    fn a_phone_is_a_phone_whatever_computes_and_software_is_a_processor() {
        let mut device = sample::device();
        assert_eq!(device_type(&device, "android"), DeviceType::MobileAndroid);
        assert_eq!(device_type(&device, "linux"), DeviceType::OtherGpu);
        device.vendor = Vendor::Nvidia;
        assert_eq!(device_type(&device, "linux"), DeviceType::Nvidia);
        device.vendor = Vendor::Apple;
        assert_eq!(device_type(&device, "macos"), DeviceType::AppleSilicon);
        device.vendor = Vendor::Mesa;
        device.kind = DeviceKind::Software;
        assert_eq!(device_type(&device, "linux"), DeviceType::Cpu);
    }

    #[test]
    fn a_registration_with_them_is_read_as_it_was_said() {
        let identity = Identity {
            name: "Ada's Pixel".into(),
            model: "Pixel 9".into(),
            chip: "Tensor G4".into(),
            os_version: "Android 16".into(),
            os_build: "1".into(),
            vendor: vendor(Vendor::Arm).into(),
            device_type: DeviceType::MobileAndroid,
        };
        let id = DeviceId::new("pixel-9").unwrap();
        let told = DeviceRegistration::new(id, NOW, &identity, told(&sample::calibration()));
        let body = Body::Registration(Box::new(told));
        let message = Message { protocol: VERSION, run: 1, sequence: 0, body };
        assert_eq!(Message::parse(message.to_json().unwrap().as_bytes()).unwrap(), message);
    }
}
