//! What a GPU's description and its calibration mean in telemetry's words.
//!
//! `exo-gpu` and `exo-telemetry` do not know each other; this is where both are known. Nothing is invented on the way:
//! what was measured is *measured* with its time, what could not be is *unavailable* with the reason.

use std::time::{SystemTime, UNIX_EPOCH};

use exo_gpu::{
    BackendKind, Calibration, CalibrationLimits, ComputeUnits, Device, DeviceDescription, DeviceKind, Error,
    MemoryReport, Speed, Vendor,
};
use exo_telemetry::{
    Reading, Timestamp,
    protocol::{DeviceCapabilities, DeviceType, Extra},
};

/// Measures a device for a third of a second.
pub fn measured(device: &Device) -> Result<DeviceCapabilities, Error> {
    let calibration = device.calibrate(CalibrationLimits::default())?;
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into();
    Ok(capabilities(&device.description(), &device.memory_report()?, &calibration, at))
}

/// What a device can do, as its registration tells it.
pub fn capabilities(
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
pub fn device_type(device: &DeviceDescription, os: &str) -> DeviceType {
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
pub fn vendor(vendor: Vendor) -> &'static str {
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
