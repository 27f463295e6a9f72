//! Vulkan's questions about the device, answered from [`physical_device`].
//!
//! Every function here is called by the loader with Vulkan's valid usage: pointers are to objects of the type
//! named, owned by the caller for the length of the call. "Valid usage" in a SAFETY line means that.

use std::{ffi::c_char, ptr};

use ash::vk;

use crate::physical_device;

/// Answers a question of the form "how many, and which": the number alone without `items`, and as many as
/// fit with it.
///
/// # Safety
/// `count` points to a number; `items` is null or has room for as many as it says.
pub(crate) unsafe fn list<T: Copy>(all: &[T], count: *mut u32, items: *mut T) -> vk::Result {
    // SAFETY: the caller's promise on `count`.
    let count = unsafe { &mut *count };
    if items.is_null() {
        *count = all.len() as u32;
        return vk::Result::SUCCESS;
    }
    let fit = all.len().min(*count as usize);
    // SAFETY: `fit` is at most the room that the caller promised and at most what `all` has.
    unsafe { ptr::copy_nonoverlapping(all.as_ptr(), items, fit) };
    *count = fit as u32;
    if fit < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
}

pub(crate) unsafe extern "system" fn instance_extensions(
    _layer: *const c_char,
    count: *mut u32,
    extensions: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: valid usage.
    unsafe { list(&[], count, extensions) }
}

pub(crate) unsafe extern "system" fn device_extensions(
    _device: vk::PhysicalDevice,
    _layer: *const c_char,
    count: *mut u32,
    extensions: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: valid usage.
    unsafe { list(&[], count, extensions) }
}

pub(crate) unsafe extern "system" fn properties(
    _device: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties,
) {
    // SAFETY: valid usage.
    unsafe { ptr::write(properties, physical_device::properties()) };
}

pub(crate) unsafe extern "system" fn properties2(
    _device: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    // SAFETY: valid usage.
    let properties = unsafe { &mut *properties };
    properties.properties = physical_device::properties();
    let mut next = properties.p_next.cast::<vk::BaseOutStructure<'_>>();
    while !next.is_null() {
        // SAFETY: valid usage: each link of the chain starts as `BaseOutStructure` does and is what its
        // type number says.
        unsafe {
            if (*next).s_type == vk::StructureType::PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES {
                physical_device::maintenance3(&mut *next.cast());
            }
            next = (*next).p_next.cast();
        }
    }
}

pub(crate) unsafe extern "system" fn features(
    _device: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures,
) {
    // SAFETY: valid usage.
    unsafe { ptr::write(features, vk::PhysicalDeviceFeatures::default()) };
}

/// Says no to everything; the structures behind stay as the caller zeroed them.
pub(crate) unsafe extern "system" fn features2(
    _device: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: valid usage.
    unsafe { (*features).features = vk::PhysicalDeviceFeatures::default() };
}

pub(crate) unsafe extern "system" fn queue_families(
    _device: vk::PhysicalDevice,
    count: *mut u32,
    families: *mut vk::QueueFamilyProperties,
) {
    // SAFETY: valid usage. The function has no way to tell the caller that some did not fit.
    let _ = unsafe { list(&[physical_device::queue_family()], count, families) };
}

pub(crate) unsafe extern "system" fn queue_families2(
    _device: vk::PhysicalDevice,
    count: *mut u32,
    families: *mut vk::QueueFamilyProperties2<'_>,
) {
    // SAFETY: valid usage. The caller's structures are changed in place, because their chains are the caller's.
    unsafe {
        if !families.is_null() && *count > 0 {
            (*families).queue_family_properties = physical_device::queue_family();
        }
        *count = 1;
    }
}

pub(crate) unsafe extern "system" fn memory(
    _device: vk::PhysicalDevice,
    memory: *mut vk::PhysicalDeviceMemoryProperties,
) {
    // SAFETY: valid usage.
    unsafe { ptr::write(memory, physical_device::memory()) };
}

pub(crate) unsafe extern "system" fn memory2(
    _device: vk::PhysicalDevice,
    memory: *mut vk::PhysicalDeviceMemoryProperties2<'_>,
) {
    // SAFETY: valid usage.
    unsafe { (*memory).memory_properties = physical_device::memory() };
}

pub(crate) unsafe extern "system" fn format(
    _device: vk::PhysicalDevice,
    _format: vk::Format,
    properties: *mut vk::FormatProperties,
) {
    // SAFETY: valid usage.
    unsafe { ptr::write(properties, vk::FormatProperties::default()) };
}

pub(crate) unsafe extern "system" fn image_format(
    _device: vk::PhysicalDevice,
    _format: vk::Format,
    _kind: vk::ImageType,
    _tiling: vk::ImageTiling,
    _usage: vk::ImageUsageFlags,
    _flags: vk::ImageCreateFlags,
    _properties: *mut vk::ImageFormatProperties,
) -> vk::Result {
    vk::Result::ERROR_FORMAT_NOT_SUPPORTED
}

pub(crate) unsafe extern "system" fn sparse_image_format(
    _device: vk::PhysicalDevice,
    _format: vk::Format,
    _kind: vk::ImageType,
    _samples: vk::SampleCountFlags,
    _usage: vk::ImageUsageFlags,
    _tiling: vk::ImageTiling,
    count: *mut u32,
    properties: *mut vk::SparseImageFormatProperties,
) {
    // SAFETY: valid usage.
    let _ = unsafe { list(&[], count, properties) };
}
