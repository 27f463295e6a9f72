//! The opened device: the backend's side of the seam.

use std::{
    ptr::NonNull,
    sync::{Arc, OnceLock},
};

use objc2::rc::autoreleasepool;

use super::{
    command::{Argument, Commands},
    context::Context,
    instance::{DeviceHandle, Instance},
    memory::{Arena, MetalMemory},
    pipeline::Pipelines,
    queue::Queue,
    staging::{Route, Staging},
};
use crate::{
    DeviceDescription, OpenOptions, Result, Tensor,
    backend::{Action, BackendDevice, Memory, MemoryUse, Pending, Work},
    faults::Injector,
    lowering::{self, Dispatch, Profile},
    op::Op,
};

/// A Metal device. Work under way holds what it needs, so its parts may go in any order.
struct MetalDevice {
    staging: Staging,
    pipelines: Pipelines,
    arena: Arc<Arena>,
    queue: Queue,
    profile: Profile,
    description: DeviceDescription,
}

/// Opens a device, or says why not.
pub(crate) fn open_device(
    instance: &Instance,
    device: &DeviceHandle,
    options: &OpenOptions,
) -> Result<Arc<dyn BackendDevice>, String> {
    let mut description = instance.describe(&device.0);
    description.unified_memory &= !options.without_unified_memory;
    if let Some(bytes) = options.max_binding_bytes {
        description.limits.max_binding_bytes = description.limits.max_binding_bytes.min(bytes);
    }
    let context =
        Arc::new(Context { raw: device.0.clone(), injector: Injector::new(options), lost: OnceLock::new() });
    let arena = Arc::new(Arena::new(&context, description.unified_memory));
    let queue = autoreleasepool(|_| Queue::new(&context, &arena)).map_err(|e| e.to_string())?;
    Ok(Arc::new(MetalDevice {
        staging: Staging::new(&context),
        pipelines: Pipelines::new(&context),
        arena,
        queue,
        profile: Profile::of(&description),
        description,
    }))
}

impl MetalDevice {
    fn memory<'a>(&self, memory: &'a dyn Memory, what: &'static str) -> Result<&'a MetalMemory> {
        MetalMemory::of(memory, what, &self.description.name)
    }

    fn route(&self) -> Route<'_> {
        Route { queue: &self.queue, pipelines: &self.pipelines }
    }

    fn record(&self, commands: &mut Commands<'_>, work: &Work) -> Result<()> {
        for step in &work.steps {
            if step.barrier {
                commands.barrier();
            }
            match &step.action {
                Action::Op(op) => {
                    for dispatch in lowering::lower(op, &self.profile)? {
                        if dispatch.barrier {
                            commands.barrier();
                        }
                        self.dispatch(commands, &dispatch)?;
                    }
                }
                Action::CopyBytes { from, from_offset, to, to_offset, bytes } => {
                    let (from, to) = (from.memory()?, to.memory()?);
                    let from = self.memory(&*from, "copy_bytes")?.buffer();
                    let to = self.memory(&*to, "copy_bytes")?.buffer();
                    commands.copy((from, *from_offset), (to, *to_offset), *bytes)?;
                }
            }
        }
        Ok(())
    }

    fn dispatch(&self, commands: &mut Commands<'_>, dispatch: &Dispatch) -> Result<()> {
        let pipeline = self.pipelines.get(dispatch.kernel)?;
        let memories = dispatch.bindings.iter().map(|b| b.buffer.memory()).collect::<Result<Vec<_>>>()?;
        let arguments = memories
            .iter()
            .zip(&dispatch.bindings)
            .map(|(memory, b)| Ok((self.memory(&**memory, dispatch.kernel.name)?.buffer(), b.offset)))
            .collect::<Result<Vec<Argument<'_>>>>()?;
        commands.dispatch(&pipeline, &arguments, &dispatch.params, dispatch.workgroups)
    }
}

impl BackendDevice for MetalDevice {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn allocate(&self, bytes: u64) -> Result<Arc<dyn Memory>> {
        Ok(self.arena.allocate(bytes)?)
    }

    fn has_own_memory(&self) -> bool {
        !self.description.unified_memory
    }

    fn offload(&self, memory: &dyn Memory, bytes: u64) -> Result<Arc<dyn Memory>> {
        let from = self.memory(memory, "offload")?.buffer();
        Ok(self.staging.offload(self.route(), from, bytes)?)
    }

    fn memory_use(&self) -> MemoryUse {
        let mut memory_use = self.arena.memory_use();
        memory_use.reserved += self.staging.reserved();
        memory_use
    }

    fn write(&self, memory: &dyn Memory, offset: u64, bytes: &[u8]) -> Result<()> {
        let memory = self.memory(memory, "write")?;
        match memory.host() {
            Some(host) => {
                // SAFETY: the front checked that `offset..offset + bytes.len()` lies inside the buffer and that no
                // work touches it; the address is good as long as `memory`; the caller's slice cannot overlap it.
                unsafe {
                    host.add(offset as usize)
                        .copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
                };
                Ok(())
            }
            None => self.staging.upload(self.route(), memory.buffer(), offset, bytes),
        }
    }

    fn read(&self, memory: &dyn Memory, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let memory = self.memory(memory, "read")?;
        match memory.host() {
            Some(host) => {
                // SAFETY: as in `write`.
                unsafe {
                    host.add(offset as usize)
                        .copy_to_nonoverlapping(NonNull::from(&mut *bytes).cast(), bytes.len());
                };
                Ok(())
            }
            None => self.staging.download(self.route(), memory.buffer(), offset, bytes),
        }
    }

    fn submit(&self, work: &Work) -> Result<Arc<dyn Pending>> {
        autoreleasepool(|_| {
            let mut commands = self.queue.commands(&self.pipelines)?;
            self.record(&mut commands, work)?;
            Ok(self.queue.submit(commands, work.timed)? as Arc<dyn Pending>)
        })
    }

    fn kernels_of(&self, op: &Op<Tensor>) -> Result<Vec<&'static str>> {
        lowering::kernels_of(op, &self.profile)
    }

    fn trim(&self) {
        self.staging.trim();
        self.arena.trim();
    }
}
