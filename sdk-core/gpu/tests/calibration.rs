//! Calibration: figures that were measured and checked, or the reason why there are none.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::{path::PathBuf, time::Duration};

use common::{GPU, cpu, every_device, gpu_with};
use exo_gpu::{BackendKind, Calibration, CalibrationLimits, ErrorKind, Faults, Health, OpenOptions, Speed};

/// Time enough for any machine that runs tests, however busy: samples are no longer for it.
fn patient() -> CalibrationLimits {
    CalibrationLimits { time: Duration::from_mins(10), ..CalibrationLimits::default() }
}

fn speeds(calibration: &Calibration) -> [(&'static str, &Speed); 3] {
    [("compute", &calibration.compute), ("memory", &calibration.memory), ("decode", &calibration.decode)]
}

fn why(speed: &Speed) -> &str {
    match speed {
        Speed::Unavailable { why } => why,
        Speed::Measured { .. } => panic!("{speed:?}"),
    }
}

#[test]
fn every_device_computes_right_and_gets_three_figures() {
    for (name, device) in every_device() {
        let calibration = device.calibrate(patient()).unwrap();
        for (what, speed) in speeds(&calibration) {
            let Speed::Measured { per_second, slowest_per_second, samples, sample_time, .. } = speed else {
                panic!("{name}: {what}: {speed:?}")
            };
            assert!(per_second.is_finite() && *slowest_per_second > 0.0, "{name}: {what}: {speed:?}");
            assert!(per_second >= slowest_per_second, "{name}: {what}: {speed:?}");
            assert_eq!(*samples, 5, "{name}: {what}: {speed:?}");
            assert!(*sample_time >= Duration::from_millis(2), "{name}: {what}: {speed:?}");
        }
        assert_eq!(device.memory_report().unwrap().used, 0, "{name}: everything is given back");
        assert!(device.memory_report().unwrap().peak <= CalibrationLimits::default().memory, "{name}");
    }
}

#[test]
fn without_time_nothing_is_run_and_nothing_is_told() {
    let device = cpu();
    let limits = CalibrationLimits { time: Duration::ZERO, ..CalibrationLimits::default() };
    for (what, speed) in speeds(&device.calibrate(limits).unwrap()) {
        assert!(why(speed).contains("time allowed"), "{what}: {speed:?}");
    }
    assert_eq!(device.memory_report().unwrap().peak, 0);
}

#[test]
fn memory_that_a_cache_could_hold_gives_no_figure_for_memory() {
    let device = cpu();
    let limits = CalibrationLimits { memory: 16 << 20, ..patient() };
    let calibration = device.calibrate(limits).unwrap();
    assert!(calibration.compute.per_second().is_some(), "{calibration:?}");
    assert!(why(&calibration.memory).contains("33554432 bytes"), "{calibration:?}");
    assert!(calibration.decode.per_second().is_none());
    assert!(device.memory_report().unwrap().peak <= 16 << 20);
}

#[test]
fn no_more_than_a_quarter_of_a_small_budget_is_taken() {
    let device = gpu_with(OpenOptions::default().memory_cap(64 << 20));
    let calibration = device.calibrate(patient()).unwrap();
    assert!(calibration.compute.per_second().is_some(), "{calibration:?}");
    assert!(why(&calibration.memory).contains("may take 16777216"), "{calibration:?}");
}

/// The GPU's matrix product takes f32 weights for something else.
fn lying_matmul() -> Faults {
    let swap = if GPU == BackendKind::Metal {
        ("matmul_f32", "matmul_bf16")
    } else {
        ("matmul_lanes_f32", "matmul_lanes_bf16")
    };
    Faults { swap_kernel: Some(swap), ..Faults::default() }
}

#[test]
fn a_kernel_that_fails_its_self_test_gives_no_figure_because_the_cpu_would_be_measured() {
    let device = gpu_with(OpenOptions::default().faults(lying_matmul()));
    let calibration = device.calibrate(patient()).unwrap();
    assert!(why(&calibration.compute).contains("self-test"), "{calibration:?}");
    assert!(calibration.memory.per_second().is_some(), "the others are not blamed: {calibration:?}");
}

/// A data directory in which the GPU's kernels are trusted, removed at the end.
struct Proven(PathBuf);

impl Proven {
    fn new(name: &str) -> Self {
        let place = std::env::temp_dir().join(format!("exo-gpu-calibration-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&place);
        let device = gpu_with(OpenOptions::default().data_dir(&place));
        device.self_test(|_| ()).unwrap();
        device.close();
        Self(place)
    }

    fn open(&self, faults: Faults) -> common::Watched {
        gpu_with(OpenOptions::default().data_dir(&self.0).faults(faults))
    }
}

impl Drop for Proven {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_kernel_that_was_trusted_and_computes_wrong_now_gives_a_reason_and_no_figure() {
    let calibration = Proven::new("wrong").open(lying_matmul()).calibrate(patient()).unwrap();
    assert!(why(&calibration.compute).starts_with("its answers are wrong: element"), "{calibration:?}");
    assert!(calibration.memory.per_second().is_some(), "{calibration:?}");
}

#[test]
fn a_device_that_is_lost_on_the_way_gives_an_error_and_never_the_speed_of_the_cpu() {
    let proven = Proven::new("lost");
    let losses = [1, 3, 6, 11].into_iter().flat_map(|turn| {
        [
            Faults { lose_device_at_submission: Some(turn), ..Faults::default() },
            Faults { lose_device_at_wait: Some(turn), ..Faults::default() },
        ]
    });
    for faults in losses {
        let device = proven.open(faults.clone());
        let error = device.calibrate(patient()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeviceLost, "{faults:?}: {error}");
        assert!(matches!(device.health(), Health::Replaced { .. }), "{faults:?}");
    }
}

#[test]
fn the_cpu_that_took_over_can_be_measured() {
    let proven = Proven::new("taken-over");
    let device = proven.open(Faults { lose_device_at_submission: Some(1), ..Faults::default() });
    device.calibrate(patient()).unwrap_err();
    let calibration = device.calibrate(patient()).unwrap();
    assert!(calibration.compute.per_second().is_some(), "{calibration:?}");
}

#[test]
fn a_closed_device_is_an_error() {
    let device = cpu();
    device.close();
    assert_eq!(device.calibrate(patient()).unwrap_err().kind(), ErrorKind::Closed);
}
