//! Which device extensions are there, of those that we know how to use.

use std::{collections::HashSet, ffi::CStr};

use ash::{amd, arm, ext, khr, nv, vk};

/// The extensions that a device lists and we know.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // A list: each one is independent and named.
pub(super) struct Extensions {
    pub(super) timeline_semaphore: bool,
    pub(super) memory_budget: bool,
    pub(super) driver_properties: bool,
    pub(super) storage_8bit: bool,
    pub(super) float16_int8: bool,
    pub(super) dot_product: bool,
    pub(super) maintenance4: bool,
    pub(super) amd_core_properties: bool,
    pub(super) amd_core_properties2: bool,
    pub(super) arm_core_builtins: bool,
    pub(super) nv_sm_builtins: bool,
}

impl Extensions {
    /// Reads the list of `device`; an unreadable one counts as empty.
    pub(super) fn of(instance: &ash::Instance, device: vk::PhysicalDevice) -> Self {
        // SAFETY: `device` was enumerated from `instance`; a query.
        let listed = unsafe { instance.enumerate_device_extension_properties(device) }.unwrap_or_default();
        let names: HashSet<&CStr> = listed.iter().filter_map(|e| e.extension_name_as_c_str().ok()).collect();
        Self {
            timeline_semaphore: names.contains(khr::timeline_semaphore::NAME),
            memory_budget: names.contains(ext::memory_budget::NAME),
            driver_properties: names.contains(khr::driver_properties::NAME),
            storage_8bit: names.contains(khr::_8bit_storage::NAME),
            float16_int8: names.contains(khr::shader_float16_int8::NAME),
            dot_product: names.contains(khr::shader_integer_dot_product::NAME),
            maintenance4: names.contains(khr::maintenance4::NAME),
            amd_core_properties: names.contains(amd::shader_core_properties::NAME),
            amd_core_properties2: names.contains(amd::shader_core_properties2::NAME),
            arm_core_builtins: names.contains(arm::shader_core_builtins::NAME),
            nv_sm_builtins: names.contains(nv::shader_sm_builtins::NAME),
        }
    }
}
