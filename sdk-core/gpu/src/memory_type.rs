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

use crate::{DeviceDescription, DeviceKind, Heap, MemoryType};

/// What a piece of memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Weights and activations: what kernels read and write.
    Kernels,
    /// The host writes once, front to back; the device copies from it.
    Upload,
    /// The device copies into it; the host reads.
    Download,
}

/// A mask that allows every memory type.
pub(crate) const ANY_TYPE: u32 = u32::MAX;

/// Whether kernels can work directly in memory that the host sees coherently.
///
/// True when such memory exists on the largest of the device's own heaps and the device is not a card: on a
/// card even fully visible memory is behind the bus.
pub(crate) fn is_unified(kind: DeviceKind, heaps: &[Heap], types: &[MemoryType]) -> bool {
    let Some(largest) = largest_own_heap(heaps) else { return false };
    kind != DeviceKind::Discrete
        && types.iter().any(|t| t.device_local && is_coherent(t) && bytes(heaps, t) == largest)
}

/// The index of the memory type to allocate from for `usage`, among those that `allowed` names by bit.
///
/// `None` only where a driver breaks Vulkan's promise of one coherent host-visible type, or where the mask
/// leaves nothing; [`crate::rank`] refuses such a device before anybody allocates.
pub(crate) fn memory_type_for(device: &DeviceDescription, usage: Use, allowed: u32) -> Option<u32> {
    (0u32..)
        .zip(&device.memory_types)
        .filter(|(index, _)| allowed.checked_shr(*index).unwrap_or(0) & 1 == 1)
        .filter_map(|(index, t)| Some((score(device, usage, t)?, index)))
        // The higher score wins; of equals the first, as Vulkan orders types by preference.
        .max_by_key(|(score, index)| (*score, std::cmp::Reverse(*index)))
        .map(|(_, index)| index)
}

/// How well a type serves, most important property first; `None` where it does not serve at all.
fn score(device: &DeviceDescription, usage: Use, t: &MemoryType) -> Option<(bool, u64, bool)> {
    let heap = bytes(&device.heaps, t);
    match usage {
        // Shared memory: coherent, in the large heap, and cached so that reading results back is fast.
        Use::Kernels if device.unified_memory => {
            (t.device_local && is_coherent(t)).then_some((true, heap, t.host_cached))
        }
        // A card: its own memory, and the plain kind, so that a visible window stays free for others.
        // A device without memory of its own computes in the host's.
        Use::Kernels => Some((t.device_local, heap, !t.host_visible)),
        // Staging belongs in the host's memory. Writes want write-combining, reads want the cache.
        Use::Upload => is_coherent(t).then_some((!t.device_local, heap, !t.host_cached)),
        Use::Download => is_coherent(t).then_some((t.host_cached, heap, !t.device_local)),
    }
}

/// Mapped memory that needs no flush: the only kind that the host touches here.
fn is_coherent(t: &MemoryType) -> bool {
    t.host_visible && t.host_coherent
}

fn bytes(heaps: &[Heap], t: &MemoryType) -> u64 {
    heaps.get(t.heap as usize).map_or(0, |heap| heap.bytes)
}

fn largest_own_heap(heaps: &[Heap]) -> Option<u64> {
    heaps.iter().filter(|heap| heap.device_local).map(|heap| heap.bytes).max()
}
