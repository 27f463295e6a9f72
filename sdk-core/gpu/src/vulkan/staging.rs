//! The staging ring: how bytes reach memory that the host cannot map, and come back from it.
//!
//! A transfer of any size goes through a few slots of fixed size: while the device copies from one, the host fills
//! the next. So the cost in memory is bounded whatever is uploaded. Slots are made when they are first needed.

use std::{
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
};

use ash::vk;

use super::{
    context::Context,
    queue::{Flight, Queue},
};
use crate::{DeviceDescription, Error, Result, backend::Pending, memory_type::Placement};

/// Slots in a ring.
const SLOTS: usize = 4;

/// Bytes of a slot.
pub(super) const SLOT_BYTES: usize = 16 << 20;

/// Both directions share one ring where one memory type is good for both.
pub(super) struct Staging {
    upload: Ring,
    download: Option<Ring>,
}

struct Ring {
    slots: Mutex<[Option<Slot>; SLOTS]>,
    memory_type: u32,
    /// Set where flushes are needed.
    flush_granularity: Option<u64>,
    context: Arc<Context>,
}

/// A mapped buffer.
struct Slot {
    context: Arc<Context>,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    host: NonNull<u8>,
    flush_granularity: Option<u64>,
}

// SAFETY: `host` is the address of mapped memory, the same from every thread; the ring's lock keeps its users apart.
unsafe impl Send for Slot {}

impl Staging {
    pub(super) fn new(context: &Arc<Context>, device: &DeviceDescription, placement: Placement) -> Self {
        let ring = |memory_type: u32| Ring {
            slots: Mutex::default(),
            memory_type,
            flush_granularity: device
                .memory_types
                .get(memory_type as usize)
                .is_some_and(|kind| !kind.host_coherent)
                .then_some(device.limits.flush_granularity.max(1)),
            context: Arc::clone(context),
        };
        Self {
            upload: ring(placement.upload),
            download: (placement.download != placement.upload).then(|| ring(placement.download)),
        }
    }

    /// Writes `bytes` to `to` from `offset` on. Returns when the device has them.
    pub(super) fn upload(&self, queue: &Arc<Queue>, to: vk::Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        self.upload.upload(queue, to, offset, bytes)
    }

    /// Reads `bytes` of `from` from `offset` on.
    pub(super) fn download(
        &self,
        queue: &Arc<Queue>,
        from: vk::Buffer,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<()> {
        self.download.as_ref().unwrap_or(&self.upload).download(queue, from, offset, bytes)
    }

    /// Bytes that the rings hold.
    pub(super) fn reserved(&self) -> u64 {
        self.upload.reserved() + self.download.as_ref().map_or(0, Ring::reserved)
    }

    /// Gives the slots back.
    pub(super) fn trim(&self) {
        self.upload.trim();
        if let Some(download) = &self.download {
            download.trim();
        }
    }
}

impl Ring {
    fn upload(&self, queue: &Arc<Queue>, to: vk::Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let mut under_way = Flights::default();
        let mut done = 0;
        for (turn, chunk) in bytes.chunks(SLOT_BYTES).enumerate() {
            let index = turn % SLOTS;
            under_way.wait_for(index)?;
            let slot = self.slot(&mut slots, index)?;
            slot.fill(chunk)?;
            let mut commands = queue.commands()?;
            commands.begin(false)?;
            commands.copy((slot.buffer, 0), (to, offset + done), chunk.len() as u64);
            commands.end()?;
            under_way.0[index] = Some(queue.submit(commands)?);
            done += chunk.len() as u64;
        }
        under_way.wait_for_all()
    }

    fn download(&self, queue: &Arc<Queue>, from: vk::Buffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let mut under_way = Flights::default();
        let total = bytes.len();
        let turns = total.div_ceil(SLOT_BYTES);
        let range = |turn: usize| turn * SLOT_BYTES..total.min((turn + 1) * SLOT_BYTES);
        // The device runs ahead by as many turns as there are slots.
        for turn in 0..turns + SLOTS {
            let index = turn % SLOTS;
            if let Some(turn) = turn.checked_sub(SLOTS)
                && turn < turns
            {
                under_way.wait_for(index)?;
                let slot = self.slot(&mut slots, index)?;
                if let Some(chunk) = bytes.get_mut(range(turn)) {
                    slot.empty_into(chunk)?;
                }
            }
            if turn < turns {
                let (slot, range) = (self.slot(&mut slots, index)?, range(turn));
                let mut commands = queue.commands()?;
                commands.begin(false)?;
                commands.copy((from, offset + range.start as u64), (slot.buffer, 0), range.len() as u64);
                commands.end()?;
                under_way.0[index] = Some(queue.submit(commands)?);
            }
        }
        Ok(())
    }

    fn slot<'a>(&self, slots: &'a mut [Option<Slot>; SLOTS], index: usize) -> Result<&'a Slot> {
        let slot = &mut slots[index];
        match slot {
            Some(slot) => Ok(slot),
            none => Ok(none.insert(Slot::new(&self.context, self.memory_type, self.flush_granularity)?)),
        }
    }

    fn reserved(&self) -> u64 {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        (slots.iter().flatten().count() * SLOT_BYTES) as u64
    }

    fn trim(&self) {
        *self.slots.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }
}

/// The last flight of each slot. Whatever ends a transfer, a slot is never left while the device uses it.
#[derive(Default)]
struct Flights([Option<Arc<Flight>>; SLOTS]);

impl Flights {
    fn wait_for(&mut self, index: usize) -> Result<()> {
        self.0[index].take().map_or(Ok(()), |flight| flight.wait(None).map(drop))
    }

    fn wait_for_all(&mut self) -> Result<()> {
        (0..SLOTS).try_for_each(|index| self.wait_for(index))
    }
}

impl Drop for Flights {
    fn drop(&mut self) {
        for flight in self.0.iter_mut().filter_map(Option::take) {
            // An error here means that the device is lost, and nothing runs on it any more.
            let _ = flight.wait(None);
        }
    }
}

impl Slot {
    fn new(context: &Arc<Context>, memory_type: u32, flush_granularity: Option<u64>) -> Result<Self> {
        let device = &context.raw;
        let info = vk::BufferCreateInfo::default()
            .size(SLOT_BYTES as u64)
            .usage(vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is alive, as for the calls below; each handle is new and owned by `slot` from then on,
        // whose `drop` destroys what there is of it when one of the calls fails.
        let buffer =
            unsafe { device.create_buffer(&info, None) }.map_err(|e| context.error("vkCreateBuffer", e))?;
        let mut slot = Self {
            context: Arc::clone(context),
            buffer,
            memory: vk::DeviceMemory::null(),
            host: NonNull::dangling(),
            flush_granularity,
        };
        // SAFETY: as above.
        let requirements = unsafe { device.get_buffer_memory_requirements(buffer) };
        if requirements.memory_type_bits & (1 << memory_type) == 0 {
            return Err(Error::Unsupported {
                what: "a staging buffer".into(),
                why: format!("the driver does not allow buffers in its memory type {memory_type}"),
            });
        }
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size)
            .memory_type_index(memory_type);
        // SAFETY: as above.
        slot.memory = unsafe { device.allocate_memory(&info, None) }
            .map_err(|e| context.error("vkAllocateMemory", e))?;
        // SAFETY: as above; the memory is fresh, large enough, and of a type that the host can see.
        let host = unsafe {
            device
                .bind_buffer_memory(buffer, slot.memory, 0)
                .map_err(|e| context.error("vkBindBufferMemory", e))?;
            device
                .map_memory(slot.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .map_err(|e| context.error("vkMapMemory", e))?
        };
        slot.host = NonNull::new(host.cast())
            .ok_or_else(|| context.error("vkMapMemory", vk::Result::ERROR_MEMORY_MAP_FAILED))?;
        Ok(slot)
    }

    /// Puts `bytes` (at most a slot) where the device will see them in the next submission.
    fn fill(&self, bytes: &[u8]) -> Result<()> {
        let bytes = &bytes[..bytes.len().min(SLOT_BYTES)];
        // SAFETY: the slot maps `SLOT_BYTES`, the length was bounded a line above, the ring's lock is held and the
        // last flight of this slot was waited for: nobody else reads or writes here.
        unsafe { self.host.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        let Some(range) = self.flushed_range(bytes.len()) else { return Ok(()) };
        // SAFETY: the memory is mapped and the range is a multiple of the granularity, or reaches to the end.
        unsafe { self.context.raw.flush_mapped_memory_ranges(&[range]) }
            .map_err(|e| self.context.error("vkFlushMappedMemoryRanges", e))
    }

    /// Takes from the slot what the device put there.
    fn empty_into(&self, bytes: &mut [u8]) -> Result<()> {
        let length = bytes.len().min(SLOT_BYTES);
        if let Some(range) = self.flushed_range(length) {
            // SAFETY: as in `fill`.
            unsafe { self.context.raw.invalidate_mapped_memory_ranges(&[range]) }
                .map_err(|e| self.context.error("vkInvalidateMappedMemoryRanges", e))?;
        }
        // SAFETY: as in `fill`.
        unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(self.host.as_ptr(), length) };
        Ok(())
    }

    /// What to flush or invalidate for the first `bytes`, where that is needed.
    fn flushed_range(&self, bytes: usize) -> Option<vk::MappedMemoryRange<'static>> {
        let size = (bytes as u64).next_multiple_of(self.flush_granularity?);
        let size = if size >= SLOT_BYTES as u64 { vk::WHOLE_SIZE } else { size };
        Some(vk::MappedMemoryRange::default().memory(self.memory).offset(0).size(size))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: the ring waits for a slot's last flight before it lets go of the lock, so the device does not use
        // it. Null handles are allowed. Freeing mapped memory unmaps it.
        unsafe {
            self.context.raw.destroy_buffer(self.buffer, None);
            self.context.raw.free_memory(self.memory, None);
        }
    }
}
