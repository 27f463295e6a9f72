//! A Vulkan driver that breaks on purpose.
//!
//! The real Vulkan loader opens this library like any driver (an "installable client driver", ICD) and gets
//! what [`Behaviour`] says. So the tests of `exo-gpu` see what an app sees on a phone whose driver refuses,
//! hangs or is too old, through the same loader and the same calls. One behaviour breaks one thing: all else
//! about the device is what a modest phone has. No behaviour gets as far as a device that works.

mod answers;
mod behaviour;
mod physical_device;

use std::{
    ffi::{CStr, c_char},
    mem, ptr,
    thread::sleep,
};

use ash::vk;

use behaviour::HANG;
pub use behaviour::{Behaviour, VARIABLE};

/// What the loader expects in the first word of every handle that it dispatches on.
const LOADER_MAGIC: usize = 0x01CD_C0DE;
/// The loader interface that we speak: Vulkan 1.1 and later need 5.
const INTERFACE_VERSION: u32 = 5;

/// What stands behind a `VkInstance`. The loader overwrites both first words with its own tables.
#[repr(C)]
struct Instance {
    loader: usize,
    physical_device: PhysicalDevice,
}

/// What stands behind a `VkPhysicalDevice`.
#[repr(C)]
struct PhysicalDevice {
    loader: usize,
}

/// The loader's first question: which version of its interface do we speak?
///
/// # Safety
/// `version` points to a number that the loader owns, as the interface says.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    if Behaviour::chosen() == Behaviour::FailsToLoad {
        return vk::Result::ERROR_INCOMPATIBLE_DRIVER;
    }
    // SAFETY: the caller's promise above.
    unsafe { *version = (*version).min(INTERFACE_VERSION) };
    vk::Result::SUCCESS
}

/// The loader's way to every other function of ours.
///
/// # Safety
/// `name` is a string that ends in a zero byte, as Vulkan says.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    _instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's promise above.
    function(unsafe { CStr::from_ptr(name) })
}

/// Our functions by name.
fn function(name: &CStr) -> vk::PFN_vkVoidFunction {
    /// Checks a function against its Vulkan type, then forgets the type.
    macro_rules! erased {
        ($kind:ident, $function:expr) => {{
            let typed: vk::$kind = $function;
            // SAFETY: all function pointers have one size here, and the caller casts it back by its name.
            Some(unsafe { mem::transmute::<vk::$kind, unsafe extern "system" fn()>(typed) })
        }};
    }
    match name.to_bytes() {
        b"vkEnumerateInstanceVersion" => erased!(PFN_vkEnumerateInstanceVersion, instance_version),
        b"vkEnumerateInstanceExtensionProperties" => {
            erased!(PFN_vkEnumerateInstanceExtensionProperties, answers::instance_extensions)
        }
        b"vkCreateInstance" => erased!(PFN_vkCreateInstance, create_instance),
        b"vkDestroyInstance" => erased!(PFN_vkDestroyInstance, destroy_instance),
        b"vkEnumeratePhysicalDevices" => erased!(PFN_vkEnumeratePhysicalDevices, physical_devices),
        b"vkEnumerateDeviceExtensionProperties" => {
            erased!(PFN_vkEnumerateDeviceExtensionProperties, answers::device_extensions)
        }
        b"vkGetPhysicalDeviceProperties" => {
            erased!(PFN_vkGetPhysicalDeviceProperties, answers::properties)
        }
        b"vkGetPhysicalDeviceProperties2" => {
            erased!(PFN_vkGetPhysicalDeviceProperties2, answers::properties2)
        }
        b"vkGetPhysicalDeviceFeatures" => erased!(PFN_vkGetPhysicalDeviceFeatures, answers::features),
        b"vkGetPhysicalDeviceFeatures2" => erased!(PFN_vkGetPhysicalDeviceFeatures2, answers::features2),
        b"vkGetPhysicalDeviceQueueFamilyProperties" => {
            erased!(PFN_vkGetPhysicalDeviceQueueFamilyProperties, answers::queue_families)
        }
        b"vkGetPhysicalDeviceQueueFamilyProperties2" => {
            erased!(PFN_vkGetPhysicalDeviceQueueFamilyProperties2, answers::queue_families2)
        }
        b"vkGetPhysicalDeviceMemoryProperties" => {
            erased!(PFN_vkGetPhysicalDeviceMemoryProperties, answers::memory)
        }
        b"vkGetPhysicalDeviceMemoryProperties2" => {
            erased!(PFN_vkGetPhysicalDeviceMemoryProperties2, answers::memory2)
        }
        b"vkGetPhysicalDeviceFormatProperties" => {
            erased!(PFN_vkGetPhysicalDeviceFormatProperties, answers::format)
        }
        b"vkGetPhysicalDeviceImageFormatProperties" => {
            erased!(PFN_vkGetPhysicalDeviceImageFormatProperties, answers::image_format)
        }
        b"vkGetPhysicalDeviceSparseImageFormatProperties" => {
            erased!(PFN_vkGetPhysicalDeviceSparseImageFormatProperties, answers::sparse_image_format)
        }
        b"vkCreateDevice" => erased!(PFN_vkCreateDevice, create_device),
        b"vkGetDeviceProcAddr" => erased!(PFN_vkGetDeviceProcAddr, device_function),
        _ => None,
    }
}

unsafe extern "system" fn instance_version(version: *mut u32) -> vk::Result {
    // SAFETY: Vulkan's valid usage: the pointer is to a number of the caller's.
    unsafe { *version = vk::API_VERSION_1_3 };
    vk::Result::SUCCESS
}

unsafe extern "system" fn create_instance(
    _info: *const vk::InstanceCreateInfo<'_>,
    _allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    match Behaviour::chosen() {
        Behaviour::FailsInstance => return vk::Result::ERROR_INITIALIZATION_FAILED,
        Behaviour::Incompatible => return vk::Result::ERROR_INCOMPATIBLE_DRIVER,
        Behaviour::Hangs => {
            sleep(HANG);
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        _ => {}
    }
    let ours =
        Box::new(Instance { loader: LOADER_MAGIC, physical_device: PhysicalDevice { loader: LOADER_MAGIC } });
    // SAFETY: Vulkan's valid usage: the pointer is to a handle of the caller's. A handle is a pointer.
    unsafe { ptr::write(instance.cast::<*mut Instance>(), Box::into_raw(ours)) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    _allocator: *const vk::AllocationCallbacks<'_>,
) {
    let ours = vk::Handle::as_raw(instance) as *mut Instance;
    if !ours.is_null() {
        // SAFETY: `create_instance` made it with `Box::into_raw`, and the caller gives it back once.
        drop(unsafe { Box::from_raw(ours) });
    }
}

unsafe extern "system" fn physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    devices: *mut vk::PhysicalDevice,
) -> vk::Result {
    let ours = vk::Handle::as_raw(instance) as *mut Instance;
    // SAFETY: the handle is one of `create_instance`, alive until `destroy_instance`; the field is in it.
    let device = unsafe { &raw mut (*ours).physical_device };
    let handle: vk::PhysicalDevice = vk::Handle::from_raw(device as u64);
    let all: &[_] = if Behaviour::chosen() == Behaviour::NoDevices { &[] } else { &[handle] };
    // SAFETY: Vulkan's valid usage of `count` and `devices`, which is what `list` asks for.
    unsafe { answers::list(all, count, devices) }
}

unsafe extern "system" fn create_device(
    _physical_device: vk::PhysicalDevice,
    _info: *const vk::DeviceCreateInfo<'_>,
    _allocator: *const vk::AllocationCallbacks<'_>,
    _device: *mut vk::Device,
) -> vk::Result {
    if Behaviour::chosen() == Behaviour::HangsAtDevice {
        sleep(HANG);
    }
    vk::Result::ERROR_INITIALIZATION_FAILED
}

unsafe extern "system" fn device_function(
    _device: vk::Device,
    _name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    None
}
