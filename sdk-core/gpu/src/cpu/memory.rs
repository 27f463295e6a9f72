//! Allocations: aligned for the widest vectors, never zero-filled, refused rather than overcommitted.
//!
//! Linux hands out addresses freely and kills the process later, when they are touched. So an allocation is first
//! weighed against what the system says it has: small ones against the total, large ones (where asking costs
//! nothing next to touching the pages) against what is available now.

use std::{
    alloc::{Layout, alloc, dealloc},
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::host;
use crate::{
    Error, Result,
    backend::{Memory, MemoryUse},
};

/// A cache line, and the width of the widest vectors.
const ALIGNMENT: usize = 64;

/// From here on the system is asked what is available before memory is promised.
const LARGE: u64 = 16 << 20;

/// From here on large pages are asked for.
const WORTH_LARGE_PAGES: u64 = 2 * host::LARGE_PAGE as u64;

const HELP: &str = "free buffers or use a smaller model";

const SPARE_HELP: &str = "the host gives a device at most half of what it has left";

/// Whether the host can take over `bytes` of another device and still has as much left: a shortage is not to be moved from
/// one to the other.
pub(crate) fn can_spare(bytes: u64) -> Result<()> {
    let available = host::available_memory().unwrap_or(u64::MAX);
    if bytes <= available / 2 {
        return Ok(());
    }
    let limit = host::total_memory().unwrap_or(available);
    Err(Error::OutOfMemory { asked: bytes, available, limit, pool: "host", help: SPARE_HELP })
}

/// Counts what the device holds.
pub(super) struct Pool {
    reserved: AtomicU64,
    /// The machine's memory or the container's limit; `u64::MAX` where nobody says.
    limit: u64,
}

impl Pool {
    pub(super) fn new(limit: Option<u64>) -> Arc<Self> {
        Arc::new(Self { reserved: AtomicU64::new(0), limit: limit.unwrap_or(u64::MAX) })
    }

    pub(super) fn memory_use(&self) -> MemoryUse {
        let reserved = self.reserved.load(Ordering::Relaxed);
        MemoryUse {
            reserved,
            budget: host::available_memory().map(|available| reserved.saturating_add(available)),
        }
    }

    /// Allocates at least `bytes`, padded to whole cache lines.
    pub(super) fn allocate(self: &Arc<Self>, bytes: u64) -> Result<Arc<HostMemory>> {
        let padded = bytes.checked_next_multiple_of(ALIGNMENT as u64).unwrap_or(u64::MAX);
        let alignment = if padded >= WORTH_LARGE_PAGES { host::LARGE_PAGE } else { ALIGNMENT };
        let layout =
            usize::try_from(padded).ok().and_then(|size| Layout::from_size_align(size, alignment).ok());
        let Some(layout) = layout.filter(|layout| layout.size() > 0) else {
            return Err(self.exhausted(bytes, self.left()));
        };
        let mut left = self.left();
        if padded >= LARGE && padded <= left {
            left = left.min(host::available_memory().unwrap_or(u64::MAX));
        }
        if padded > left {
            return Err(self.exhausted(bytes, left));
        }
        // SAFETY: the layout's size is not zero, by the filter above.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else {
            return Err(self.exhausted(bytes, left));
        };
        if padded >= WORTH_LARGE_PAGES {
            host::prefer_large_pages(start, layout.size());
        }
        self.reserved.fetch_add(padded, Ordering::Relaxed);
        Ok(Arc::new(HostMemory { start, layout, pool: self.clone() }))
    }

    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.reserved.load(Ordering::Relaxed))
    }

    fn exhausted(&self, asked: u64, available: u64) -> Error {
        Error::OutOfMemory { asked, available, limit: self.limit, pool: "host", help: HELP }
    }
}

/// One allocation. Freed when dropped.
pub(super) struct HostMemory {
    start: NonNull<u8>,
    layout: Layout,
    pool: Arc<Pool>,
}

// SAFETY: the bytes belong to this value alone and are not bound to a thread. It never touches them itself; the
// front orders the accesses of work, reads and writes (see `backend`).
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

impl Memory for HostMemory {
    fn host(&self) -> Option<NonNull<u8>> {
        Some(self.start)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: `start` came from `alloc` with this very layout, and only here is it given back.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
        self.pool.reserved.fetch_sub(self.layout.size() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn memory_is_aligned_padded_and_counted_until_it_is_dropped() {
        let pool = Pool::new(None);
        let one = pool.allocate(1).unwrap();
        let more = pool.allocate(100).unwrap();
        assert_eq!(pool.reserved.load(Ordering::Relaxed), 64 + 128);
        for memory in [&one, &more] {
            assert_eq!(memory.start.as_ptr() as usize % ALIGNMENT, 0);
        }
        // SAFETY: 128 bytes were allocated, and nobody else has them.
        unsafe { more.start.as_ptr().write_bytes(7, 128) };
        drop(one);
        drop(more);
        assert_eq!(pool.reserved.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn memory_beyond_the_limit_is_an_error_that_says_what_is_left() {
        let pool = Pool::new(Some(1000));
        let held = pool.allocate(640).unwrap();
        let error = pool.allocate(500).err().unwrap();
        assert!(
            matches!(error, Error::OutOfMemory { asked: 500, available: 360, limit: 1000, .. }),
            "{error}"
        );
        drop(held);
        assert!(pool.allocate(500).is_ok());
    }

    #[test]
    fn the_host_does_not_give_what_it_needs_itself() {
        assert!(can_spare(1).is_ok());
        let error = can_spare(u64::MAX).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
        assert!(error.to_string().contains("half of what it has left"), "{error}");
    }

    #[test]
    fn memory_that_no_machine_has_is_an_error() {
        for bytes in [u64::MAX, u64::MAX - 63, i64::MAX as u64, 1 << 50] {
            let error = Pool::new(Some(1 << 40)).allocate(bytes).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::OutOfMemory);
        }
    }
}
