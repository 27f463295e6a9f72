//! An open device: the front's calls, each handed to the file that carries it out.

use std::{
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
};

use objc2::rc::autoreleasepool;

use super::{
    instance::{DeviceHandle, Instance},
    memory::{Arena, MetalMemory},
    queue::Queue,
    staging::Staging,
};
use crate::{
    DeviceDescription, OpenOptions, Result, Tensor,
    backend::{BackendDevice, Memory, MemoryUse, Pending, Work},
    lowering::{Profile, lower},
    op::Op,
};

/// An open device.
struct MetalDevice {
    description: DeviceDescription,
    profile: Profile,
    arena: Arc<Arena>,
    queue: Queue,
    /// Only where the host does not see the device's memory.
    staging: Option<Mutex<Staging>>,
}

/// Opens a device, or says why not.
pub(crate) fn open_device(
    instance: &Instance,
    device: &DeviceHandle,
    options: &OpenOptions,
) -> Result<Arc<dyn BackendDevice>, String> {
    autoreleasepool(|_| {
        let mut description = instance.describe(&device.0);
        description.unified_memory &= !options.without_unified_memory;
        if let Some(bytes) = options.max_binding_bytes {
            description.limits.max_binding_bytes = description.limits.max_binding_bytes.min(bytes);
        }
        let is_shared = description.unified_memory;
        let arena = Arc::new(Arena::new(device.0.clone(), is_shared));
        let queue = Queue::new(&device.0, arena.clone())?;
        let staging = if is_shared {
            None
        } else {
            let visible = Arc::new(Arena::new(device.0.clone(), true));
            Some(Mutex::new(Staging::new(&visible).map_err(|e| e.to_string())?))
        };
        let profile = Profile::of(&description);
        Ok(Arc::new(MetalDevice { description, profile, arena, queue, staging }) as Arc<dyn BackendDevice>)
    })
}

impl BackendDevice for MetalDevice {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn allocate(&self, bytes: u64) -> Result<Arc<dyn Memory>> {
        Ok(Arc::new(self.arena.allocate(bytes)?))
    }

    fn memory_use(&self) -> MemoryUse {
        self.arena.memory_use()
    }

    fn write(&self, memory: &dyn Memory, offset: u64, bytes: &[u8]) -> Result<()> {
        if let Some(staging) = &self.staging {
            let target = MetalMemory::of(memory)?.raw()?;
            return staging.lock().unwrap_or_else(PoisonError::into_inner).write(
                &self.queue,
                target,
                offset,
                bytes,
            );
        }
        let host = MetalMemory::of(memory)?.address()?;
        // SAFETY: the front checked that the range lies in the buffer, and that no submitted work and no other call
        // uses the buffer now; `memory` keeps the address valid.
        unsafe {
            host.add(offset as usize).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len())
        };
        Ok(())
    }

    fn read(&self, memory: &dyn Memory, offset: u64, bytes: &mut [u8]) -> Result<()> {
        if let Some(staging) = &self.staging {
            let source = MetalMemory::of(memory)?.raw()?;
            return staging.lock().unwrap_or_else(PoisonError::into_inner).read(
                &self.queue,
                source,
                offset,
                bytes,
            );
        }
        let host = MetalMemory::of(memory)?.address()?;
        // SAFETY: the front checked that the range lies in the buffer, and that the work which wrote it was waited
        // for; `memory` keeps the address valid.
        unsafe {
            host.add(offset as usize).copy_to_nonoverlapping(NonNull::from(&mut *bytes).cast(), bytes.len())
        };
        Ok(())
    }

    fn submit(&self, work: &Work) -> Result<Arc<dyn Pending>> {
        let completion = self.queue.submit(work.timed, |recorder| {
            work.steps.iter().try_for_each(|step| recorder.step(step, &self.profile))
        })?;
        Ok(completion)
    }

    fn kernels_of(&self, op: &Op<Tensor>) -> Result<Vec<&'static str>> {
        let mut names: Vec<_> =
            lower(op, &self.profile)?.iter().map(|dispatch| dispatch.kernel.name).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn trim(&self) {
        self.arena.trim();
    }
}
