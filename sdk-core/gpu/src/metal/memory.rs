//! Buffers: shared with the host where memory is unified, private to the device elsewhere.
//!
//! Metal's hazard tracking is off for all of them: the front knows which step depends on which, and
//! [`command`](super::command) places the barriers. Coherence needs no call from us: what the host wrote before a
//! commit is seen by the work, what the work wrote is seen by the host once it is complete.

use std::{
    any::Any,
    ptr::NonNull,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use objc2::{rc::Retained, rc::autoreleasepool, runtime::ProtocolObject};
use objc2_metal::{MTLBuffer, MTLDevice, MTLResourceOptions};

use super::{
    fault, instance,
    recycling::{Spare, rounded},
};
use crate::{
    Error, Result,
    backend::{Memory, MemoryUse},
};

/// A buffer as Metal has it.
pub(super) type RawBuffer = ProtocolObject<dyn MTLBuffer>;

/// Where buffers come from and go to.
pub(super) struct Arena {
    device: Retained<ProtocolObject<dyn MTLDevice>>,
    /// Whether the host sees the buffers.
    is_shared: bool,
    /// Bytes of all buffers, the spare ones too.
    reserved: AtomicU64,
    spare: Mutex<Spare<Owned>>,
}

/// An allocation.
pub(super) struct MetalMemory {
    /// `None` only while it is being dropped.
    buffer: Option<Owned>,
    arena: Arc<Arena>,
}

/// A buffer that may go from thread to thread.
struct Owned {
    raw: Retained<RawBuffer>,
    /// Its first byte, where the host sees it.
    host: Option<NonNull<u8>>,
    bytes: u64,
}

// SAFETY: a Metal resource may be retained, released, encoded and asked for its address from any thread (Apple,
// "Metal Programming Guide": device, queue and resources are thread-safe; encoders are not). objc2-metal leaves
// `Send` and `Sync` out because the *contents* are not synchronised. Access to those goes through `host`, and the
// front lets nobody read or write a buffer that submitted work or another call is writing (crate::backend).
unsafe impl Send for Owned {}
// SAFETY: as above; `&Owned` gives out nothing but the object and the address.
unsafe impl Sync for Owned {}

impl Arena {
    pub(super) fn new(device: Retained<ProtocolObject<dyn MTLDevice>>, is_shared: bool) -> Self {
        Self { device, is_shared, reserved: AtomicU64::new(0), spare: Mutex::default() }
    }

    pub(super) fn allocate(self: &Arc<Self>, bytes: u64) -> Result<MetalMemory> {
        let size = rounded(bytes);
        let recycled = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take(size);
        let buffer = match recycled {
            Some(buffer) => buffer,
            None => self.make(size).ok_or_else(|| fault::out_of_memory(bytes, self.memory_use()))?,
        };
        Ok(MetalMemory { buffer: Some(buffer), arena: self.clone() })
    }

    fn make(&self, bytes: u64) -> Option<Owned> {
        // Longer than the limit is not an error to Metal but a failed assertion, so it must not get there.
        if bytes > self.device.maxBufferLength() as u64 {
            return None;
        }
        let storage = if self.is_shared {
            MTLResourceOptions::StorageModeShared
        } else {
            MTLResourceOptions::StorageModePrivate
        };
        let options = storage | MTLResourceOptions::HazardTrackingModeUntracked;
        let raw = autoreleasepool(|_| self.device.newBufferWithLength_options(bytes as usize, options))?;
        self.reserved.fetch_add(bytes, Ordering::Relaxed);
        let host = self.is_shared.then(|| raw.contents().cast());
        Some(Owned { raw, host, bytes })
    }

    /// What is taken from the system, and what the system would give.
    pub(super) fn memory_use(&self) -> MemoryUse {
        let reserved = self.reserved.load(Ordering::Relaxed);
        let budget = instance::working_set_bytes(&self.device);
        MemoryUse { reserved, budget }
    }

    /// Frees what is spare.
    pub(super) fn trim(&self) {
        let (bytes, buffers) = self.spare.lock().unwrap_or_else(PoisonError::into_inner).drain();
        self.reserved.fetch_sub(bytes, Ordering::Relaxed);
        autoreleasepool(|_| drop(buffers));
    }

    fn take_back(&self, buffer: Owned) {
        let bytes = buffer.bytes;
        let refused = self.spare.lock().unwrap_or_else(PoisonError::into_inner).keep(bytes, buffer);
        if let Some(buffer) = refused {
            self.reserved.fetch_sub(bytes, Ordering::Relaxed);
            autoreleasepool(|_| drop(buffer));
        }
    }
}

impl MetalMemory {
    /// The allocation behind a buffer of the front.
    pub(super) fn of(memory: &dyn Memory) -> Result<&Self> {
        (memory as &dyn Any).downcast_ref().ok_or_else(|| Error::WrongDevice {
            what: "Metal",
            ours: "a Metal device".into(),
            theirs: "another backend".into(),
        })
    }

    /// The buffer as Metal has it.
    pub(super) fn raw(&self) -> Result<&RawBuffer> {
        self.buffer.as_ref().map(|buffer| &*buffer.raw).ok_or(Error::Closed { what: "buffer" })
    }

    /// Its first byte, where the host sees it.
    pub(super) fn address(&self) -> Result<NonNull<u8>> {
        self.host().ok_or_else(|| Error::Unsupported {
            what: "a host address".into(),
            why: "this memory is the device's own".into(),
        })
    }
}

impl Memory for MetalMemory {
    fn host(&self) -> Option<NonNull<u8>> {
        self.buffer.as_ref()?.host
    }
}

impl Drop for MetalMemory {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.arena.take_back(buffer);
        }
    }
}
