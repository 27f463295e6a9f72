//! From a `VkPhysicalDevice` to a [`DeviceDescription`]: the driver's words, put into ours. Nothing is invented.
//!
//! A device of Vulkan 1.0 is described with what 1.0 can say; opening it is refused elsewhere.

use ash::vk;

use super::extensions::Extensions;
use crate::{
    ApiVersion, BackendKind, ComputeUnits, DeviceDescription, DeviceKind, Driver, Features, Heap, Limits,
    MemoryType, Vendor,
    memory_type::{ANY_TYPE, Placement},
};

/// A description, and what opening needs beside it.
pub(super) struct Described {
    pub(super) description: DeviceDescription,
    /// The queue family that will do our work.
    pub(super) queue_family: Option<Family>,
    /// Whose pipeline caches this driver can read.
    pub(super) cache_identity: CacheIdentity,
}

/// What a pipeline cache is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CacheIdentity {
    pub(super) vendor: u32,
    pub(super) device: u32,
    pub(super) driver: u32,
    pub(super) uuid: [u8; vk::UUID_SIZE],
}

/// Asks the driver everything that we want to know about `device`.
pub(super) fn describe(instance: &ash::Instance, device: vk::PhysicalDevice) -> Described {
    // SAFETY: `device` was enumerated from `instance`; a query.
    let base = unsafe { instance.get_physical_device_properties(device) };
    let has_1_1 = base.api_version >= vk::API_VERSION_1_1;
    let extensions = if has_1_1 { Extensions::of(instance, device) } else { Extensions::default() };
    let more = if has_1_1 { More::ask(instance, device, extensions) } else { More::default() };
    let queue_family = compute_family(instance, device);
    let (heaps, memory_types) = memory_of(instance, device, extensions.memory_budget);

    let kind = kind(base.device_type);
    let limits = base.limits;
    let largest_heap = heaps.iter().filter(|h| h.device_local).map(|h| h.bytes).max().unwrap_or(0);
    let description = DeviceDescription {
        backend: BackendKind::Vulkan,
        name: base.device_name_as_c_str().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        vendor: Vendor::from_id(base.vendor_id),
        vendor_id: base.vendor_id,
        device_id: base.device_id,
        kind,
        driver: more.driver.unwrap_or_else(|| Driver {
            name: "not named by the driver".into(),
            version: driver_version(&base),
        }),
        api: version(base.api_version),
        uuid: more.uuid,
        unified_memory: Placement::choose(kind, &heaps, &memory_types, ANY_TYPE).is_some_and(|p| p.is_mapped),
        heaps,
        memory_types,
        subgroup_size: more.subgroup_size,
        limits: Limits {
            max_buffer_bytes: more.max_buffer_bytes.unwrap_or(u64::MAX).min(largest_heap),
            max_binding_bytes: u64::from(limits.max_storage_buffer_range),
            binding_alignment: limits.min_storage_buffer_offset_alignment,
            max_bindings: limits
                .max_per_stage_descriptor_storage_buffers
                .min(limits.max_descriptor_set_storage_buffers),
            max_params_bytes: limits.max_push_constants_size,
            max_workgroup_threads: limits.max_compute_work_group_invocations,
            max_workgroup_size: limits.max_compute_work_group_size,
            max_workgroups: limits.max_compute_work_group_count,
            shared_memory_bytes: limits.max_compute_shared_memory_size,
            flush_granularity: limits.non_coherent_atom_size,
            timestamp_period_ns: queue_family
                .is_some_and(|family| family.timestamp_bits > 0)
                .then_some(limits.timestamp_period),
        },
        features: more.features,
        compute_units: more.compute_units,
        has_compute_queue: queue_family.is_some(),
    };
    Described {
        cache_identity: CacheIdentity {
            vendor: base.vendor_id,
            device: base.device_id,
            driver: base.driver_version,
            uuid: base.pipeline_cache_uuid,
        },
        description,
        queue_family,
    }
}

/// What only Vulkan 1.1 and its extensions can say.
struct More {
    driver: Option<Driver>,
    uuid: Option<String>,
    subgroup_size: Option<u32>,
    max_buffer_bytes: Option<u64>,
    features: Features,
    compute_units: ComputeUnits,
}

impl Default for More {
    fn default() -> Self {
        Self {
            driver: None,
            uuid: None,
            subgroup_size: None,
            max_buffer_bytes: None,
            features: Features::default(),
            compute_units: ComputeUnits::Unavailable { why: "the device offers Vulkan 1.0 only".into() },
        }
    }
}

impl More {
    fn ask(instance: &ash::Instance, device: vk::PhysicalDevice, has: Extensions) -> Self {
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut maintenance3 = vk::PhysicalDeviceMaintenance3Properties::default();
        let mut maintenance4 = vk::PhysicalDeviceMaintenance4Properties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut dot = vk::PhysicalDeviceShaderIntegerDotProductProperties::default();
        let mut amd = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
        let mut amd2 = vk::PhysicalDeviceShaderCoreProperties2AMD::default();
        let mut arm = vk::PhysicalDeviceShaderCoreBuiltinsPropertiesARM::default();
        let mut nv = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
        // A structure may be asked for only where its extension is listed.
        let mut all = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut id)
            .push_next(&mut subgroup)
            .push_next(&mut maintenance3);
        if has.maintenance4 {
            all = all.push_next(&mut maintenance4);
        }
        if has.driver_properties {
            all = all.push_next(&mut driver);
        }
        if has.dot_product {
            all = all.push_next(&mut dot);
        }
        if has.amd_core_properties {
            all = all.push_next(&mut amd);
        }
        if has.amd_core_properties2 {
            all = all.push_next(&mut amd2);
        }
        if has.arm_core_builtins {
            all = all.push_next(&mut arm);
        }
        if has.nv_sm_builtins {
            all = all.push_next(&mut nv);
        }
        // SAFETY: `device` was enumerated from `instance`, both are 1.1; each chained structure is ours, is
        // allowed by 1.1 or by an extension listed above, and lives through the call.
        unsafe { instance.get_physical_device_properties2(device, &mut all) };
        let base = all.properties;

        let mut features = features(instance, device, has);
        features.dot_product &= dot.integer_dot_product4x8_bit_packed_signed_accelerated == vk::TRUE;
        let in_compute = subgroup.supported_stages.contains(vk::ShaderStageFlags::COMPUTE);
        let can = |operation| in_compute && subgroup.supported_operations.contains(operation);
        features.subgroup_arithmetic = can(vk::SubgroupFeatureFlags::ARITHMETIC);
        features.subgroup_shuffle = can(vk::SubgroupFeatureFlags::SHUFFLE);
        let largest_buffer = if has.maintenance4 { maintenance4.max_buffer_size } else { u64::MAX };
        Self {
            driver: has.driver_properties.then(|| driver_of(&driver, &driver_version(&base))),
            uuid: Some(hexadecimal(id.device_uuid)),
            subgroup_size: Some(subgroup.subgroup_size),
            max_buffer_bytes: Some(maintenance3.max_memory_allocation_size.min(largest_buffer)),
            features,
            compute_units: if has.amd_core_properties2 {
                known(amd2.active_compute_unit_count, "VK_AMD_shader_core_properties2")
            } else if has.amd_core_properties {
                let units = amd
                    .shader_engine_count
                    .saturating_mul(amd.shader_arrays_per_engine_count)
                    .saturating_mul(amd.compute_units_per_shader_array);
                known(units, "VK_AMD_shader_core_properties")
            } else if has.arm_core_builtins {
                known(arm.shader_core_count, "VK_ARM_shader_core_builtins")
            } else if has.nv_sm_builtins {
                known(nv.shader_sm_count, "VK_NV_shader_sm_builtins")
            } else {
                ComputeUnits::Unavailable { why: "the driver lists no extension that counts them".into() }
            },
        }
    }
}

fn known(count: u32, source: &str) -> ComputeUnits {
    if count == 0 {
        return ComputeUnits::Unavailable { why: format!("{source} says 0") };
    }
    ComputeUnits::Known { count, source: source.into() }
}

fn features(instance: &ash::Instance, device: vk::PhysicalDevice, has: Extensions) -> Features {
    let mut storage16 = vk::PhysicalDevice16BitStorageFeatures::default();
    let mut storage8 = vk::PhysicalDevice8BitStorageFeatures::default();
    let mut small = vk::PhysicalDeviceShaderFloat16Int8Features::default();
    let mut dot = vk::PhysicalDeviceShaderIntegerDotProductFeatures::default();
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut storage16);
    if has.storage_8bit {
        all = all.push_next(&mut storage8);
    }
    if has.float16_int8 {
        all = all.push_next(&mut small);
    }
    if has.dot_product {
        all = all.push_next(&mut dot);
    }
    if has.timeline_semaphore {
        all = all.push_next(&mut timeline);
    }
    // SAFETY: as for the properties: both sides are 1.1, each chained structure is ours, allowed and alive.
    unsafe { instance.get_physical_device_features2(device, &mut all) };
    Features {
        f16: small.shader_float16 == vk::TRUE,
        int8: small.shader_int8 == vk::TRUE,
        storage_8bit: storage8.storage_buffer8_bit_access == vk::TRUE,
        storage_16bit: storage16.storage_buffer16_bit_access == vk::TRUE,
        dot_product: dot.shader_integer_dot_product == vk::TRUE,
        timeline_semaphores: timeline.timeline_semaphore == vk::TRUE,
        memory_budget: has.memory_budget,
        ..Features::default()
    }
}

/// The driver's text where that begins with its version (Mesa, NVIDIA); else the number it reports, then the text:
/// Qualcomm's, say, is a list of build identifiers.
fn driver_of(driver: &vk::PhysicalDeviceDriverProperties<'_>, number: &str) -> Driver {
    let text =
        |text: Result<&std::ffi::CStr, _>| text.map(|t| t.to_string_lossy().into_owned()).unwrap_or_default();
    let info = text(driver.driver_info_as_c_str());
    let tells_version = info.starts_with("Mesa ") || info.starts_with(|c: char| c.is_ascii_digit());
    let version = if tells_version { info } else { format!("{number} {info}").trim_end().to_owned() };
    Driver { name: text(driver.driver_name_as_c_str()), version }
}

/// The driver's version number, in Vulkan's packing or the vendor's own.
fn driver_version(device: &vk::PhysicalDeviceProperties) -> String {
    let packed = device.driver_version;
    match Vendor::from_id(device.vendor_id) {
        Vendor::Nvidia => {
            format!("{}.{}.{}.{}", packed >> 22, packed >> 14 & 0xff, packed >> 6 & 0xff, packed & 0x3f)
        }
        _ => version(packed).to_string(),
    }
}

/// A queue family that computes.
#[derive(Clone, Copy)]
pub(super) struct Family {
    pub(super) index: u32,
    /// Bits of its timestamps; 0 without any.
    pub(super) timestamp_bits: u32,
}

/// The first family that computes: on phones the only one, elsewhere the best tested.
fn compute_family(instance: &ash::Instance, device: vk::PhysicalDevice) -> Option<Family> {
    // SAFETY: `device` was enumerated from `instance`; a query.
    let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
    families
        .iter()
        .position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE) && family.queue_count > 0)
        .and_then(|index| {
            let timestamp_bits = families.get(index)?.timestamp_valid_bits;
            Some(Family { index: index as u32, timestamp_bits })
        })
}

fn memory_of(
    instance: &ash::Instance,
    device: vk::PhysicalDevice,
    has_budget: bool,
) -> (Vec<Heap>, Vec<MemoryType>) {
    let (properties, budgets) = memory_properties(instance, device, has_budget);
    let heaps = properties
        .memory_heaps_as_slice()
        .iter()
        .enumerate()
        .map(|(index, heap)| Heap {
            bytes: heap.size,
            budget: budgets.and_then(|budgets| budgets.get(index).copied()),
            device_local: heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL),
        })
        .collect();
    let types = properties
        .memory_types_as_slice()
        .iter()
        .map(|kind| {
            let has = |flag| kind.property_flags.contains(flag);
            MemoryType {
                heap: kind.heap_index,
                device_local: has(vk::MemoryPropertyFlags::DEVICE_LOCAL),
                host_visible: has(vk::MemoryPropertyFlags::HOST_VISIBLE),
                host_coherent: has(vk::MemoryPropertyFlags::HOST_COHERENT),
                host_cached: has(vk::MemoryPropertyFlags::HOST_CACHED),
            }
        })
        .collect();
    (heaps, types)
}

/// The memory properties, and the budget of each heap where the system tells it.
pub(super) fn memory_properties(
    instance: &ash::Instance,
    device: vk::PhysicalDevice,
    has_budget: bool,
) -> (vk::PhysicalDeviceMemoryProperties, Option<[u64; vk::MAX_MEMORY_HEAPS]>) {
    if !has_budget {
        // SAFETY: `device` was enumerated from `instance`; a query.
        return (unsafe { instance.get_physical_device_memory_properties(device) }, None);
    }
    let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
    // SAFETY: the device is 1.1 and lists VK_EXT_memory_budget, or it would not say that it has budgets.
    unsafe { instance.get_physical_device_memory_properties2(device, &mut all) };
    (all.memory_properties, Some(budget.heap_budget))
}

fn kind(kind: vk::PhysicalDeviceType) -> DeviceKind {
    match kind {
        vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::Integrated,
        vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::Discrete,
        vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::Virtual,
        vk::PhysicalDeviceType::CPU => DeviceKind::Software,
        _ => DeviceKind::Other,
    }
}

/// A UUID as people write it, without the dashes.
pub(super) fn hexadecimal(uuid: [u8; vk::UUID_SIZE]) -> String {
    format!("{:032x}", u128::from_be_bytes(uuid))
}

fn version(version: u32) -> ApiVersion {
    ApiVersion {
        major: vk::api_version_major(version),
        minor: vk::api_version_minor(version),
        patch: vk::api_version_patch(version),
    }
}
