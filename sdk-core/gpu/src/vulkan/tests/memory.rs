//! Memory: every byte arrives, on both paths, and everything is given back.

use super::{Bench, Random, all_paths, bytes_of, watched};
use crate::{
    Error, ErrorKind, OpenOptions,
    backend::BackendDevice,
    memory_type::Placement,
    vulkan::{
        memory::VulkanMemory,
        staging::{SLOT_BYTES, Staging},
    },
};

#[test]
fn any_range_can_be_written_and_read() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let device = bench.device();
        let mut random = Random::printed();
        for size in [1, 3, 16, 17, 255, 4096, 70_001] {
            let buffer = device.allocate(size as u64).expect("allocates");
            let mut shadow = random.bytes(size);
            buffer.write(0, &shadow).expect("writes");
            for _ in 0..20 {
                let start = random.below(size);
                let count = random.below(size - start) + 1;
                let bytes = random.bytes(count);
                buffer.write(start as u64, &bytes).expect("writes");
                shadow[start..start + bytes.len()].copy_from_slice(&bytes);
                let from = random.below(size);
                let mut back = vec![0; size - from];
                buffer.read(from as u64, &mut back).expect("reads");
                assert_eq!(back, shadow[from..]);
            }
            assert_eq!(bytes_of(&buffer), shadow);
        }
        drop(device);
        bench.close();
    }
}

#[test]
fn transfers_around_the_size_of_the_staging_ring_arrive_whole() {
    let bench = Bench::open(&OpenOptions { without_unified_memory: true, ..watched() });
    let device = bench.device();
    let mut random = Random::printed();
    for size in [SLOT_BYTES - 1, SLOT_BYTES, SLOT_BYTES + 1, 4 * SLOT_BYTES, 5 * SLOT_BYTES + 7] {
        let buffer = device.allocate(size as u64).expect("allocates");
        let bytes = random.bytes(size);
        buffer.write(0, &bytes).expect("writes");
        assert!(bytes_of(&buffer) == bytes, "{size} bytes came back otherwise");
    }
    drop(device);
    bench.close();
}

#[test]
fn memory_that_is_not_coherent_is_flushed_and_invalidated() {
    let bench = Bench::open(&OpenOptions { without_unified_memory: true, ..watched() });
    // This driver has none; on coherent memory the calls are allowed all the same, and the layer checks them.
    let mut pretended = bench.backend.description().clone();
    for kind in &mut pretended.memory_types {
        kind.host_coherent = false;
        kind.host_cached = true;
    }
    let placement = Placement {
        buffers: 0,
        is_mapped: false,
        is_cached: false,
        upload: 0,
        download: 0,
        download_is_cached: true,
        offload: None,
    };
    let staging = Staging::new(&bench.backend.context, &pretended, placement);
    let mut random = Random::printed();
    for size in [1, 63, 64, 65, SLOT_BYTES - 1, SLOT_BYTES, SLOT_BYTES + 1] {
        let memory = bench.backend.allocate(size as u64).expect("allocates");
        let buffer = VulkanMemory::of(&*memory, "test", "test").expect("is ours").buffer();
        let (bytes, mut back) = (random.bytes(size), vec![0; size]);
        staging.upload(&bench.backend.queue, buffer, 0, &bytes).expect("uploads");
        staging.download(&bench.backend.queue, buffer, 0, &mut back).expect("downloads");
        assert!(bytes == back, "{size} bytes came back otherwise");
    }
    drop(staging);
    bench.close();
}

#[test]
fn nothing_to_transfer_is_fine() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let buffer = bench.device().allocate(5).expect("allocates");
        buffer.write(5, &[]).expect("writes");
        buffer.read(0, &mut []).expect("reads");
        drop(buffer);
        bench.close();
    }
}

#[test]
fn staging_takes_no_more_than_its_ring_whatever_is_uploaded() {
    let bench = Bench::open(&OpenOptions { without_unified_memory: true, ..watched() });
    let device = bench.device();
    let bytes = vec![7; 100 << 20];
    let buffer = device.allocate(bytes.len() as u64).expect("allocates");
    let before = bench.backend.memory_use().reserved;
    buffer.write(0, &bytes).expect("writes");
    assert_eq!(bench.backend.memory_use().reserved - before, 4 * SLOT_BYTES as u64);
    bench.backend.trim();
    assert_eq!(bench.backend.memory_use().reserved, before);
    assert!(bytes_of(&buffer) == bytes);
    drop((buffer, device));
    bench.close();
}

#[test]
fn unified_memory_is_mapped_and_staged_memory_is_not() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let memory = bench.backend.allocate(100).expect("allocates");
        assert_eq!(memory.host().is_some(), !options.without_unified_memory);
        drop(memory);
        bench.close();
    }
}

#[test]
fn the_host_address_shows_what_was_written() {
    let bench = Bench::open(&watched());
    let memory = bench.backend.allocate(4).expect("allocates");
    bench.backend.write(&*memory, 0, &[1, 2, 3, 4]).expect("writes");
    let host = memory.host().expect("is mapped");
    // SAFETY: the buffer has four bytes, and no work uses it.
    assert_eq!(unsafe { std::slice::from_raw_parts(host.as_ptr(), 4) }, [1, 2, 3, 4]);
    drop(memory);
    bench.close();
}

#[test]
fn freed_memory_is_used_again() {
    let bench = Bench::open(&watched());
    let first = bench.backend.allocate(1 << 20).expect("allocates");
    let address = first.host();
    drop(first);
    let second = bench.backend.allocate(1 << 20).expect("allocates");
    assert_eq!(second.host(), address);
    drop(second);
    bench.close();
}

#[test]
fn a_hundred_thousand_allocations_leave_nothing_behind() {
    let bench = Bench::open(&OpenOptions::default());
    let mut random = Random::printed();
    let mut held = Vec::new();
    for _ in 0..100_000 {
        let most = if random.below(50) == 0 { 8 << 20 } else { 64 << 10 };
        let bytes = random.below(most) + 1;
        held.push(bench.backend.allocate(bytes as u64).expect("allocates"));
        if held.len() > 20 {
            held.swap_remove(random.below(held.len()));
        }
    }
    held.clear();
    bench.backend.trim();
    assert_eq!(bench.backend.memory_use().reserved, 0);
    bench.close();
}

#[test]
fn trimming_keeps_what_is_in_use() {
    let bench = Bench::open(&watched());
    let device = bench.device();
    let (kept, freed) =
        (device.allocate(1000).expect("allocates"), device.allocate(1000).expect("allocates"));
    kept.write(0, &[9; 1000]).expect("writes");
    drop(freed);
    bench.backend.trim();
    assert!(bench.backend.memory_use().reserved > 0);
    assert_eq!(bytes_of(&kept), [9; 1000]);
    drop((kept, device));
    bench.close();
}

#[test]
fn what_does_not_fit_is_an_error_and_harms_nobody() {
    let bench = Bench::open(&OpenOptions::default());
    let all = bench.backend.description().total_memory();
    for bytes in [all + 1, u64::MAX - 15, u64::MAX] {
        let error = bench.backend.allocate(bytes).err().expect("does not fit");
        assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
    }
    assert!(bench.backend.allocate(1000).is_ok());
    bench.close();
}

#[test]
fn a_buffer_may_outlive_its_device() {
    let Bench { instance, backend } = Bench::open(&watched());
    let memory = backend.allocate(100).expect("allocates");
    drop(backend);
    assert!(memory.host().is_some());
    drop(memory);
    assert_eq!(instance.messages(), Vec::<String>::new());
}

#[test]
fn memory_of_another_backend_is_refused() {
    struct Foreign;
    impl crate::backend::Memory for Foreign {
        fn host(&self) -> Option<std::ptr::NonNull<u8>> {
            None
        }
    }
    let bench = Bench::open(&watched());
    assert!(matches!(bench.backend.write(&Foreign, 0, &[1]), Err(Error::WrongDevice { .. })));
    assert!(matches!(bench.backend.read(&Foreign, 0, &mut [1]), Err(Error::WrongDevice { .. })));
    bench.close();
}
