//! What a device is, for an app.

use exo_gpu::{BackendKind, ComputeUnits, DeviceDescription};

/// A device.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct GpuDevice {
    /// Its own name.
    pub name: String,
    /// Who drives it.
    pub backend: BackendKind,
    /// Who made it.
    pub vendor: String,
    /// How it sits in the machine: `integrated`, `discrete`, `virtual`, `software`, `host` or `other`.
    pub kind: String,
    /// The driver and its version.
    pub driver: String,
    /// The version of its interface.
    pub api_version: String,
    /// Bytes of its memory.
    pub memory_bytes: u64,
    /// What this process may use of them now, where the system says so.
    pub memory_budget: Option<u64>,
    /// How many compute units it has, where the driver says so.
    pub compute_units: Option<u32>,
    /// Who said so, or why nobody can.
    pub compute_units_note: String,
    /// Whether device and host share memory.
    pub unified_memory: bool,
    /// The largest buffer, in bytes.
    pub max_buffer_bytes: u64,
    /// What it can do beyond the floor: `f16`, `int8`, `dot_product` and so on.
    pub features: Vec<String>,
}

impl From<DeviceDescription> for GpuDevice {
    fn from(device: DeviceDescription) -> Self {
        let (compute_units, compute_units_note) = match &device.compute_units {
            ComputeUnits::Known { count, source } => (Some(*count), source.clone()),
            ComputeUnits::Unavailable { why } => (None, why.clone()),
        };
        Self {
            backend: device.backend,
            vendor: word(&device.vendor),
            kind: word(&device.kind),
            driver: format!("{} {}", device.driver.name, device.driver.version),
            api_version: device.api.to_string(),
            memory_bytes: device.total_memory(),
            memory_budget: device.memory_budget(),
            compute_units,
            compute_units_note,
            unified_memory: device.unified_memory,
            max_buffer_bytes: device.limits.max_buffer_bytes,
            features: features(&device),
            name: device.name,
        }
    }
}

/// The name of a variant as it is in JSON.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn features(device: &DeviceDescription) -> Vec<String> {
    let has = device.features;
    let all = [
        ("f16", has.f16),
        ("int8", has.int8),
        ("storage_8bit", has.storage_8bit),
        ("storage_16bit", has.storage_16bit),
        ("dot_product", has.dot_product),
        ("timeline_semaphores", has.timeline_semaphores),
        ("subgroup_arithmetic", has.subgroup_arithmetic),
        ("subgroup_shuffle", has.subgroup_shuffle),
        ("memory_budget", has.memory_budget),
    ];
    all.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect()
}
