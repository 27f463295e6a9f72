//! Which memory to allocate from: a pure function over what the device says.
//!
//! Phones have one memory that the GPU and the host share; there a buffer lives in memory that both see, and
//! transfers are plain copies. A card has memory of its own behind a bus: buffers live there and transfers go
//! through staging. Two things look like the first case and are the second:
//! * a window: many cards show the host a 256 MiB slice of their memory as a heap of its own, too small for
//!   weights and not to be taken for shared memory;
//! * resizable BAR: the host sees all of a card's memory, but every read crosses the bus, uncached and slow.
//!
//! This module knows nothing of Vulkan calls: the backend passes which types a buffer may use as a bit mask.
//! (Protected and lazily allocated memory are kept out by that mask; a description does not show them.)

use crate::{DeviceKind, Heap, MemoryType};

/// A mask that allows every memory type.
pub(crate) const ANY_TYPE: u32 = u32::MAX;

/// Reads of at least this many bytes from memory that the host does not cache go through staging: plain loads
/// from such memory run at a few hundred MB/s, a copy by the device and one through the cache at several GB/s.
const UNCACHED_READ_LIMIT: usize = 32 << 10;

/// Where buffers live and what transfers go through. The numbers are indices of memory types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    /// Where buffers live.
    pub(crate) buffers: u32,
    /// Whether the host maps that memory, so that a write is a plain copy.
    pub(crate) is_mapped: bool,
    /// Whether the host caches it, so that a read is a plain copy too.
    pub(crate) is_cached: bool,
    /// What uploads go through otherwise.
    pub(crate) upload: u32,
    /// What downloads go through otherwise.
    pub(crate) download: u32,
    /// Whether the host caches that.
    pub(crate) download_is_cached: bool,
    /// Where buffers can go when the device's own memory is short: the host's, where both are there.
    pub(crate) offload: Option<u32>,
}

impl Placement {
    /// The choice for a device, among the types that `allowed` names by bit.
    ///
    /// `None` where the host can see none of its memory coherently, which Vulkan forbids.
    pub(crate) fn choose(
        kind: DeviceKind,
        heaps: &[Heap],
        types: &[MemoryType],
        allowed: u32,
    ) -> Option<Self> {
        let candidates = || {
            (0u32..).zip(types).filter(move |(index, _)| allowed.checked_shr(*index).unwrap_or(0) & 1 == 1)
        };
        let size = |t: &MemoryType| heaps.get(t.heap as usize).map_or(0, |heap| heap.bytes);
        let largest = candidates().filter(|(_, t)| t.device_local).map(|(_, t)| size(t)).max().unwrap_or(0);

        // Staging belongs in the host's memory. Writes want write-combining, reads want the cache.
        let upload = best(candidates().filter(|(_, t)| is_coherent(**t)), |t| {
            (!t.device_local, !t.host_cached, size(t))
        })?;
        let download = best(candidates().filter(|(_, t)| is_coherent(**t)), |t| {
            (t.host_cached, !t.device_local, size(t))
        })?;
        // Shared memory: coherent, in the largest of the device's heaps, and cached where there is a choice, so
        // that reading results back is fast.
        let shared = candidates().filter(|(_, t)| {
            kind != DeviceKind::Discrete && t.device_local && is_coherent(**t) && size(t) == largest
        });
        let shared = best(shared, |t| t.host_cached);
        // Otherwise the device's own memory, and the plain kind, so that a visible window stays free for others.
        // A device without memory of its own computes in the host's.
        let buffers =
            shared.or_else(|| best(candidates(), |t| (t.device_local, size(t), !t.host_visible)))?;
        Some(Self {
            buffers: buffers.0,
            is_mapped: shared.is_some(),
            is_cached: shared.is_some_and(|(_, t)| t.host_cached),
            upload: upload.0,
            download: download.0,
            download_is_cached: download.1.host_cached,
            // Kernels read it over the bus, which is faster without asking the host's cache: as for uploads.
            offload: (shared.is_none() && buffers.1.device_local && !upload.1.device_local)
                .then_some(upload.0),
        })
    }

    /// The same device, as if the host could not map where buffers live, and had what uploads go through for itself.
    pub(crate) fn without_mapping(self) -> Self {
        Self { is_mapped: false, is_cached: false, offload: Some(self.upload), ..self }
    }

    /// Whether a read of `bytes` is a plain copy from where the buffer lives.
    pub(crate) fn reads_directly(&self, bytes: usize) -> bool {
        self.is_mapped && (self.is_cached || !self.download_is_cached || bytes < UNCACHED_READ_LIMIT)
    }
}

/// The candidate with the highest score; of equals the first, since drivers list their faster types first.
fn best<'a, K: Ord>(
    candidates: impl Iterator<Item = (u32, &'a MemoryType)>,
    score: impl Fn(&MemoryType) -> K,
) -> Option<(u32, &'a MemoryType)> {
    candidates.max_by_key(|(index, t)| (score(t), std::cmp::Reverse(*index)))
}

/// Mapped memory that needs no flush: the only kind that the host touches here.
fn is_coherent(t: MemoryType) -> bool {
    t.host_visible && t.host_coherent
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn heap(bytes: u64, device_local: bool) -> Heap {
        Heap { bytes, budget: None, device_local }
    }

    /// Flags as Vulkan numbers them: 1 device-local, 2 host-visible, 4 coherent, 8 cached.
    fn memory(heap: u32, flags: u32) -> MemoryType {
        MemoryType {
            heap,
            device_local: flags & 1 != 0,
            host_visible: flags & 2 != 0,
            host_coherent: flags & 4 != 0,
            host_cached: flags & 8 != 0,
        }
    }

    #[test]
    fn a_card_whose_whole_memory_is_visible_still_stages() {
        let heaps = [heap(16 * GIB, true), heap(32 * GIB, false)];
        let types = [memory(0, 1), memory(1, 6), memory(0, 7), memory(1, 14)];
        let card = Placement::choose(DeviceKind::Discrete, &heaps, &types, ANY_TYPE).unwrap();
        assert_eq!((card.buffers, card.upload, card.download, card.is_mapped), (0, 1, 3, false));
        let shared = Placement::choose(DeviceKind::Integrated, &heaps, &types, ANY_TYPE).unwrap();
        assert_eq!((shared.buffers, shared.is_mapped), (2, true));
    }

    #[test]
    fn a_type_that_buffers_may_not_use_is_passed_over() {
        let heaps = [heap(4 * GIB, true)];
        let types = [memory(0, 15), memory(0, 7)];
        let all = Placement::choose(DeviceKind::Integrated, &heaps, &types, ANY_TYPE).unwrap();
        let some = Placement::choose(DeviceKind::Integrated, &heaps, &types, 0b10).unwrap();
        assert_eq!((all.buffers, some.buffers), (0, 1));
        assert_eq!(Placement::choose(DeviceKind::Integrated, &heaps, &types, 0), None);
    }

    #[test]
    fn memory_that_needs_flushes_is_never_mapped() {
        let heaps = [heap(4 * GIB, true)];
        let types = [memory(0, 11), memory(0, 7)];
        let phone = Placement::choose(DeviceKind::Integrated, &heaps, &types, ANY_TYPE).unwrap();
        assert_eq!((phone.buffers, phone.is_mapped, phone.is_cached), (1, true, false));
    }

    #[test]
    fn large_reads_from_uncached_memory_go_through_staging_where_that_is_cached() {
        let heaps = [heap(4 * GIB, true), heap(4 * GIB, false)];
        let types = [memory(0, 7), memory(1, 14)];
        let phone = Placement::choose(DeviceKind::Integrated, &heaps, &types, ANY_TYPE).unwrap();
        assert!(phone.reads_directly(4) && !phone.reads_directly(1 << 20));
        assert!(!phone.without_mapping().reads_directly(4));
    }

    #[test]
    fn buffers_of_a_card_can_go_to_the_host_and_never_to_its_own_window() {
        let heaps = [heap(8 * GIB, true), heap(16 * GIB, false), heap(GIB / 4, true)];
        let offload = |kind, types: &[MemoryType]| {
            Placement::choose(kind, &heaps, types, ANY_TYPE).and_then(|placement| placement.offload)
        };
        let card = [memory(0, 1), memory(2, 7), memory(1, 14), memory(1, 6)];
        assert_eq!(offload(DeviceKind::Discrete, &card), Some(3), "and not where the host caches");
        assert_eq!(offload(DeviceKind::Discrete, &card[..2]), None, "there is only the window");
        assert_eq!(
            offload(DeviceKind::Integrated, &[memory(0, 7), memory(1, 6)]),
            None,
            "one memory for both"
        );
        assert_eq!(offload(DeviceKind::Other, &card[2..]), None, "it computes in the host's already");
    }

    #[test]
    fn a_type_that_names_no_heap_does_no_harm() {
        let types = [memory(7, 15)];
        assert!(Placement::choose(DeviceKind::Other, &[], &types, ANY_TYPE).is_some());
    }
}
