//! Which memory types to use: a pure function over what a device reports.

use crate::{Heap, MemoryType};

/// Reads of at least this many bytes from memory that the host does not cache go through staging: plain loads
/// from such memory run at a few hundred MB/s, a copy by the device and one through the cache at several GB/s.
const UNCACHED_READ_LIMIT: usize = 32 << 10;

/// Where buffers live and what transfers go through. The numbers are indices of memory types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    /// Where buffers live.
    pub(super) buffers: u32,
    /// Whether the host maps that memory, so that a write is a plain copy.
    pub(super) is_mapped: bool,
    /// Whether the host caches it, so that a read is a plain copy too.
    pub(super) is_cached: bool,
    /// What uploads go through otherwise.
    pub(super) upload: u32,
    /// What downloads go through otherwise.
    pub(super) download: u32,
    /// Whether the host caches that.
    pub(super) download_is_cached: bool,
}

impl Placement {
    /// The choice for a device, or `None` when the host can see none of its memory.
    ///
    /// Unified memory is a coherent type in the heap where everything else lives, too: a small window into a
    /// discrete card's memory does not count.
    pub(super) fn choose(heaps: &[Heap], types: &[MemoryType]) -> Option<Self> {
        let heap_bytes = |t: &MemoryType| heaps.get(t.heap as usize).map_or(0, |heap| heap.bytes);
        let indexed = || types.iter().enumerate().map(|(index, t)| (index as u32, t));
        let largest = types.iter().filter(|t| t.device_local).map(heap_bytes).max().unwrap_or(0);
        let best = |wanted: &dyn Fn(&MemoryType) -> bool, score: &dyn Fn(&MemoryType) -> u32| {
            // The first of equals, since drivers list their faster types first.
            indexed().filter(|(_, t)| wanted(t)).first_max_by(|(_, t)| score(t))
        };

        let upload = best(&|t| t.host_visible && t.host_coherent, &|t| u32::from(!t.device_local))?;
        let download = best(&|t| t.host_visible && (t.host_coherent || t.host_cached), &|t| {
            2 * u32::from(t.host_cached) + u32::from(t.host_coherent)
        })?;
        let unified = best(
            &|t| t.device_local && t.host_visible && t.host_coherent && heap_bytes(t) == largest,
            &|t| u32::from(t.host_cached),
        );
        let buffers = unified.or_else(|| {
            best(&|t| t.device_local && heap_bytes(t) == largest, &|t| u32::from(!t.host_visible))
        })?;
        Some(Self {
            buffers: buffers.0,
            is_mapped: unified.is_some(),
            is_cached: unified.is_some_and(|(_, t)| t.host_cached),
            upload: upload.0,
            download: download.0,
            download_is_cached: download.1.host_cached,
        })
    }

    /// The same device, as if the host could not map where buffers live.
    pub(super) fn without_mapping(self) -> Self {
        Self { is_mapped: false, is_cached: false, ..self }
    }

    /// Whether a read of `bytes` is a plain copy from where the buffer lives.
    pub(super) fn reads_directly(&self, bytes: usize) -> bool {
        self.is_mapped && (self.is_cached || !self.download_is_cached || bytes < UNCACHED_READ_LIMIT)
    }
}

trait FirstMax: Iterator + Sized {
    /// Like `max_by_key`, but of equals the first.
    fn first_max_by(self, key: impl Fn(&Self::Item) -> u32) -> Option<Self::Item> {
        self.fold(None, |best: Option<Self::Item>, item| match best {
            Some(best) if key(&best) >= key(&item) => Some(best),
            _ => Some(item),
        })
    }
}

impl<I: Iterator> FirstMax for I {}
