//! Buffers: transfers of any range, typed errors for every mistake, and honest reports.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::{Arc, Mutex};

use common::{Seed, cpu, every_device, gpu, gpu_with};
use exo_gpu::{DType, ErrorKind, OpenOptions, Pressure, Tensor};

#[test]
fn bytes_come_back_from_any_range_at_any_alignment() {
    let mut seed = Seed::printed("ranges");
    for (name, device) in every_device() {
        let size = 100_003_u64;
        let buffer = device.allocate(size).unwrap();
        let mut expected = seed.bytes(size as usize);
        buffer.write(0, &expected).unwrap();
        for _ in 0..200 {
            let start = seed.below(size);
            let length = seed_length(&mut seed, size - start);
            let bytes = seed.bytes(length);
            buffer.write(start, &bytes).unwrap();
            expected[start as usize..start as usize + bytes.len()].copy_from_slice(&bytes);
            let from = seed.below(size);
            let mut back = vec![0; seed_length(&mut seed, size - from)];
            buffer.read(from, &mut back).unwrap();
            assert_eq!(back, expected[from as usize..from as usize + back.len()], "{name}");
        }
    }
}

fn seed_length(seed: &mut Seed, most: u64) -> usize {
    seed.below(most.min(5000)) as usize
}

#[test]
fn a_transfer_larger_than_the_staging_ring_arrives_whole() {
    let mut seed = Seed::printed("large transfer");
    for (name, device) in every_device() {
        let bytes = seed.bytes(8 << 20).repeat(11);
        let buffer = device.allocate(bytes.len() as u64 + 3).unwrap();
        buffer.write(3, &bytes).unwrap();
        let mut back = vec![0; bytes.len()];
        buffer.read(3, &mut back).unwrap();
        assert!(back == bytes, "{name}");
    }
}

#[test]
fn a_map_lends_the_bytes_and_keeps_what_was_changed() {
    for (name, device) in every_device() {
        let buffer = device.allocate(64).unwrap();
        buffer.write(0, &[7; 64]).unwrap();
        let sum: u32 = buffer
            .map(10..20, |bytes| {
                bytes[0] = 1;
                bytes.iter().map(|b| u32::from(*b)).sum()
            })
            .unwrap();
        assert_eq!(sum, 1 + 9 * 7, "{name}");
        let mut back = [0; 2];
        buffer.read(9, &mut back).unwrap();
        assert_eq!(back, [7, 1], "{name}");
    }
}

#[test]
fn copies_run_inside_a_device_and_across_devices_and_backends() {
    let mut seed = Seed::printed("copies");
    let devices = every_device();
    for (from_name, from) in &devices {
        for (to_name, to) in &devices {
            let bytes = seed.bytes(10_007);
            let (source, target) = (from.allocate(10_007).unwrap(), to.allocate(10_100).unwrap());
            source.write(0, &bytes).unwrap();
            source.copy_to(5..9_999, &target, 17).unwrap();
            let mut back = vec![0; 9_994];
            target.read(17, &mut back).unwrap();
            assert_eq!(back, bytes[5..9_999], "{from_name} to {to_name}");
        }
    }
}

#[test]
fn every_mistake_is_an_error_that_says_what_to_do() {
    for (name, device) in every_device() {
        let buffer = device.allocate(100).unwrap();
        let kind = |result: exo_gpu::Result<()>| result.unwrap_err().kind();

        assert_eq!(device.allocate(0).unwrap_err().kind(), ErrorKind::InvalidArgument, "{name}: zero size");
        let beyond = device.allocate(u64::MAX).unwrap_err();
        assert_eq!(beyond.kind(), ErrorKind::InvalidArgument, "{name}: beyond the limit");
        assert!(beyond.to_string().contains("is allowed"), "{beyond}");

        assert_eq!(kind(buffer.write(99, &[0; 2])), ErrorKind::OutOfBounds, "{name}");
        assert_eq!(kind(buffer.write(u64::MAX, &[0; 2])), ErrorKind::OutOfBounds, "{name}: overflow");
        assert_eq!(kind(buffer.read(101, &mut [0; 1])), ErrorKind::OutOfBounds, "{name}");
        assert_eq!(kind(buffer.map(50..101, |_| ())), ErrorKind::OutOfBounds, "{name}");
        assert_eq!(
            Tensor::new(&buffer, 96, DType::F32, &[2]).unwrap_err().kind(),
            ErrorKind::OutOfBounds,
            "{name}: a tensor beyond its buffer"
        );

        buffer.free().unwrap();
        assert_eq!(kind(buffer.free()), ErrorKind::Closed, "{name}: double free");
        assert_eq!(kind(buffer.write(0, &[0])), ErrorKind::Closed, "{name}: use after free");
    }
}

#[test]
fn a_budget_is_kept_and_what_is_freed_can_be_had_again() {
    let device = gpu_with(OpenOptions::default().memory_cap(1 << 20));
    let held = device.allocate(900 << 10).unwrap();
    let error = device.allocate(200 << 10).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.to_string().contains("memory_cap"), "{error}");
    held.free().unwrap();
    device.allocate(200 << 10).unwrap();
}

#[test]
fn a_report_counts_every_byte_and_remembers_the_peak() {
    for (name, device) in every_device() {
        let (a, b) = (device.allocate(1000).unwrap(), device.allocate(500).unwrap());
        drop(b);
        let report = device.memory_report().unwrap();
        assert_eq!((report.used, report.peak), (1000, 1500), "{name}");
        assert!(report.reserved >= report.used, "{name}: {report:?}");
        drop(a);
        assert_eq!(device.memory_report().unwrap().used, 0, "{name}");
    }
}

#[test]
fn pressure_is_told_when_it_changes_and_only_then() {
    let device = gpu_with(OpenOptions::default().memory_cap(1000));
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = told.clone();
    device.on_pressure(move |pressure, report| listener.lock().unwrap().push((pressure, report.used)));
    let _half = device.allocate(500).unwrap();
    let most = device.allocate(350).unwrap();
    let rest = device.allocate(120).unwrap();
    let _refused = device.allocate(120).unwrap_err();
    drop((most, rest));
    let _again = device.allocate(10).unwrap();
    assert_eq!(
        *told.lock().unwrap(),
        [(Pressure::Elevated, 850), (Pressure::Critical, 970), (Pressure::Normal, 510)]
    );
}

#[test]
fn objects_that_outlive_their_device_give_errors() {
    for (name, device) in every_device() {
        let buffer = device.allocate(64).unwrap();
        let tensor = Tensor::new(&buffer, 0, DType::F32, &[16]).unwrap();
        let mut batch = device.batch();
        batch.fill(&tensor, 1.0).unwrap();
        device.close();
        device.close();
        assert_eq!(buffer.write(0, &[1]).unwrap_err().kind(), ErrorKind::Closed, "{name}");
        assert_eq!(buffer.free().unwrap_err().kind(), ErrorKind::Closed, "{name}");
        assert_eq!(batch.submit().unwrap_err().kind(), ErrorKind::Closed, "{name}");
        assert_eq!(device.allocate(1).unwrap_err().kind(), ErrorKind::Closed, "{name}");
    }
}

#[test]
fn a_buffer_of_another_device_is_refused_by_name() {
    let (here, there) = (cpu(), gpu());
    let (mine, theirs) = (here.tensor(DType::F32, &[4]).unwrap(), there.tensor(DType::F32, &[4]).unwrap());
    let error = here.batch().add(&mine, &theirs, &mine).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongDevice);
    assert!(error.to_string().contains("copy_to"), "{error}");
}
