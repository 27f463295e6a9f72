//! The staging ring: how bytes reach memory that the host does not see, and come back from it.
//!
//! Old Macs with a card need it, and tests that pretend to be one. A transfer of any size goes through a few slots
//! of fixed size: while the device copies one, the host fills or empties the next. Slots are made when they are
//! first needed.

use std::{
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    command::Argument,
    context::Context,
    memory::{Arena, MetalMemory, RawBuffer},
    pipeline::Pipelines,
    queue::{Flight, Queue},
};
use crate::{
    Error, Result,
    backend::{Memory, Pending},
};

/// Slots in the ring.
const SLOTS: usize = 4;

/// Bytes of a slot.
const SLOT_BYTES: usize = 16 << 20;

/// The ring, for both directions. One transfer at a time uses it; part `i` goes through slot `i % SLOTS`.
pub(super) struct Staging {
    slots: Mutex<[Slot; SLOTS]>,
    arena: Arc<Arena>,
}

/// A host-visible buffer, once there is one, and the copy that uses it.
#[derive(Default)]
struct Slot {
    memory: Option<Arc<MetalMemory>>,
    copy: Option<Arc<Flight>>,
}

/// Where copies go.
#[derive(Clone, Copy)]
pub(super) struct Route<'a> {
    pub(super) queue: &'a Queue,
    pub(super) pipelines: &'a Pipelines,
}

impl Staging {
    pub(super) fn new(context: &Arc<Context>) -> Self {
        Self { slots: Mutex::default(), arena: Arc::new(Arena::new(context, true)) }
    }

    /// Writes `bytes` to `to` from `offset` on. Returns when the device has them.
    pub(super) fn upload(&self, route: Route<'_>, to: &RawBuffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, part) in bytes.chunks(SLOT_BYTES).enumerate() {
            let slot = &mut slots[index % SLOTS];
            slot.wait()?;
            let memory = slot.memory(&self.arena)?;
            // SAFETY: a slot has SLOT_BYTES, of which `part` is one chunk at most; the copy that used it is done;
            // the lock keeps other transfers away.
            unsafe { address(&memory)?.copy_from_nonoverlapping(NonNull::from(part).cast(), part.len()) };
            let to = (to, offset + (index * SLOT_BYTES) as u64);
            slot.copy = Some(route.copy((memory.buffer(), 0), to, part.len())?);
        }
        slots.iter_mut().try_for_each(Slot::wait)
    }

    /// Reads `bytes` of `from` from `offset` on.
    pub(super) fn download(
        &self,
        route: Route<'_>,
        from: &RawBuffer,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<()> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let total = bytes.len();
        let mut asked = 0;
        for (index, part) in bytes.chunks_mut(SLOT_BYTES).enumerate() {
            // Keep the device ahead of the host by as many slots as there are.
            while asked < index + SLOTS && asked * SLOT_BYTES < total {
                let slot = &mut slots[asked % SLOTS];
                slot.wait()?;
                let memory = slot.memory(&self.arena)?;
                let start = asked * SLOT_BYTES;
                let from = (from, offset + start as u64);
                slot.copy = Some(route.copy(from, (memory.buffer(), 0), (total - start).min(SLOT_BYTES))?);
                asked += 1;
            }
            let slot = &mut slots[index % SLOTS];
            slot.wait()?;
            let memory = slot.memory(&self.arena)?;
            // SAFETY: a slot has SLOT_BYTES, of which `part` is one chunk at most; the copy into it is done; the
            // lock keeps other transfers away.
            unsafe { address(&memory)?.copy_to_nonoverlapping(NonNull::from(&mut *part).cast(), part.len()) };
        }
        Ok(())
    }

    /// A copy of the first `bytes` of `from` in memory that the host sees too, for buffers that leave the device's own.
    pub(super) fn offload(&self, route: Route<'_>, from: &RawBuffer, bytes: u64) -> Result<Arc<MetalMemory>> {
        let moved = self.arena.allocate(bytes)?;
        route.copy((from, 0), (moved.buffer(), 0), bytes as usize)?.wait(None)?;
        Ok(moved)
    }

    /// Bytes that the ring holds, and what was moved beside it.
    pub(super) fn reserved(&self) -> u64 {
        self.arena.reserved()
    }

    /// Gives the slots back.
    pub(super) fn trim(&self) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        for slot in &mut *slots {
            // A copy that failed is over, too.
            let _ = slot.wait();
            slot.memory = None;
        }
        self.arena.trim();
    }
}

impl Slot {
    /// Waits for the copy that uses it. Whoever was not told that it failed is told now.
    fn wait(&mut self) -> Result<()> {
        match self.copy.take() {
            Some(copy) => copy.wait(None).map(drop),
            None => Ok(()),
        }
    }

    fn memory(&mut self, arena: &Arc<Arena>) -> Result<Arc<MetalMemory>> {
        if let Some(memory) = &self.memory {
            return Ok(Arc::clone(memory));
        }
        let memory = arena.allocate(SLOT_BYTES as u64)?;
        Ok(Arc::clone(self.memory.insert(memory)))
    }
}

impl Route<'_> {
    fn copy(self, from: Argument<'_>, to: Argument<'_>, bytes: usize) -> Result<Arc<Flight>> {
        objc2::rc::autoreleasepool(|_| {
            let mut commands = self.queue.commands(self.pipelines)?;
            commands.copy(from, to, bytes as u64)?;
            self.queue.submit(commands, false)
        })
    }
}

/// The first byte of a slot.
fn address(memory: &MetalMemory) -> Result<NonNull<u8>> {
    memory.host().ok_or_else(|| Error::Unsupported {
        what: "staging".into(),
        why: "the host does not see the memory that was made for it".into(),
    })
}
