//! From what Metal says about a device to what we say about it. Pure: no call to Metal is made here.
//!
//! What Metal does not say stays unknown. What every device of a family has is taken from Apple's "Metal Feature Set
//! Tables" (the PDF at developer.apple.com/metal), which is where the names of families come from.

use crate::{
    ApiVersion, BackendKind, ComputeUnits, DeviceDescription, DeviceKind, Driver, Features, Heap, Limits,
    MemoryType, Vendor,
};

/// Entries of the buffer argument table of a kernel; the last that we use holds the parameters.
const ARGUMENTS: u32 = 31;

/// `setBytes:length:atIndex:` is for "less than 4 KB" (Apple's documentation); our kernels take 128 bytes at most.
const MAX_PARAMS_BYTES: u32 = 4092;

/// Metal names no limit. This is the floor of Vulkan, which the kernels are tested with, and keeps thread indices
/// within 32 bits.
const MAX_WORKGROUPS: u32 = 65535;

/// Threads of a SIMD group on Apple's own GPUs: what `threadExecutionWidth` of any pipeline says there, as measured
/// by others (github.com/philipturner/metal-benchmarks).
const APPLE_SIMD_WIDTH: u32 = 32;

/// The operating system, which is the driver here: they come and change together.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// "iOS" or "macOS".
    pub(super) name: &'static str,
    pub(super) version: [u32; 3],
    /// Apple's build number, where it could be read.
    pub(super) build: Option<String>,
    /// Memory of the machine.
    pub(super) memory_bytes: u64,
}

/// The families that a device says it belongs to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Families {
    /// The highest of Apple1, Apple2, ...; 0 on a GPU that is not Apple's.
    pub(super) apple: u32,
    /// Macs of any maker.
    pub(super) mac2: bool,
    pub(super) metal3: bool,
    pub(super) metal4: bool,
}

/// What Metal says about a device.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) families: Families,
    pub(super) has_unified_memory: bool,
    pub(super) is_simulator: bool,
    /// `recommendedMaxWorkingSetSize`; `None` before iOS 16.
    pub(super) working_set_bytes: Option<u64>,
    pub(super) max_buffer_bytes: u64,
    /// Of a threadgroup, per axis.
    pub(super) max_threads: [u64; 3],
    pub(super) threadgroup_memory_bytes: u64,
}

/// The description of a device.
pub(super) fn describe(facts: &Facts, system: &System) -> DeviceDescription {
    let vendor = vendor_of(&facts.name);
    DeviceDescription {
        backend: BackendKind::Metal,
        name: facts.name.clone(),
        vendor,
        vendor_id: vendor_id(vendor),
        device_id: 0,
        kind: kind_of(facts),
        driver: driver_of(facts.families, system),
        api: api_of(facts.families),
        // Metal has none: `registryID` is good until the next restart only, and what we remember outlives that.
        uuid: None,
        heaps: vec![heap_of(facts, system)],
        memory_types: vec![MemoryType {
            heap: 0,
            device_local: true,
            host_visible: facts.has_unified_memory,
            host_coherent: facts.has_unified_memory,
            host_cached: facts.has_unified_memory,
        }],
        unified_memory: facts.has_unified_memory,
        subgroup_size: (facts.families.apple > 0).then_some(APPLE_SIMD_WIDTH),
        limits: limits_of(facts),
        features: features_of(facts),
        compute_units: ComputeUnits::Unavailable {
            why: "Metal does not tell how many cores a GPU has".into(),
        },
        has_compute_queue: true,
    }
}

/// Why this system is too old for us, if it is.
pub(super) fn refusal_of(system: &System) -> Option<String> {
    let floor = if system.name == "macOS" { 11 } else { 14 };
    let [major, minor, _] = system.version;
    (major < floor).then(|| {
        format!("this is {} {major}.{minor}; the kernels need Metal of {} {floor}", system.name, system.name)
    })
}

/// Apple's build number ("24B83") inside the text that a system shows for its version, whatever the language.
pub(super) fn build_of(version_text: &str) -> Option<String> {
    version_text.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| is_build(word)).map(String::from)
}

/// Digits, a capital, digits, and a small letter for betas.
fn is_build(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(number) = rest.strip_prefix(|c: char| c.is_ascii_uppercase()) else { return false };
    let tail = number.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < word.len()
        && tail.len() < number.len()
        && (tail.is_empty() || tail.len() == 1 && tail.chars().all(|c| c.is_ascii_lowercase()))
}

fn vendor_of(name: &str) -> Vendor {
    let is = |part: &str| name.contains(part);
    if is("Apple") {
        Vendor::Apple
    } else if is("AMD") || is("Radeon") {
        Vendor::Amd
    } else if is("Intel") {
        Vendor::Intel
    } else if is("NVIDIA") || is("GeForce") {
        Vendor::Nvidia
    } else {
        Vendor::Other
    }
}

/// The number that Vulkan would report; 0 where the vendor is not known.
fn vendor_id(vendor: Vendor) -> u32 {
    [0x106B, 0x1002, 0x8086, 0x10DE].into_iter().find(|&id| Vendor::from_id(id) == vendor).unwrap_or(0)
}

fn kind_of(facts: &Facts) -> DeviceKind {
    // A macOS guest sees the "Apple Paravirtual device".
    if facts.is_simulator || facts.name.contains("Paravirtual") {
        DeviceKind::Virtual
    } else if facts.has_unified_memory {
        DeviceKind::Integrated
    } else {
        DeviceKind::Discrete
    }
}

fn driver_of(families: Families, system: &System) -> Driver {
    let family = match families {
        Families { apple: 1.., .. } => format!("Apple{}", families.apple),
        Families { mac2: true, .. } => "Mac2".into(),
        _ => "of no known family".into(),
    };
    let [major, minor, patch] = system.version;
    let build = system.build.as_deref().map(|build| format!(" ({build})")).unwrap_or_default();
    Driver {
        name: format!("Metal {family}"),
        version: format!("{} {major}.{minor}.{patch}{build}", system.name),
    }
}

/// Metal 4 and Metal 3 are families of their own. Whatever is older is "Metal 2": the floor, iOS 14, has it.
fn api_of(families: Families) -> ApiVersion {
    let major = match families {
        Families { metal4: true, .. } => 4,
        Families { metal3: true, .. } => 3,
        _ => 2,
    };
    ApiVersion { major, minor: 0, patch: 0 }
}

/// Unified memory is the machine's. Of a card's own memory, Metal tells only how much is good to use.
fn heap_of(facts: &Facts, system: &System) -> Heap {
    let bytes = match facts.working_set_bytes {
        Some(bytes) if !facts.has_unified_memory => bytes,
        _ => system.memory_bytes,
    };
    Heap { bytes, budget: facts.working_set_bytes, device_local: true }
}

fn limits_of(facts: &Facts) -> Limits {
    let max_threads = facts.max_threads.map(clamped);
    Limits {
        max_buffer_bytes: facts.max_buffer_bytes,
        max_binding_bytes: facts.max_buffer_bytes,
        // Offsets are aligned to the type that a kernel reads, "always less than or equal to 16 bytes".
        binding_alignment: 16,
        max_bindings: ARGUMENTS - 1,
        max_params_bytes: MAX_PARAMS_BYTES,
        // Metal bounds the threads of a group by the width; each pipeline may bound them further.
        max_workgroup_threads: max_threads[0],
        max_workgroup_size: max_threads,
        max_workgroups: [MAX_WORKGROUPS; 3],
        shared_memory_bytes: clamped(facts.threadgroup_memory_bytes),
        flush_granularity: 1,
        // Times come in seconds, as a double; we hand them on in nanoseconds.
        timestamp_period_ns: Some(1.0),
    }
}

fn features_of(facts: &Facts) -> Features {
    let Families { apple, mac2, .. } = facts.families;
    Features {
        // 8- and 16-bit types are part of Metal's language on every device.
        f16: true,
        int8: true,
        storage_8bit: true,
        storage_16bit: true,
        dot_product: false,
        // Completion handlers take their place.
        timeline_semaphores: false,
        // "SIMD-scoped reduction operations" and "SIMD-scoped permute operations" in the tables.
        subgroup_arithmetic: apple >= 7 || mac2,
        subgroup_shuffle: apple >= 6 || mac2,
        memory_budget: facts.working_set_bytes.is_some(),
    }
}

fn clamped(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
