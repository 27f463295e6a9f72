//! The choice of memory types, on the layouts that drivers are known to report. All are made up after what
//! public reports of such devices show.

use crate::{Heap, MemoryType, vulkan::placement::Placement};

const GIB: u64 = 1 << 30;

fn heap(bytes: u64, device_local: bool) -> Heap {
    Heap { bytes, budget: None, device_local }
}

/// A memory type from letters: **d**evice-local, **v**isible, **c**oherent, cac**h**ed.
fn kind(heap: u32, letters: &str) -> MemoryType {
    MemoryType {
        heap,
        device_local: letters.contains('d'),
        host_visible: letters.contains('v'),
        host_coherent: letters.contains('c'),
        host_cached: letters.contains('h'),
    }
}

#[test]
fn a_phone_with_one_heap_prefers_cached_unified_memory() {
    let placement = Placement::choose(
        &[heap(6 * GIB, true)],
        &[kind(0, "d"), kind(0, "dvc"), kind(0, "dvch"), kind(0, "dvh")],
    )
    .expect("chooses");
    assert_eq!((placement.buffers, placement.is_mapped, placement.is_cached), (2, true, true));
    assert!(placement.reads_directly(1 << 30));
}

#[test]
fn a_phone_whose_cached_memory_is_not_coherent_maps_the_coherent_and_reads_through_the_cached() {
    let placement =
        Placement::choose(&[heap(6 * GIB, true)], &[kind(0, "dvc"), kind(0, "dvh")]).expect("chooses");
    assert_eq!((placement.buffers, placement.is_mapped, placement.is_cached), (0, true, false));
    assert_eq!((placement.upload, placement.download), (0, 1));
    assert!(placement.reads_directly(4));
    assert!(!placement.reads_directly(1 << 20));
}

#[test]
fn a_phone_without_cached_memory_reads_as_it_can() {
    let placement = Placement::choose(&[heap(GIB, true)], &[kind(0, "dvc")]).expect("chooses");
    assert!(placement.is_mapped && placement.reads_directly(1 << 30));
}

#[test]
fn a_card_with_a_small_window_is_fed_by_staging() {
    let heaps = [heap(8 * GIB, true), heap(16 * GIB, false), heap(256 << 20, true)];
    let types = [kind(0, "d"), kind(1, "vc"), kind(1, "vch"), kind(2, "dvc")];
    let placement = Placement::choose(&heaps, &types).expect("chooses");
    assert_eq!((placement.buffers, placement.is_mapped), (0, false));
    assert_eq!((placement.upload, placement.download), (1, 2));
    assert!(!placement.reads_directly(1));
}

#[test]
fn a_card_that_shows_all_its_memory_is_written_directly_and_read_through_the_cache() {
    let heaps = [heap(8 * GIB, true), heap(16 * GIB, false)];
    let types = [kind(0, "d"), kind(1, "vc"), kind(1, "vch"), kind(0, "dvc")];
    let placement = Placement::choose(&heaps, &types).expect("chooses");
    assert_eq!((placement.buffers, placement.is_mapped, placement.download), (3, true, 2));
    assert!(!placement.reads_directly(1 << 20));
}

#[test]
fn a_device_whose_memory_nobody_can_see_is_refused() {
    assert_eq!(Placement::choose(&[heap(GIB, true)], &[kind(0, "d")]), None);
    assert_eq!(Placement::choose(&[], &[]), None);
}
