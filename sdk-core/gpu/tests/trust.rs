//! Trust: a kernel that lies is found and replaced, a device that is lost is replaced, and nothing is lost.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::PathBuf;

use common::{download, every_device, gpu_with, upload};
use exo_gpu::{BackendKind, DType, Device, ErrorKind, Faults, Health, OpenOptions, Verdict};

/// A data directory of its own for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let place = std::env::temp_dir().join(format!("exo-gpu-trust-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&place);
        Self(place)
    }

    /// One that knows the GPU already, so that no self-test gets in between.
    fn proven(name: &str) -> Self {
        let place = Self::new(name);
        let device = gpu_with(OpenOptions::default().data_dir(&place.0));
        device.self_test(|_| ()).unwrap();
        device.close();
        place
    }

    fn open(&self, faults: Faults) -> common::Watched {
        gpu_with(OpenOptions::default().data_dir(&self.0).faults(faults))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_kernel_passes_its_self_test_on_every_device() {
    for (name, device) in every_device() {
        let mut seen = Vec::new();
        let reports = device.self_test(|p| seen.push((p.done, p.total))).unwrap();
        assert!(reports.len() >= 20, "{name}: {} kernels", reports.len());
        for report in &reports {
            assert!(report.verdict.is_trusted(), "{name}: {report:?}");
            assert!(report.cases > 0, "{name}: {report:?}");
        }
        assert_eq!(seen.last(), Some(&(reports.len(), reports.len())), "{name}: progress ends at the end");
    }
}

fn lying_add() -> Faults {
    Faults { swap_kernel: Some(("add_pairs", "mul_pairs")), ..Faults::default() }
}

fn sum_of(device: &Device) -> Vec<f32> {
    let (a, b) = (upload(device, &[5], &[1.0, 2.0, 3.0, 4.0, 5.0]), upload(device, &[5], &[10.0; 5]));
    let (twice, y) = (device.tensor(DType::F32, &[5]).unwrap(), device.tensor(DType::F32, &[5]).unwrap());
    let mut batch = device.batch();
    // A trusted step before and after the one that lies.
    batch.mul(&a, &b, &twice).unwrap().add(&twice, &b, &y).unwrap().mul(&y, &b, &y).unwrap();
    batch.submit().unwrap().wait().unwrap();
    download(&y)
}

const SUM: [f32; 5] = [200.0, 300.0, 400.0, 500.0, 600.0];

#[test]
fn a_kernel_that_lies_is_replaced_by_the_cpu_and_reported() {
    for options in [OpenOptions::default(), OpenOptions::default().without_unified_memory()] {
        let device = gpu_with(options.faults(lying_add()));
        assert_eq!(sum_of(&device), SUM);
        let verdicts = device.verdicts();
        let Some(Verdict::Wrong { reason }) = verdicts.get("add_pairs") else { panic!("{verdicts:?}") };
        assert!(reason.contains("expected"), "{reason}");
        assert_eq!(verdicts.get("mul_pairs"), Some(&Verdict::Trusted));
        assert_eq!(device.health(), Health::Well, "the device itself goes on");
        assert_eq!(device.substituted(), 1, "one addition of three operations");
    }
}

#[test]
fn a_verdict_is_remembered_and_not_tested_again() {
    let place = Place::new("remembered");
    let first = place.open(lying_add());
    assert_eq!(sum_of(&first), SUM);
    first.close();
    drop(first);
    // The second start has a kernel that tells the truth, but the registry proves the opposite.
    let second = place.open(Faults::default());
    assert!(matches!(second.verdicts().get("add_pairs"), Some(Verdict::Wrong { .. })));
    assert_eq!(sum_of(&second), SUM);
}

#[test]
fn a_device_lost_at_submission_is_replaced_by_the_cpu() {
    let place = Place::proven("submission");
    let device = place.open(Faults { lose_device_at_submission: Some(2), ..Faults::default() });
    assert_eq!(sum_of(&device), SUM, "the first submission is the device's");
    assert_eq!(device.health(), Health::Well);
    assert_eq!(sum_of(&device), SUM, "the second is lost, and answered all the same");
    let Health::Replaced { reason } = device.health() else { panic!("{:?}", device.health()) };
    assert!(reason.contains("lost"), "{reason}");
    assert_eq!(device.description().backend, BackendKind::Cpu);
    assert_eq!(device.substituted(), 0);
    assert_eq!(sum_of(&device), SUM, "and so is the next");
    assert_eq!(device.substituted(), 3);
}

#[test]
fn work_in_flight_when_the_device_is_lost_is_repeated_on_the_cpu() {
    let place = Place::proven("flight");
    let device = place.open(Faults { lose_device_at_wait: Some(1), ..Faults::default() });
    let kept = upload(&device, &[3], &[1.0, 2.0, 3.0]);
    let results: Vec<_> = (0..3).map(|_| device.tensor(DType::F32, &[3]).unwrap()).collect();
    let flights: Vec<_> = results
        .iter()
        .map(|y| {
            let mut batch = device.batch();
            batch.add(&kept, &kept, y).unwrap();
            batch.submit().unwrap()
        })
        .collect();
    for flight in &flights {
        flight.wait().unwrap();
    }
    assert!(matches!(device.health(), Health::Replaced { .. }));
    for y in &results {
        assert_eq!(download(y), [2.0, 4.0, 6.0]);
    }
    assert_eq!(download(&kept), [1.0, 2.0, 3.0], "a buffer that nobody wrote is whole");
}

#[test]
fn work_that_overwrote_its_inputs_is_not_repeated_but_refused() {
    let place = Place::proven("in-place");
    let device = place.open(Faults { lose_device_at_wait: Some(1), ..Faults::default() });
    let x = upload(&device, &[3], &[1.0, 2.0, 3.0]);
    let mut batch = device.batch();
    batch.add(&x, &x, &x).unwrap();
    let error = batch.submit().unwrap().wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceLost);
    assert!(error.is_retryable());
    let mut byte = [0; 4];
    assert_eq!(
        x.buffer().read(0, &mut byte).unwrap_err().kind(),
        ErrorKind::DeviceLost,
        "no wrong bytes are given out"
    );
    // What the error said to do, works.
    x.buffer().write(0, bytemuck::cast_slice(&[1.0_f32, 2.0, 3.0])).unwrap();
    let mut batch = device.batch();
    batch.add(&x, &x, &x).unwrap();
    batch.submit().unwrap().wait().unwrap();
    assert_eq!(download(&x), [2.0, 4.0, 6.0]);
}

#[test]
fn work_whose_inputs_a_later_one_overwrote_is_not_repeated_either() {
    let place = Place::proven("overwritten");
    let device = place.open(Faults { lose_device_at_wait: Some(1), ..Faults::default() });
    let (x, y) = (upload(&device, &[3], &[1.0, 2.0, 3.0]), device.tensor(DType::F32, &[3]).unwrap());
    let mut first = device.batch();
    first.add(&x, &x, &y).unwrap();
    let mut second = device.batch();
    second.mul(&y, &y, &x).unwrap();
    let (first, second) = (first.submit().unwrap(), second.submit().unwrap());
    assert_eq!(first.wait().unwrap_err().kind(), ErrorKind::DeviceLost);
    assert_eq!(second.wait().unwrap_err().kind(), ErrorKind::DeviceLost, "what it read is lost");
}

#[test]
fn a_read_that_finds_the_device_lost_gives_the_right_bytes() {
    let place = Place::proven("read");
    let device = place.open(Faults { lose_device_at_wait: Some(1), ..Faults::default() });
    let (x, y) = (upload(&device, &[3], &[1.0, 2.0, 3.0]), device.tensor(DType::F32, &[3]).unwrap());
    let mut batch = device.batch();
    batch.add(&x, &x, &y).unwrap();
    let _not_waited_for = batch.submit().unwrap();
    assert_eq!(download(&y), [2.0, 4.0, 6.0]);
    assert!(matches!(device.health(), Health::Replaced { .. }));
}

#[test]
fn the_cpu_in_place_of_a_device_does_not_speak_for_its_kernels() {
    let place = Place::new("forged");
    let device = place.open(Faults { lose_device_at_submission: Some(1), ..Faults::default() });
    assert_eq!(sum_of(&device), SUM);
    assert!(device.self_test(|_| ()).unwrap().iter().all(|report| report.verdict.is_trusted()));
    device.close();
    drop(device);
    assert!(place.open(Faults::default()).verdicts().is_empty(), "nothing was learnt of the GPU");
}

#[test]
fn a_device_lost_in_its_self_test_is_replaced_by_the_cpu() {
    let faults = Faults { lose_device_at_submission: Some(1), ..Faults::default() };
    let device = gpu_with(OpenOptions::default().faults(faults));
    assert_eq!(sum_of(&device), SUM);
    assert!(matches!(device.health(), Health::Replaced { .. }));
}

#[test]
fn memory_of_its_own_that_goes_with_the_device_is_said_to_be_lost() {
    let place = Place::proven("discrete");
    // The first submission is the upload.
    let faults = Faults { lose_device_at_submission: Some(2), ..Faults::default() };
    let options = OpenOptions::default().data_dir(&place.0).without_unified_memory().faults(faults);
    let device = gpu_with(options);
    let x = upload(&device, &[3], &[1.0, 2.0, 3.0]);
    let mut batch = device.batch();
    batch.add(&x, &x, &x).unwrap();
    let error = batch.submit().map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceLost);
    let mut byte = [0; 4];
    assert_eq!(x.buffer().read(0, &mut byte).unwrap_err().kind(), ErrorKind::DeviceLost);
}

#[test]
fn memory_that_runs_out_in_the_middle_of_a_batch_harms_nothing() {
    let place = Place::proven("memory");
    let device = place.open(Faults { out_of_memory_at_allocation: Some(4), ..Faults::default() });
    let x = upload(&device, &[3], &[1.0, 2.0, 3.0]);
    let y = device.tensor(DType::F32, &[3]).unwrap();
    let mut batch = device.batch();
    batch.add(&x, &x, &y).unwrap();
    // The allocator is asked once more after it gave back what it kept, so one failure is not the end.
    let third = device.tensor(DType::F32, &[3]).unwrap();
    let fourth = device.tensor(DType::F32, &[3]).unwrap();
    batch.mul(&x, &y, &third).unwrap().mul(&third, &x, &fourth).unwrap();
    batch.submit().unwrap().wait().unwrap();
    assert_eq!(download(&fourth), [2.0, 16.0, 54.0]);
}
