//! The opened device: the backend's side of the seam.

use std::sync::{Arc, OnceLock};

use ash::{khr, vk};

use super::{
    BINDINGS,
    command::{Argument, Commands},
    context::{Clock, Context},
    describe::{self, Described},
    instance::{DeviceHandle, Instance, refusal},
    memory::{self, Arena, Kind, VulkanMemory},
    pipeline::Pipelines,
    queue::Queue,
    staging::Staging,
};
use crate::{
    Buffer, DeviceDescription, Error, Features, OpenOptions, Result, Tensor,
    backend::{Action, BackendDevice, Memory, MemoryUse, Pending, Work},
    faults::Injector,
    lowering::{self, Dispatch, Profile},
    memory_type::Placement,
    op::Op,
};

/// A Vulkan device. Its parts are dropped in the order in which they stand here, after all work is done.
pub(super) struct VulkanDevice {
    staging: Staging,
    pipelines: Pipelines,
    arena: Arc<Arena>,
    /// For buffers that leave the device's own memory, where it has any.
    host_arena: Option<Arc<Arena>>,
    pub(super) queue: Arc<Queue>,
    placement: Placement,
    profile: Profile,
    description: DeviceDescription,
    pub(super) context: Arc<Context>,
}

/// Opens a device, or says why not.
pub(crate) fn open_device(
    instance: &Instance,
    device: &DeviceHandle,
    options: &OpenOptions,
) -> Result<Arc<dyn BackendDevice>, String> {
    open(instance, device, options).map(|device| Arc::new(device) as Arc<dyn BackendDevice>)
}

pub(super) fn open(
    instance: &Instance,
    &DeviceHandle(physical): &DeviceHandle,
    options: &OpenOptions,
) -> Result<VulkanDevice, String> {
    let Described { mut description, queue_family, cache_identity } =
        describe::describe(&instance.handle.raw, physical);
    let family = queue_family.ok_or("it has no compute queue")?;
    description.features.timeline_semaphores &= !options.without_timeline;
    if let Some(bytes) = options.max_binding_bytes {
        description.limits.max_binding_bytes = description.limits.max_binding_bytes.min(bytes);
    }
    let raw = create_device(&instance.handle.raw, physical, family.index, &description.features)
        .map_err(|e| refusal("vkCreateDevice", e))?;
    let timeline = description
        .features
        .timeline_semaphores
        .then(|| khr::timeline_semaphore::Device::new(&instance.handle.raw, &raw));
    let context = Arc::new(Context {
        raw,
        instance: Arc::clone(&instance.handle),
        physical,
        queue_family: family.index,
        timeline,
        timestamps: Clock::new(description.limits.timestamp_period_ns, family.timestamp_bits),
        injector: Injector::new(options),
        lost: OnceLock::new(),
    });
    let allowed = memory::types_of_buffers(&context).map_err(|e| e.to_string())?;
    let (heaps, types) = (&description.heaps, &description.memory_types);
    let placement = Placement::choose(description.kind, heaps, types, allowed)
        .ok_or("it offers no memory that the host can see")?;
    let placement = if options.without_unified_memory { placement.without_mapping() } else { placement };
    description.unified_memory = placement.is_mapped;
    let arena = |memory_type, is_mapped, pool| {
        Arc::new(Arena::new(&context, &description, Kind { memory_type, is_mapped, pool }))
    };
    Ok(VulkanDevice {
        staging: Staging::new(&context, &description, placement),
        pipelines: Pipelines::new(&context, options, cache_identity),
        arena: arena(placement.buffers, placement.is_mapped, "device"),
        host_arena: placement.offload.map(|memory_type| arena(memory_type, true, "host")),
        queue: Arc::new(Queue::new(&context).map_err(|e| e.to_string())?),
        placement,
        profile: Profile::of(&description),
        description,
        context,
    })
}

/// Creates the device with what our kernels may use of it, and nothing else.
fn create_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    queue_family: u32,
    features: &Features,
) -> Result<ash::Device, vk::Result> {
    let mut names = Vec::new();
    let mut storage16 =
        vk::PhysicalDevice16BitStorageFeatures::default().storage_buffer16_bit_access(features.storage_16bit);
    let mut storage8 =
        vk::PhysicalDevice8BitStorageFeatures::default().storage_buffer8_bit_access(features.storage_8bit);
    let mut small = vk::PhysicalDeviceShaderFloat16Int8Features::default()
        .shader_float16(features.f16)
        .shader_int8(features.int8);
    let mut dot = vk::PhysicalDeviceShaderIntegerDotProductFeatures::default()
        .shader_integer_dot_product(features.dot_product);
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default()
        .timeline_semaphore(features.timeline_semaphores);
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&[1.0])];
    let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut storage16);
    if features.storage_8bit {
        names.push(khr::_8bit_storage::NAME.as_ptr());
        info = info.push_next(&mut storage8);
    }
    if features.f16 || features.int8 {
        names.push(khr::shader_float16_int8::NAME.as_ptr());
        info = info.push_next(&mut small);
    }
    if features.dot_product {
        names.push(khr::shader_integer_dot_product::NAME.as_ptr());
        info = info.push_next(&mut dot);
    }
    if features.timeline_semaphores {
        names.push(khr::timeline_semaphore::NAME.as_ptr());
        info = info.push_next(&mut timeline);
    }
    let info = info.enabled_extension_names(&names);
    // SAFETY: `physical` was enumerated from `instance`; the extensions are listed and the features reported by it,
    // since `features` says so; all that `info` points at lives through the call.
    unsafe { instance.create_device(physical, &info, None) }
}

impl VulkanDevice {
    fn memory<'a>(&self, memory: &'a dyn Memory, what: &'static str) -> Result<&'a VulkanMemory> {
        VulkanMemory::of(memory, what, &self.description.name)
    }

    fn buffer(&self, buffer: &Buffer, what: &'static str) -> Result<vk::Buffer> {
        Ok(self.memory(&*buffer.memory()?, what)?.buffer())
    }

    fn record(&self, commands: &mut Commands, work: &Work) -> Result<()> {
        for step in &work.steps {
            if step.barrier {
                commands.barrier();
            }
            match &step.action {
                Action::Op(op) => {
                    for (index, dispatch) in lowering::lower(op, &self.profile)?.iter().enumerate() {
                        if dispatch.barrier && !(index == 0 && step.barrier) {
                            commands.barrier();
                        }
                        self.dispatch(commands, dispatch)?;
                    }
                }
                Action::CopyBytes { from, from_offset, to, to_offset, bytes } => {
                    let (from, to) = (self.buffer(from, "copy_bytes")?, self.buffer(to, "copy_bytes")?);
                    commands.copy((from, *from_offset), (to, *to_offset), *bytes);
                }
            }
        }
        Ok(())
    }

    fn dispatch(&self, commands: &mut Commands, dispatch: &Dispatch) -> Result<()> {
        let pipeline = self.pipelines.get(dispatch.kernel)?;
        let mut arguments = [Argument::default(); BINDINGS as usize];
        for (argument, binding) in arguments.iter_mut().zip(&dispatch.bindings) {
            let buffer = self.buffer(&binding.buffer, dispatch.kernel.name)?;
            *argument = Argument { buffer, offset: binding.offset, range: binding.bytes };
        }
        let arguments = arguments.get(..dispatch.bindings.len()).unwrap_or_default();
        commands.dispatch(&pipeline, arguments, &dispatch.params, dispatch.workgroups)
    }
}

impl BackendDevice for VulkanDevice {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn allocate(&self, bytes: u64) -> Result<Arc<dyn Memory>> {
        Ok(self.arena.allocate(bytes)?)
    }

    fn has_own_memory(&self) -> bool {
        self.host_arena.is_some()
    }

    fn offload(&self, memory: &dyn Memory, bytes: u64) -> Result<Arc<dyn Memory>> {
        let from = self.memory(memory, "offload")?.buffer();
        let arena = self.host_arena.as_ref().ok_or_else(|| Error::Unsupported {
            what: "moving a buffer to the host's memory".into(),
            why: format!("{} has no memory of its own, or cannot use the host's", self.description.name),
        })?;
        let moved = arena.allocate(bytes)?;
        let mut commands = self.queue.commands()?;
        commands.begin(false)?;
        commands.copy((from, 0), (moved.buffer(), 0), bytes);
        commands.end()?;
        let flight = self.queue.submit(commands)?;
        // Both buffers live until the copy is over. Whoever cannot wait for it waits again, as the staging ring does; what
        // fails twice is a device that is lost, and nothing runs on it any more.
        flight.wait(None).or_else(|error| flight.wait(None).and(Err(error)))?;
        Ok(moved)
    }

    fn memory_use(&self) -> MemoryUse {
        let mut memory_use = self.arena.memory_use();
        memory_use.reserved += self.staging.reserved();
        memory_use.reserved += self.host_arena.as_ref().map_or(0, |arena| arena.memory_use().reserved);
        memory_use
    }

    fn write(&self, memory: &dyn Memory, offset: u64, bytes: &[u8]) -> Result<()> {
        let memory = self.memory(memory, "write")?;
        match memory.host() {
            Some(host) => {
                // SAFETY: the front checked that `offset..offset + bytes.len()` lies inside the buffer and that no
                // work touches it; the mapping lives as long as `memory`; the caller's slice cannot overlap it.
                unsafe {
                    host.as_ptr().add(offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                };
                Ok(())
            }
            None => self.staging.upload(&self.queue, memory.buffer(), offset, bytes),
        }
    }

    fn read(&self, memory: &dyn Memory, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let memory = self.memory(memory, "read")?;
        match memory.host() {
            Some(host) if self.placement.reads_directly(bytes.len()) => {
                // SAFETY: as in `write`.
                unsafe {
                    bytes
                        .as_mut_ptr()
                        .copy_from_nonoverlapping(host.as_ptr().add(offset as usize), bytes.len());
                };
                Ok(())
            }
            _ => self.staging.download(&self.queue, memory.buffer(), offset, bytes),
        }
    }

    fn submit(&self, work: &Work) -> Result<Arc<dyn Pending>> {
        let mut commands = self.queue.commands()?;
        commands.begin(work.timed)?;
        self.record(&mut commands, work)?;
        commands.end()?;
        Ok(self.queue.submit(commands)?)
    }

    fn kernels_of(&self, op: &Op<Tensor>) -> Result<Vec<&'static str>> {
        lowering::kernels_of(op, &self.profile)
    }

    fn trim(&self) {
        self.queue.trim();
        self.staging.trim();
        self.arena.trim();
        if let Some(arena) = &self.host_arena {
            arena.trim();
        }
        self.pipelines.save();
    }

    fn validation_messages(&self) -> Vec<String> {
        self.context.instance.messages()
    }
}

impl Drop for VulkanDevice {
    fn drop(&mut self) {
        self.queue.drain();
    }
}
