//! What a device is, as plain data.
//!
//! A [`DeviceDescription`] is filled by a backend once, at open, from what the driver says; nothing in it is
//! guessed. Ranking ([`crate::rank`]), memory-type choice and kernel variants are pure functions over it, so a
//! description recorded from somebody's phone is enough to test what we would do there.

use serde::{Deserialize, Serialize};

/// Which implementation drives a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// Vulkan 1.1 or later through ash.
    Vulkan,
    /// Apple's Metal.
    Metal,
    /// SIMD and threads.
    Cpu,
}

impl std::fmt::Display for BackendKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::Cpu => "cpu",
        })
    }
}

/// Who made the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vendor {
    /// Qualcomm (Adreno).
    Qualcomm,
    /// Arm (Mali, Immortalis).
    Arm,
    /// Samsung (Xclipse).
    Samsung,
    /// Imagination (PowerVR).
    Imagination,
    /// NVIDIA.
    Nvidia,
    /// AMD.
    Amd,
    /// Intel.
    Intel,
    /// Apple.
    Apple,
    /// Mesa's software drivers.
    Mesa,
    /// Someone else; the number is in [`DeviceDescription::vendor_id`].
    Other,
}

impl Vendor {
    /// The vendor behind a PCI or Khronos vendor number, as Vulkan reports it.
    pub fn from_id(id: u32) -> Self {
        match id {
            0x5143 => Self::Qualcomm,
            0x13B5 => Self::Arm,
            0x144D => Self::Samsung,
            0x1010 => Self::Imagination,
            0x10DE => Self::Nvidia,
            0x1002 | 0x1022 => Self::Amd,
            0x8086 => Self::Intel,
            0x106B => Self::Apple,
            0x10005 => Self::Mesa,
            _ => Self::Other,
        }
    }
}

/// How the device sits in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A GPU that shares the machine's memory, as in every phone.
    Integrated,
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU passed through to a virtual machine.
    Virtual,
    /// A GPU driver that computes on the CPU (lavapipe, `SwiftShader`).
    Software,
    /// This crate's own CPU backend.
    Host,
    /// Unknown.
    Other,
}

/// A version as Vulkan writes it; Metal's family and the CPU's instruction sets are in the driver's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ApiVersion {
    /// Major.
    pub major: u32,
    /// Minor.
    pub minor: u32,
    /// Patch.
    pub patch: u32,
}

impl std::fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The software between us and the device. Verdicts and pipeline caches are void when it changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Driver {
    /// As the driver calls itself.
    pub name: String,
    /// Its version in its own spelling.
    pub version: String,
}

/// One pool of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heap {
    /// Size in bytes.
    pub bytes: u64,
    /// What this process may use now, where the system says so.
    pub budget: Option<u64>,
    /// Whether it is the device's own (on unified memory: the only one).
    pub device_local: bool,
}

/// One way to allocate from a heap, in Vulkan's terms; a single entry on Metal and the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // These are Vulkan's property flags, independent of each other.
pub struct MemoryType {
    /// Index into [`DeviceDescription::heaps`].
    pub heap: u32,
    /// Fast for the device.
    pub device_local: bool,
    /// The host can map it.
    pub host_visible: bool,
    /// No flush or invalidate is needed.
    pub host_coherent: bool,
    /// Host reads are fast.
    pub host_cached: bool,
}

/// What the device bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Largest buffer in bytes.
    pub max_buffer_bytes: u64,
    /// Largest range that one kernel argument may cover. Larger tensors are split.
    pub max_binding_bytes: u64,
    /// Kernel arguments start at multiples of this many bytes.
    pub binding_alignment: u64,
    /// Storage buffers that one kernel may take.
    pub max_bindings: u32,
    /// Bytes of constants that go with a dispatch.
    pub max_params_bytes: u32,
    /// Threads in one workgroup.
    pub max_workgroup_threads: u32,
    /// Threads in one workgroup, per axis.
    pub max_workgroup_size: [u32; 3],
    /// Workgroups in one dispatch, per axis.
    pub max_workgroups: [u32; 3],
    /// Memory that a workgroup shares.
    pub shared_memory_bytes: u32,
    /// Granularity of flushes on memory that is not coherent.
    pub flush_granularity: u64,
    /// Nanoseconds in one timestamp tick; `None` without timestamps.
    pub timestamp_period_ns: Option<f32>,
}

/// What the device can do beyond the floor. A `true` is the driver's word; kernels are tested all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // A feature list: each one is independent and named.
#[serde(default)]
pub struct Features {
    /// Arithmetic on 16-bit floats.
    pub f16: bool,
    /// Arithmetic on 8-bit integers.
    pub int8: bool,
    /// 8-bit values in storage buffers.
    pub storage_8bit: bool,
    /// 16-bit values in storage buffers.
    pub storage_16bit: bool,
    /// Packed 8-bit integer dot product in hardware.
    pub dot_product: bool,
    /// Timeline semaphores (else fences).
    pub timeline_semaphores: bool,
    /// Sums and broadcasts across a subgroup in compute.
    pub subgroup_arithmetic: bool,
    /// Shuffles across a subgroup in compute.
    pub subgroup_shuffle: bool,
    /// The system tells how much memory this process may use.
    pub memory_budget: bool,
}

/// How many compute units the device has, or why nobody can say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputeUnits {
    /// Counted by the driver.
    Known {
        /// Shader cores, compute units or multiprocessors, in the vendor's own sense.
        count: u32,
        /// The extension or call that said so.
        source: String,
    },
    /// Not to be had here.
    Unavailable {
        /// Why.
        why: String,
    },
}

/// Everything that we know about a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceDescription {
    /// Who drives it.
    pub backend: BackendKind,
    /// The device's own name.
    pub name: String,
    /// Who made it.
    pub vendor: Vendor,
    /// The vendor's number (0 on the CPU backend).
    pub vendor_id: u32,
    /// The vendor's number for the model (0 on Metal and the CPU backend).
    pub device_id: u32,
    /// How it sits in the machine.
    pub kind: DeviceKind,
    /// The driver.
    pub driver: Driver,
    /// The API version that the device offers.
    pub api: ApiVersion,
    /// The device's UUID in hexadecimal, where it has one.
    pub uuid: Option<String>,
    /// Pools of memory.
    pub heaps: Vec<Heap>,
    /// Ways to allocate from them.
    pub memory_types: Vec<MemoryType>,
    /// Whether device and host share memory, so that transfers need no staging.
    pub unified_memory: bool,
    /// Threads that run in lockstep; `None` where unknown.
    pub subgroup_size: Option<u32>,
    /// Bounds.
    pub limits: Limits,
    /// Abilities.
    pub features: Features,
    /// Compute units.
    pub compute_units: ComputeUnits,
    /// Whether it has a queue for compute.
    pub has_compute_queue: bool,
}

impl DeviceDescription {
    /// Total bytes of the memory that kernels should live in.
    pub fn total_memory(&self) -> u64 {
        self.heaps.iter().filter(|h| h.device_local).map(|h| h.bytes).sum()
    }

    /// What this process may use of it now, where the system says so.
    pub fn memory_budget(&self) -> Option<u64> {
        self.heaps.iter().filter(|h| h.device_local).map(|h| h.budget).sum()
    }
}
