//! Memory on a device, and the rule that keeps host and device off each other's bytes.
//!
//! A submission *enters* each buffer that it uses with its number in line. A host access waits until the last
//! one that entered is done, then holds the buffer alone while it copies. So a write never races a kernel, and
//! nobody has to think of fences.

mod hold;
mod offload;

use std::{
    ops::Range,
    ptr::NonNull,
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use hold::{Hold, Place};

use crate::{
    Device, Error, Result,
    backend::{BackendDevice, Memory},
};

/// A range of device memory. Cloning is cheap: clones are the same memory, freed when the last clone and the
/// last work that uses it are gone, or by [`free`](Self::free).
#[derive(Clone)]
pub struct Buffer {
    pub(crate) inner: Arc<BufferInner>,
}

pub(crate) struct BufferInner {
    device: Device,
    id: u64,
    size: u64,
    hold: RwLock<Hold>,
    /// The last submission that entered.
    last_use: AtomicU64,
}

/// The memory, for one host access; no submission can enter meanwhile.
pub(crate) struct Exclusive<'a> {
    guard: RwLockWriteGuard<'a, Hold>,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer(#{}, {} bytes)", self.inner.id, self.inner.size)
    }
}

impl Buffer {
    pub(crate) fn new(
        device: Device,
        id: u64,
        size: u64,
        backend: Arc<dyn BackendDevice>,
        memory: Arc<dyn Memory>,
    ) -> Self {
        let hold = RwLock::new(Hold::Here(Place { backend, memory, is_offloaded: false }));
        Self { inner: Arc::new(BufferInner { device, id, size, hold, last_use: AtomicU64::new(0) }) }
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.inner.size
    }

    /// The device that it was allocated on.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Copies `bytes` into the buffer at `offset`, after the work that uses the buffer.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.bounds("Buffer::write", offset, bytes.len() as u64)?;
        let covers_all = bytes.len() as u64 == self.size();
        self.host_access(covers_all, |device, memory| device.write(memory, offset, bytes))
    }

    /// Copies from the buffer at `offset`, after the work that uses the buffer.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        self.bounds("Buffer::read", offset, bytes.len() as u64)?;
        self.host_access(false, |device, memory| device.read(memory, offset, bytes))
    }

    /// Lends the bytes of `range` to `f`, after the work that uses the buffer.
    ///
    /// Where host and device share memory this copies nothing. `f` must not use the device: it would wait for itself.
    pub fn map<R>(&self, range: Range<u64>, f: impl FnOnce(&mut [u8]) -> R) -> Result<R> {
        let bytes = range.end.saturating_sub(range.start);
        self.bounds("Buffer::map", range.start, bytes)?;
        self.host_access(false, |device, memory| {
            if let Some(host) = memory.host() {
                // SAFETY: `bounds` holds for the range; the memory is mapped for as long as it lives, which the
                // exclusive hold guarantees; and that hold keeps every other host access and submission out.
                let slice = unsafe {
                    std::slice::from_raw_parts_mut(host.as_ptr().add(range.start as usize), bytes as usize)
                };
                return Ok(f(slice));
            }
            let mut copy = vec![0; bytes as usize];
            device.read(memory, range.start, &mut copy)?;
            let result = f(&mut copy);
            device.write(memory, range.start, &copy)?;
            Ok(result)
        })
    }

    /// Copies the bytes of `range` to another buffer at `at`: on the device where both live on one, otherwise
    /// through the host, in pieces.
    pub fn copy_to(&self, range: Range<u64>, other: &Buffer, at: u64) -> Result<()> {
        const PIECE: u64 = 4 << 20;
        if self.device().is(other.device()) {
            let mut batch = self.device().batch();
            batch.copy_bytes(self, range, other, at)?;
            return batch.submit()?.wait();
        }
        let bytes = range.end.saturating_sub(range.start);
        self.bounds("Buffer::copy_to", range.start, bytes)?;
        other.bounds("Buffer::copy_to", at, bytes)?;
        let mut piece = vec![0; PIECE.min(bytes) as usize];
        let mut done = 0;
        while done < bytes {
            let now = PIECE.min(bytes - done);
            let piece = &mut piece[..now as usize];
            self.read(range.start + done, piece)?;
            other.write(at + done, piece)?;
            done += now;
        }
        Ok(())
    }

    /// Frees the memory now, after the work that uses it. Other clones give [`Error::Closed`] from then on, and so
    /// does freeing again.
    pub fn free(&self) -> Result<()> {
        let memory = {
            let mut held = self.exclusive(true)?;
            std::mem::replace(&mut *held.guard, Hold::Freed)
        };
        memory.free(self.size(), &self.device().inner.ledger);
        Ok(())
    }

    pub(crate) fn id(&self) -> u64 {
        self.inner.id
    }

    pub(crate) fn is(&self, other: &Buffer) -> bool {
        self.inner.id == other.inner.id
    }

    pub(crate) fn bounds(&self, what: &'static str, start: u64, bytes: u64) -> Result<()> {
        let size = self.size();
        match start.checked_add(bytes) {
            Some(end) if end <= size => Ok(()),
            end => Err(Error::OutOfBounds { what, start, end: end.unwrap_or(u64::MAX), size }),
        }
    }

    /// The backend's allocation, for work that has entered the buffer.
    pub(crate) fn memory(&self) -> Result<Arc<dyn Memory>> {
        match &*self.hold() {
            Hold::Here(place) => Ok(place.memory.clone()),
            other => Err(other.error()),
        }
    }

    /// Notes that submission `number` uses the buffer, from before it is handed over.
    pub(crate) fn enter(&self, number: u64) -> Result<()> {
        let hold = self.hold();
        if !matches!(*hold, Hold::Here(_)) {
            return Err(hold.error());
        }
        self.inner.last_use.fetch_max(number, Ordering::AcqRel);
        Ok(())
    }

    fn host_access<R>(
        &self,
        whole: bool,
        f: impl FnOnce(&dyn BackendDevice, &dyn Memory) -> Result<R>,
    ) -> Result<R> {
        let mut held = self.exclusive(whole)?;
        let place = match &*held.guard {
            Hold::Here(place) | Hold::Lost(place) => place.clone(),
            other => return Err(other.error()),
        };
        let result = f(&*place.backend, &*place.memory);
        if whole && result.is_ok() && matches!(*held.guard, Hold::Lost(_)) {
            *held.guard = Hold::Here(place.clone());
        }
        drop(held);
        if let Err(Error::DeviceLost { reason, .. }) = &result {
            self.device().lost(&place.backend, reason)?;
        }
        result
    }

    /// Waits until no submission uses the buffer and holds it. `overwrites` accepts lost contents.
    fn exclusive(&self, overwrites: bool) -> Result<Exclusive<'_>> {
        loop {
            let last_use = self.inner.last_use.load(Ordering::Acquire);
            self.device().settle(last_use);
            let guard = self.inner.hold.write().unwrap_or_else(PoisonError::into_inner);
            match &*guard {
                Hold::Here(_) => {}
                Hold::Lost(_) if overwrites => {}
                other => return Err(other.error()),
            }
            // Nobody can enter now; whoever entered since the wait is waited for in the next round.
            if self.inner.last_use.load(Ordering::Acquire) == last_use {
                return Ok(Exclusive { guard });
            }
        }
    }

    fn hold(&self) -> RwLockReadGuard<'_, Hold> {
        self.inner.hold.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BufferInner {
    /// Takes the memory away because the device closes.
    pub(crate) fn close(&self) {
        let mut hold = self.hold.write().unwrap_or_else(PoisonError::into_inner);
        if hold.place().is_some() {
            let memory = std::mem::replace(&mut *hold, Hold::DeviceClosed);
            drop(hold);
            memory.free(self.size, &self.device.inner.ledger);
        }
    }

    /// Moves the buffer to the backend that replaces a lost one. The contents come along where the host could see
    /// them; otherwise they are lost, and the buffer says so until it is written anew.
    pub(crate) fn move_to(&self, backend: &Arc<dyn BackendDevice>) -> Result<()> {
        let mut hold = self.hold.write().unwrap_or_else(PoisonError::into_inner);
        let Hold::Here(old) = &*hold else { return Ok(()) };
        if Arc::ptr_eq(&old.backend, backend) {
            return Ok(());
        }
        let memory = backend.allocate(self.size)?;
        let new = Place { backend: backend.clone(), memory, is_offloaded: false };
        let moved = match old.memory.host() {
            Some(bytes) => {
                let bytes = NonNull::slice_from_raw_parts(bytes, self.size as usize);
                // SAFETY: a mapping stays valid after the device is lost (Vulkan, "Lost Device") until the memory is
                // freed, which happens below; the allocation is at least `size` bytes; no work runs on a lost device.
                backend.write(&*new.memory, 0, unsafe { bytes.as_ref() })?;
                Hold::Here(new)
            }
            None => Hold::Lost(new),
        };
        if old.is_offloaded {
            self.device.inner.ledger.recall(self.size);
        }
        *hold = moved;
        Ok(())
    }

    /// Notes that the contents are lost, because work that wrote them cannot be repeated.
    pub(crate) fn lose(&self) {
        let mut hold = self.hold.write().unwrap_or_else(PoisonError::into_inner);
        if let Hold::Here(place) = &*hold {
            *hold = Hold::Lost(place.clone());
        }
    }
}

impl Drop for BufferInner {
    fn drop(&mut self) {
        let hold = self.hold.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(hold, Hold::Freed).free(self.size, &self.device.inner.ledger);
        self.device.inner.buffers.forget(self.id);
    }
}
