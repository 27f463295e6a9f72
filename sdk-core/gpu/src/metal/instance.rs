//! Everything up to the list of devices.

use objc2::{rc::Retained, rc::autoreleasepool, runtime::ProtocolObject};
use objc2_foundation::NSProcessInfo;
use objc2_metal::{MTLCopyAllDevices, MTLDevice, MTLGPUFamily, MTLSize};

use super::{
    budget,
    describe::{self, Facts, Families, System},
};
use crate::{DeviceDescription, OpenOptions};

/// The families of Apple's own GPUs, by number.
const APPLE_FAMILIES: [MTLGPUFamily; 10] = [
    MTLGPUFamily::Apple1,
    MTLGPUFamily::Apple2,
    MTLGPUFamily::Apple3,
    MTLGPUFamily::Apple4,
    MTLGPUFamily::Apple5,
    MTLGPUFamily::Apple6,
    MTLGPUFamily::Apple7,
    MTLGPUFamily::Apple8,
    MTLGPUFamily::Apple9,
    MTLGPUFamily::Apple10,
];

/// What Metal needs before it shows its devices: a system that is new enough.
#[derive(Clone)]
pub(crate) struct Instance {
    system: System,
}

/// One of the system's devices.
#[derive(Clone)]
pub(crate) struct DeviceHandle(pub(super) Retained<ProtocolObject<dyn MTLDevice>>);

/// Looks at the system, or says why Metal cannot be used on it.
pub(crate) fn open_instance(options: &OpenOptions) -> Result<Instance, String> {
    let _ = options; // Metal's validation is chosen when the process starts, see the module's documentation.
    let system = autoreleasepool(|_| {
        let process = NSProcessInfo::processInfo();
        let version = process.operatingSystemVersion();
        System {
            name: if cfg!(target_os = "macos") { "macOS" } else { "iOS" },
            version: [version.majorVersion, version.minorVersion, version.patchVersion]
                .map(|part| u32::try_from(part).unwrap_or(0)),
            build: describe::build_of(&process.operatingSystemVersionString().to_string()),
            memory_bytes: process.physicalMemory(),
        }
    });
    match describe::refusal_of(&system) {
        Some(reason) => Err(reason),
        None => Ok(Instance { system }),
    }
}

impl Instance {
    /// Every device with what it is. On iOS there is one, on old Macs there may be several.
    pub(crate) fn devices(&self) -> Result<Vec<(DeviceDescription, DeviceHandle)>, String> {
        // Unlike `MTLCreateSystemDefaultDevice`, this wakes no second GPU on a Mac and needs no CoreGraphics.
        let devices = autoreleasepool(|_| MTLCopyAllDevices().to_vec());
        if devices.is_empty() {
            return Err(if cfg!(target_abi = "sim") {
                "this simulator has no GPU; run it on a Mac with Metal, or use a phone".into()
            } else {
                "Metal shows no GPU (a virtual machine without one, or a session that may not use it)".into()
            });
        }
        Ok(devices.into_iter().map(|device| (self.describe(&device), DeviceHandle(device))).collect())
    }

    /// What a device is.
    pub(super) fn describe(&self, device: &ProtocolObject<dyn MTLDevice>) -> DeviceDescription {
        autoreleasepool(|_| describe::describe(&facts_of(device), &self.system))
    }
}

fn facts_of(device: &ProtocolObject<dyn MTLDevice>) -> Facts {
    let MTLSize { width, height, depth } = device.maxThreadsPerThreadgroup();
    Facts {
        name: device.name().to_string(),
        families: families_of(device),
        has_unified_memory: device.hasUnifiedMemory(),
        is_simulator: cfg!(target_abi = "sim"),
        working_set_bytes: budget::working_set(device),
        max_buffer_bytes: device.maxBufferLength() as u64,
        max_threads: [width, height, depth].map(|threads| threads as u64),
        threadgroup_memory_bytes: device.maxThreadgroupMemoryLength() as u64,
    }
}

fn families_of(device: &ProtocolObject<dyn MTLDevice>) -> Families {
    let highest = APPLE_FAMILIES.iter().rposition(|&family| device.supportsFamily(family));
    Families {
        apple: highest.map_or(0, |index| index as u32 + 1),
        mac2: device.supportsFamily(MTLGPUFamily::Mac2),
        metal3: device.supportsFamily(MTLGPUFamily::Metal3),
        metal4: device.supportsFamily(MTLGPUFamily::Metal4),
    }
}
