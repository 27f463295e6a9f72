//! Buffers: shared with the host where memory is unified, private to the device elsewhere.
//!
//! Metal's hazard tracking is off for all of them: the front knows which step depends on which, and
//! [`command`](super::command) places the barriers. Coherence needs no call from us: what the host wrote before a
//! commit is seen by the work, what the work wrote is seen by the host once it is complete.

use std::{
    any::Any,
    mem::ManuallyDrop,
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use objc2::{rc::Retained, rc::autoreleasepool, runtime::ProtocolObject};
use objc2_metal::{MTLBuffer, MTLDevice, MTLResourceOptions};

use super::{budget, context::Context, fault};
use crate::{
    Error, Result,
    backend::{Memory, MemoryUse},
    shelf::Shelf,
};

/// Allocations are padded to a multiple of this, so that kernels may read whole words.
const PADDING: u64 = 16;

/// A buffer as Metal has it.
pub(super) type RawBuffer = ProtocolObject<dyn MTLBuffer>;

/// All buffers of one kind on a device.
pub(super) struct Arena {
    context: Arc<Context>,
    /// Whether the host sees them.
    is_shared: bool,
    /// Bytes of all that exist, on the shelf or not.
    reserved: AtomicU64,
    shelf: Shelf<Backing>,
}

/// A buffer and where the host sees it.
struct Backing {
    bytes: u64,
    raw: Retained<RawBuffer>,
    host: Option<NonNull<u8>>,
}

// SAFETY: a Metal resource may be retained, released, encoded and asked for its address from any thread; only
// encoders and command buffers belong to one. objc2-metal leaves `Send` and `Sync` out because the *contents* are
// not synchronised. They are reached through `host` alone, and who reads and writes there when is the front's to
// keep apart, as `backend.rs` says.
unsafe impl Send for Backing {}
// SAFETY: as above; a shared reference gives out nothing but the object and the address.
unsafe impl Sync for Backing {}

/// A buffer as the front holds it.
pub(super) struct MetalMemory {
    arena: Arc<Arena>,
    /// Taken out in `drop` only.
    backing: ManuallyDrop<Backing>,
}

impl MetalMemory {
    /// The memory behind the seam, if it is one of ours.
    pub(super) fn of<'a>(memory: &'a dyn Memory, what: &'static str, ours: &str) -> Result<&'a Self> {
        (memory as &dyn Any).downcast_ref().ok_or_else(|| Error::WrongDevice {
            what,
            ours: ours.into(),
            theirs: "another backend".into(),
        })
    }

    pub(super) fn buffer(&self) -> &RawBuffer {
        &self.backing.raw
    }
}

impl Memory for MetalMemory {
    fn host(&self) -> Option<NonNull<u8>> {
        self.backing.host
    }
}

impl Drop for MetalMemory {
    fn drop(&mut self) {
        // SAFETY: the only place that takes the backing out, and `self` is never used again.
        let backing = unsafe { ManuallyDrop::take(&mut self.backing) };
        for surplus in self.arena.shelf.keep(backing.bytes, backing) {
            self.arena.destroy(surplus);
        }
    }
}

impl Arena {
    pub(super) fn new(context: &Arc<Context>, is_shared: bool) -> Self {
        Self { context: Arc::clone(context), is_shared, reserved: AtomicU64::new(0), shelf: Shelf::default() }
    }

    pub(super) fn allocate(self: &Arc<Self>, bytes: u64) -> Result<Arc<MetalMemory>> {
        self.context.check_alive()?;
        if self.context.injector.exhausts_allocation() {
            return Err(self.out_of_memory(bytes));
        }
        let padded = bytes.checked_next_multiple_of(PADDING).ok_or_else(|| self.out_of_memory(bytes))?;
        let backing = match self.shelf.take(padded).or_else(|| self.create(padded)) {
            Some(backing) => backing,
            // What lies on the shelf may be just what is missing.
            None if self.clear_shelf() => self.create(padded).ok_or_else(|| self.out_of_memory(bytes))?,
            None => return Err(self.out_of_memory(bytes)),
        };
        Ok(Arc::new(MetalMemory { arena: Arc::clone(self), backing: ManuallyDrop::new(backing) }))
    }

    /// What is held, and what the system allows now.
    pub(super) fn memory_use(&self) -> MemoryUse {
        let reserved = self.reserved();
        MemoryUse { reserved, budget: budget::now(&self.context.raw, reserved) }
    }

    /// Bytes taken from the system, used or not.
    pub(super) fn reserved(&self) -> u64 {
        self.reserved.load(Ordering::Relaxed)
    }

    /// Gives back whatever no buffer needs.
    pub(super) fn trim(&self) {
        self.clear_shelf();
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

    fn create(&self, bytes: u64) -> Option<Backing> {
        let device = &self.context.raw;
        // To Metal, a length beyond the limit is not an error but a failed assertion: it must not get there.
        if bytes > device.maxBufferLength() as u64 {
            return None;
        }
        let storage = if self.is_shared {
            MTLResourceOptions::StorageModeShared
        } else {
            MTLResourceOptions::StorageModePrivate
        };
        let options = storage | MTLResourceOptions::HazardTrackingModeUntracked;
        let raw = autoreleasepool(|_| device.newBufferWithLength_options(bytes as usize, options))?;
        self.reserved.fetch_add(bytes, Ordering::Relaxed);
        let host = self.is_shared.then(|| raw.contents().cast());
        Some(Backing { bytes, raw, host })
    }

    fn destroy(&self, backing: Backing) {
        self.reserved.fetch_sub(backing.bytes, Ordering::Relaxed);
        autoreleasepool(|_| drop(backing));
    }

    fn out_of_memory(&self, asked: u64) -> Error {
        fault::out_of_memory(asked, self.memory_use())
    }
}
