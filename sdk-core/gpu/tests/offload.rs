//! Buffers that leave the device's own memory for the host's: nothing of what they hold or compute changes.
//!
//! The GPU here shares its memory with the host. Opened as if the host could not reach it, it is treated as a card is, and
//! what uploads pass through stands for the host's memory.
#![allow(clippy::unwrap_used)]

mod common;

use common::{GPU, Seed, cpu, download, gpu, gpu_with, upload};
use exo_gpu::{Buffer, Device, ErrorKind, Faults, Gpu, Health, OpenOptions, Tensor, Weight};

fn card() -> OpenOptions {
    OpenOptions::default().without_unified_memory()
}

fn bytes_of(buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes).unwrap();
    bytes
}

fn filled(device: &Device, bytes: &[u8]) -> Buffer {
    let buffer = device.allocate(bytes.len() as u64).unwrap();
    buffer.write(0, bytes).unwrap();
    buffer
}

/// Bytes in the device's own memory, and in the host's.
fn counts(device: &Device) -> (u64, u64) {
    (device.memory_report().unwrap().used, device.offloaded())
}

/// `x · weightᵀ`
fn product(device: &Device, x: &Tensor, weight: &Tensor) -> Vec<f32> {
    let y = device.tensor(exo_gpu::DType::F32, &[3, 40]).unwrap();
    let mut batch = device.batch();
    batch.matmul(x, &Weight::Dense(weight.clone()), &y).unwrap();
    batch.submit().unwrap().wait().unwrap();
    download(&y)
}

#[test]
fn bytes_are_the_same_before_and_after_and_can_be_changed_there() {
    let mut seed = Seed::printed("offload");
    let device = gpu_with(card());
    assert!(device.has_own_memory());
    for size in [1, 17, 4096, 100_003, 20 << 20] {
        let mut expected = seed.bytes(size);
        let buffer = filled(&device, &expected);
        assert!(!buffer.is_offloaded());
        assert_eq!(buffer.offload().unwrap(), size as u64);
        assert!(buffer.is_offloaded());
        assert!(bytes_of(&buffer) == expected, "{size} bytes");
        expected[size / 2] ^= 0xff;
        buffer.write(size as u64 / 2, &expected[size / 2..=size / 2]).unwrap();
        assert!(bytes_of(&buffer) == expected, "{size} bytes, one of them new");
        let copy = device.allocate(size as u64).unwrap();
        buffer.copy_to(0..size as u64, &copy, 0).unwrap();
        assert!(bytes_of(&copy) == expected, "{size} bytes, back on the device");
    }
}

#[test]
fn kernels_give_the_same_numbers_to_the_last_bit() {
    let mut seed = Seed::printed("offload kernels");
    let device = gpu_with(card());
    let (x, weight) =
        (upload(&device, &[3, 64], &seed.floats(3 * 64)), upload(&device, &[40, 64], &seed.floats(40 * 64)));
    let before = product(&device, &x, &weight);
    weight.buffer().offload().unwrap();
    assert_eq!(product(&device, &x, &weight), before, "the weight is on the host");
    x.buffer().offload().unwrap();
    assert_eq!(product(&device, &x, &weight), before, "both are");
    let mut batch = device.batch();
    batch.add(&x, &x, &x).unwrap();
    let doubled: Vec<f32> = download(&x).iter().map(|x| x + x).collect();
    batch.submit().unwrap().wait().unwrap();
    assert_eq!(download(&x), doubled, "kernels write there, too");
    assert_eq!(device.substituted(), 0);
}

#[test]
fn work_that_was_recorded_or_submitted_before_goes_on() {
    let device = gpu_with(card());
    let x = upload(&device, &[1000], &[1.0; 1000]);
    let mut later = device.batch();
    later.add(&x, &x, &x).unwrap();
    let submitted: Vec<_> = (0..8)
        .map(|_| {
            let mut batch = device.batch();
            batch.add(&x, &x, &x).unwrap();
            batch.submit().unwrap()
        })
        .collect();
    x.buffer().offload().unwrap();
    assert_eq!(download(&x), [256.0; 1000], "what was submitted is done");
    later.submit().unwrap().wait().unwrap();
    assert_eq!(download(&x), [512.0; 1000]);
    for submission in submitted {
        submission.wait().unwrap();
    }
}

#[test]
fn every_byte_is_counted_on_one_side_and_comes_back_from_both() {
    let device = gpu_with(card());
    let (a, b) = (filled(&device, &[1; 1000]), filled(&device, &[2; 500]));
    assert_eq!(counts(&device), (1500, 0));
    assert_eq!(a.offload().unwrap(), 1000);
    assert_eq!(counts(&device), (500, 1000));
    assert_eq!(a.offload().unwrap(), 0, "it is there already");
    assert_eq!(a.clone().offload().unwrap(), 0, "and so are its clones");
    assert_eq!(counts(&device), (500, 1000));
    a.free().unwrap();
    assert_eq!(counts(&device), (500, 0));
    assert_eq!(a.offload().unwrap_err().kind(), ErrorKind::Closed);
    b.offload().unwrap();
    drop(b);
    assert_eq!(counts(&device), (0, 0));
    device.trim().unwrap();
    assert_eq!(device.memory_report().unwrap().reserved, 0, "nothing is kept on either side");
}

#[test]
fn what_was_moved_makes_room_in_the_budget() {
    let device = gpu_with(card().memory_cap(1 << 20));
    let bytes = vec![7; 900 << 10];
    let held = filled(&device, &bytes);
    assert_eq!(device.allocate(200 << 10).unwrap_err().kind(), ErrorKind::OutOfMemory);
    held.offload().unwrap();
    device.allocate(1 << 20).unwrap();
    assert!(bytes_of(&held) == bytes);
}

#[test]
fn where_memory_is_shared_it_is_refused_with_the_reason() {
    for device in [cpu(), gpu()] {
        let buffer = filled(&device, &[3; 100]);
        let error = buffer.offload().unwrap_err();
        assert!(!device.has_own_memory());
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("shares its memory with the host"), "{error}");
        assert_eq!((bytes_of(&buffer), counts(&device)), (vec![3; 100], (100, 0)));
    }
}

#[test]
fn where_the_host_has_no_room_the_buffer_stays_as_it_was() {
    // The second allocation is the one on the host.
    let faults = Faults { out_of_memory_at_allocation: Some(2), ..Faults::default() };
    let device = gpu_with(card().faults(faults));
    let buffer = filled(&device, &[5; 3000]);
    assert_eq!(buffer.offload().unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert!(!buffer.is_offloaded());
    assert_eq!((bytes_of(&buffer), counts(&device)), (vec![5; 3000], (3000, 0)));
    assert_eq!(buffer.offload().unwrap(), 3000, "there is room now");
    assert_eq!((bytes_of(&buffer), counts(&device)), (vec![5; 3000], (0, 3000)));
}

#[test]
fn when_the_device_is_lost_what_was_on_the_host_is_kept() {
    // Two uploads and a move were submitted before.
    let faults = Faults { lose_device_at_submission: Some(4), ..Faults::default() };
    let gpu = Gpu::open(card().backend(GPU).faults(faults)).unwrap();
    let device = gpu.device();
    let (moved, left) = (filled(device, &[8; 2000]), filled(device, &[9; 2000]));
    moved.offload().unwrap();
    assert_eq!(left.offload().unwrap_err().kind(), ErrorKind::DeviceLost, "in the middle of its move");
    assert_ne!(device.health(), Health::Well);
    assert_eq!(bytes_of(&moved), [8; 2000]);
    assert_eq!(left.read(0, &mut [0]).unwrap_err().kind(), ErrorKind::DeviceLost);
    // The CPU's memory is the host's: there is one side again.
    assert!(!moved.is_offloaded() && !device.has_own_memory());
    assert_eq!(counts(device), (4000, 0));
    assert_eq!(moved.offload().unwrap_err().kind(), ErrorKind::Unsupported);
    drop((moved, left));
    assert_eq!(counts(device), (0, 0));
}
