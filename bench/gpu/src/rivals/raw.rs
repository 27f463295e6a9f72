//! Raw ash: the least that Vulkan asks for, written for one device and nothing else.
//!
//! It frees by hand at the end of each object's life and checks only what the driver returns. It is what an
//! engineer would write for one program, and therefore the limit for a library that serves them all.

use std::ffi::CStr;

use anyhow::{Context as _, Result};
use ash::vk;

/// An instance, a device and its compute queue.
pub struct Raw {
    pub(super) device: ash::Device,
    pub(super) queue: vk::Queue,
    pub(super) family: u32,
    memory_type: u32,
    instance: ash::Instance,
    /// As the driver calls it.
    pub name: String,
    /// The driver, with Mesa's version.
    pub driver: String,
    // The library must outlive every handle above.
    _entry: ash::Entry,
}

impl Raw {
    /// Loads Vulkan and opens the first device that has a compute queue.
    pub fn open() -> Result<Self> {
        // SAFETY: the system's loader is trusted to be a Vulkan loader; every create-info lives until its call
        // returns, and handles are used only while `entry`, `instance` and `device` are kept alive by `Self`.
        unsafe {
            let entry = ash::Entry::load().context("no Vulkan loader")?;
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&info, None).context("vkCreateInstance")?;
            let (physical, family) = instance
                .enumerate_physical_devices()?
                .into_iter()
                .find_map(|device| Some((device, compute_family(&instance, device)?)))
                .context("no device has a compute queue")?;
            let queues =
                [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let device = instance.create_device(physical, &info, None).context("vkCreateDevice")?;
            let queue = device.get_device_queue(family, 0);
            let memory_type =
                host_visible_type(&instance, physical).context("no memory that the host can map")?;
            let (name, driver) = names(&instance, physical);
            Ok(Self { device, queue, family, memory_type, instance, name, driver, _entry: entry })
        }
    }

    /// A storage buffer that stays mapped.
    pub fn buffer(&self, bytes: u64) -> Result<RawBuffer<'_>> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        // SAFETY: the device is open; memory is of a host-visible type, bound once and mapped whole.
        unsafe {
            let handle = self.device.create_buffer(&info, None)?;
            let needs = self.device.get_buffer_memory_requirements(handle);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(self.memory_type);
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_buffer_memory(handle, memory, 0)?;
            let mapped =
                self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast();
            Ok(RawBuffer { raw: self, handle, memory, mapped, bytes: bytes as usize })
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: buffers and kernels borrow `self`, so none is left; the queue is idle after the wait.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// A mapped buffer.
pub struct RawBuffer<'a> {
    raw: &'a Raw,
    pub(super) handle: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *mut u8,
    bytes: usize,
}

impl RawBuffer<'_> {
    /// A buffer's contents, while no work runs.
    pub fn floats(&mut self) -> &mut [f32] {
        // SAFETY: mapped whole at creation, aligned by the driver to far more than 4 bytes; `&mut self` keeps
        // other host access away, and kernels are waited for before they return.
        unsafe { std::slice::from_raw_parts_mut(self.mapped.cast(), self.bytes / 4) }
    }
}

impl Drop for RawBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: no work is in flight, because every dispatch is waited for before it returns.
        unsafe {
            self.raw.device.destroy_buffer(self.handle, None);
            self.raw.device.free_memory(self.memory, None);
        }
    }
}

fn compute_family(instance: &ash::Instance, device: vk::PhysicalDevice) -> Option<u32> {
    // SAFETY: `device` was just enumerated from `instance`.
    let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
    let index = families.iter().position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE))?;
    u32::try_from(index).ok()
}

fn host_visible_type(instance: &ash::Instance, device: vk::PhysicalDevice) -> Option<u32> {
    // SAFETY: `device` was just enumerated from `instance`.
    let memory = unsafe { instance.get_physical_device_memory_properties(device) };
    let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE
        | vk::MemoryPropertyFlags::HOST_COHERENT
        | vk::MemoryPropertyFlags::HOST_CACHED;
    let types = memory.memory_types_as_slice();
    types
        .iter()
        .position(|kind| kind.property_flags.contains(wanted))
        .and_then(|index| u32::try_from(index).ok())
}

fn names(instance: &ash::Instance, device: vk::PhysicalDevice) -> (String, String) {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: `device` was just enumerated from an instance of 1.2, whose chain of structures this is.
    unsafe { instance.get_physical_device_properties2(device, &mut properties) };
    let name = text(properties.properties.device_name_as_c_str());
    (name, format!("{} {}", text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str())))
}

fn text(bytes: Result<&CStr, std::ffi::FromBytesUntilNulError>) -> String {
    bytes.map_or_else(|_| "unnamed".into(), |name| name.to_string_lossy().into_owned())
}
