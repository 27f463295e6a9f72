//! Buffers: a `VkBuffer` each, on memory that gpu-allocator cuts from larger blocks.

use std::{
    any::Any,
    mem::ManuallyDrop,
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use ash::vk;
use gpu_allocator::{
    AllocationError, AllocationSizes, AllocatorDebugSettings, MemoryLocation,
    vulkan::{Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc},
};

use super::{context::Context, describe};
use crate::{
    DeviceDescription, Error, Result,
    backend::{Memory, MemoryUse},
    shelf::Shelf,
};

/// Allocations are padded to a multiple of this, so that kernels may read whole words.
const PADDING: u64 = 16;

/// The first block is small, since a phone may only want to try a kernel; later ones double up to the second.
const BLOCKS: (u64, u64) = (16 << 20, 64 << 20);

/// How long an answer about the budget is good for.
const BUDGET_AGE: Duration = Duration::from_millis(100);

/// All buffers of a device in one kind of its memory.
pub(super) struct Arena {
    /// `None` until the first allocation, and after everything was given back.
    allocator: Mutex<State>,
    shelf: Shelf<Backing>,
    budget: Mutex<Option<(Instant, Option<u64>)>>,
    kind: Kind,
    heap: u32,
    heap_bytes: u64,
    has_budget: bool,
    /// Dropped last.
    context: Arc<Context>,
}

/// What an arena's buffers are made of.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// The index of a memory type.
    pub(super) memory_type: u32,
    /// Whether the host maps it.
    pub(super) is_mapped: bool,
    /// "device" or "host", for errors.
    pub(super) pool: &'static str,
}

#[derive(Default)]
struct State {
    allocator: Option<Allocator>,
    /// Buffers that exist, on the shelf or not.
    backings: u64,
}

/// A buffer and its memory.
pub(super) struct Backing {
    pub(super) bytes: u64,
    buffer: vk::Buffer,
    allocation: Allocation,
}

/// A buffer as the front holds it.
pub(super) struct VulkanMemory {
    arena: Arc<Arena>,
    /// Taken out in `drop` only.
    backing: ManuallyDrop<Backing>,
    host: Option<NonNull<u8>>,
}

// SAFETY: `host` is the address of mapped memory, which is the same from every thread; who writes through it when
// is the front's to keep apart, as `backend.rs` says. Everything else is `Send` and `Sync` by itself.
unsafe impl Send for VulkanMemory {}
// SAFETY: as above.
unsafe impl Sync for VulkanMemory {}

impl VulkanMemory {
    /// The memory behind the seam, if it is one of ours.
    pub(super) fn of<'a>(memory: &'a dyn Memory, what: &'static str, ours: &str) -> Result<&'a Self> {
        (memory as &dyn Any).downcast_ref().ok_or_else(|| Error::WrongDevice {
            what,
            ours: ours.into(),
            theirs: "another backend".into(),
        })
    }

    pub(super) fn buffer(&self) -> vk::Buffer {
        self.backing.buffer
    }
}

impl Memory for VulkanMemory {
    fn host(&self) -> Option<NonNull<u8>> {
        self.host
    }
}

impl Drop for VulkanMemory {
    fn drop(&mut self) {
        // SAFETY: the only place that takes the backing out, and `self` is never used again.
        let backing = unsafe { ManuallyDrop::take(&mut self.backing) };
        for surplus in self.arena.shelf.keep(backing.bytes, backing) {
            self.arena.destroy(surplus);
        }
    }
}

impl Arena {
    pub(super) fn new(context: &Arc<Context>, description: &DeviceDescription, kind: Kind) -> Self {
        let heap = description.memory_types.get(kind.memory_type as usize).map_or(0, |kind| kind.heap);
        Self {
            allocator: Mutex::default(),
            shelf: Shelf::default(),
            budget: Mutex::default(),
            kind,
            heap,
            heap_bytes: description.heaps.get(heap as usize).map_or(0, |heap| heap.bytes),
            has_budget: description.features.memory_budget,
            context: Arc::clone(context),
        }
    }

    pub(super) fn allocate(self: &Arc<Self>, bytes: u64) -> Result<Arc<VulkanMemory>> {
        self.context.check_alive()?;
        if self.context.injector.exhausts_allocation() {
            return Err(self.out_of_memory(bytes));
        }
        let padded = bytes.checked_next_multiple_of(PADDING).ok_or_else(|| self.out_of_memory(bytes))?;
        let backing = match self.shelf.take(padded) {
            Some(backing) => backing,
            None => match self.create(padded) {
                // What lies on the shelf may be just what is missing.
                Err(e @ Error::OutOfMemory { .. }) if !self.clear_shelf() => return Err(e),
                Err(Error::OutOfMemory { .. }) => self.create(padded)?,
                created => created?,
            },
        };
        let host =
            if self.kind.is_mapped { backing.allocation.mapped_ptr().map(NonNull::cast) } else { None };
        Ok(Arc::new(VulkanMemory { arena: Arc::clone(self), backing: ManuallyDrop::new(backing), host }))
    }

    /// What is held, and what the system allows: an answer of the last moments where there is one.
    pub(super) fn memory_use(&self) -> MemoryUse {
        MemoryUse { reserved: self.reserved(), budget: self.budget() }
    }

    /// Gives back whatever no buffer needs.
    pub(super) fn trim(&self) {
        self.clear_shelf();
        let mut state = self.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        if state.backings == 0 {
            // gpu-allocator keeps its last block; without it there is nothing to keep.
            state.allocator = None;
        }
    }

    fn reserved(&self) -> u64 {
        let state = self.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        state.allocator.as_ref().map_or(0, Allocator::capacity)
    }

    fn budget(&self) -> Option<u64> {
        if !self.has_budget {
            return None;
        }
        let mut known = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, budget)) = *known
            && when.elapsed() < BUDGET_AGE
        {
            return budget;
        }
        let (_, budgets) =
            describe::memory_properties(&self.context.instance.raw, self.context.physical, true);
        let budget = budgets.and_then(|budgets| budgets.get(self.heap as usize).copied());
        *known = Some((Instant::now(), budget));
        budget
    }

    /// Whether there was anything on the shelf.
    fn clear_shelf(&self) -> bool {
        let kept = self.shelf.empty();
        let had_any = !kept.is_empty();
        for backing in kept {
            self.destroy(backing);
        }
        had_any
    }

    fn create(&self, bytes: u64) -> Result<Backing> {
        let device = &self.context.raw;
        // SAFETY: the device is alive; `bytes` is 1 or more and at most the device's limit, which the front checks.
        let buffer = unsafe { device.create_buffer(&buffer_info(bytes), None) }
            .map_err(|e| self.allocation_error(bytes, "vkCreateBuffer", e))?;
        let allocation = match self.place(buffer, bytes) {
            Ok(allocation) => allocation,
            Err(e) => {
                // SAFETY: created above, bound to nothing, known to nobody else.
                unsafe { device.destroy_buffer(buffer, None) };
                return Err(e);
            }
        };
        let backing = Backing { bytes, buffer, allocation };
        // SAFETY: the memory was allocated for the requirements of this very buffer, and both are fresh.
        let bound = unsafe {
            device.bind_buffer_memory(buffer, backing.allocation.memory(), backing.allocation.offset())
        };
        if let Err(e) = bound {
            self.destroy(backing);
            return Err(self.allocation_error(bytes, "vkBindBufferMemory", e));
        }
        Ok(backing)
    }

    fn place(&self, buffer: vk::Buffer, bytes: u64) -> Result<Allocation> {
        // SAFETY: the buffer is alive; a query.
        let mut requirements = unsafe { self.context.raw.get_buffer_memory_requirements(buffer) };
        // The choice of the memory type was ours to make.
        requirements.memory_type_bits &= 1 << self.kind.memory_type;
        let mut state = self.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let allocator = match &mut state.allocator {
            Some(allocator) => allocator,
            none => none.insert(self.new_allocator()?),
        };
        let allocation = allocator
            .allocate(&AllocationCreateDesc {
                name: "buffer",
                requirements,
                location: MemoryLocation::Unknown,
                linear: true,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
            .map_err(|e| match e {
                AllocationError::OutOfMemory => Error::OutOfMemory {
                    asked: bytes,
                    available: self.heap_bytes.saturating_sub(allocator.capacity()),
                    limit: self.heap_bytes,
                    pool: self.kind.pool,
                    help: OUT_OF_MEMORY_HELP,
                },
                e => Error::Driver { call: "vkAllocateMemory", code: e.to_string() },
            })?;
        state.backings += 1;
        Ok(allocation)
    }

    fn new_allocator(&self) -> Result<Allocator> {
        let (first, largest) = BLOCKS;
        Allocator::new(&AllocatorCreateDesc {
            instance: self.context.instance.raw.clone(),
            device: self.context.raw.clone(),
            physical_device: self.context.physical,
            debug_settings: AllocatorDebugSettings::default(),
            buffer_device_address: false,
            allocation_sizes: AllocationSizes::new(first, first)
                .with_max_device_memblock_size(largest)
                .with_max_host_memblock_size(largest),
        })
        .map_err(|e| Error::Driver { call: "gpu-allocator", code: e.to_string() })
    }

    fn destroy(&self, backing: Backing) {
        // SAFETY: the front dropped the buffer, so no work uses it, and a backing has one owner.
        unsafe { self.context.raw.destroy_buffer(backing.buffer, None) };
        let mut state = self.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(allocator) = &mut state.allocator {
            // It can only refuse what it did not give, and it gave this.
            let _ = allocator.free(backing.allocation);
        }
        state.backings = state.backings.saturating_sub(1);
    }

    fn allocation_error(&self, bytes: u64, call: &'static str, code: vk::Result) -> Error {
        match code {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                self.out_of_memory(bytes)
            }
            code => self.context.error(call, code),
        }
    }

    fn out_of_memory(&self, asked: u64) -> Error {
        let limit = self.budget().unwrap_or(self.heap_bytes);
        let available = limit.saturating_sub(self.reserved());
        Error::OutOfMemory { asked, available, limit, pool: self.kind.pool, help: OUT_OF_MEMORY_HELP }
    }
}

fn buffer_info(bytes: u64) -> vk::BufferCreateInfo<'static> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    vk::BufferCreateInfo::default().size(bytes).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE)
}

/// The memory types that our buffers may live in, by bit: asked of a small one, since it is the same for all that
/// are made alike. Protected memory, which looks like any other in a description, is not among them.
pub(super) fn types_of_buffers(context: &Context) -> Result<u32> {
    // SAFETY: the device is alive; the buffer is asked one question and destroyed.
    unsafe {
        let buffer = context
            .raw
            .create_buffer(&buffer_info(PADDING), None)
            .map_err(|e| context.error("vkCreateBuffer", e))?;
        let types = context.raw.get_buffer_memory_requirements(buffer).memory_type_bits;
        context.raw.destroy_buffer(buffer, None);
        Ok(types)
    }
}

const OUT_OF_MEMORY_HELP: &str = "free buffers, or ask for less";

impl Drop for Arena {
    fn drop(&mut self) {
        self.clear_shelf();
    }
}
