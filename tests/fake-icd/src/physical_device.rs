//! The device that the driver claims to have: a modest phone's, but for what [`Behaviour`] breaks.

use ash::vk;

use crate::behaviour::Behaviour;

/// The device's name.
const NAME: &std::ffi::CStr = c"Fake phone GPU";
const MEMORY_BYTES: u64 = 2 << 30;

pub(crate) fn properties() -> vk::PhysicalDeviceProperties {
    let chosen = Behaviour::chosen();
    let mut properties = vk::PhysicalDeviceProperties {
        api_version: if chosen == Behaviour::Vulkan10 { vk::API_VERSION_1_0 } else { vk::API_VERSION_1_1 },
        driver_version: 1,
        // The number that Khronos gives to drivers that are nobody's hardware: Mesa.
        vendor_id: vk::VendorId::MESA.as_raw() as u32,
        device_id: 1,
        device_type: vk::PhysicalDeviceType::INTEGRATED_GPU,
        limits: limits(if chosen == Behaviour::FewBindings { 4 } else { 16 }),
        ..Default::default()
    };
    for (to, from) in properties.device_name.iter_mut().zip(NAME.to_bytes_with_nul()) {
        *to = *from as std::ffi::c_char;
    }
    properties
}

/// The least that Vulkan allows, but for the number of storage buffers.
fn limits(storage_buffers: u32) -> vk::PhysicalDeviceLimits {
    vk::PhysicalDeviceLimits {
        max_storage_buffer_range: 1 << 27,
        max_uniform_buffer_range: 1 << 14,
        max_push_constants_size: 128,
        max_memory_allocation_count: 4096,
        max_bound_descriptor_sets: 4,
        max_per_stage_descriptor_storage_buffers: storage_buffers,
        max_per_stage_resources: 128,
        max_descriptor_set_storage_buffers: 24,
        max_compute_shared_memory_size: 16 << 10,
        max_compute_work_group_count: [65535; 3],
        max_compute_work_group_invocations: 128,
        max_compute_work_group_size: [128, 128, 64],
        min_memory_map_alignment: 64,
        min_storage_buffer_offset_alignment: 256,
        min_uniform_buffer_offset_alignment: 256,
        non_coherent_atom_size: 256,
        buffer_image_granularity: 1,
        timestamp_period: 1.0,
        ..Default::default()
    }
}

pub(crate) fn maintenance3(properties: &mut vk::PhysicalDeviceMaintenance3Properties<'_>) {
    properties.max_per_set_descriptors = 1024;
    properties.max_memory_allocation_size = MEMORY_BYTES / 2;
}

pub(crate) fn queue_family() -> vk::QueueFamilyProperties {
    let draws = vk::QueueFlags::GRAPHICS | vk::QueueFlags::TRANSFER;
    let computes = Behaviour::chosen() != Behaviour::NoComputeQueue;
    vk::QueueFamilyProperties {
        queue_flags: if computes { draws | vk::QueueFlags::COMPUTE } else { draws },
        queue_count: 1,
        timestamp_valid_bits: 0,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    }
}

pub(crate) fn memory() -> vk::PhysicalDeviceMemoryProperties {
    let mut memory = vk::PhysicalDeviceMemoryProperties {
        memory_type_count: 1,
        memory_heap_count: 1,
        ..Default::default()
    };
    memory.memory_heaps[0] = vk::MemoryHeap { size: MEMORY_BYTES, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    memory.memory_types[0] = vk::MemoryType {
        property_flags: vk::MemoryPropertyFlags::DEVICE_LOCAL
            | vk::MemoryPropertyFlags::HOST_VISIBLE
            | vk::MemoryPropertyFlags::HOST_COHERENT,
        heap_index: 0,
    };
    memory
}
