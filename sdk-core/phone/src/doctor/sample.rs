//! Made-up reports for the tests of this module. No such device exists.

use std::time::Duration;

use exo_gpu::{
    ApiVersion, BackendKind, Calibration, ComputeUnits, DeviceDescription, DeviceKind, Driver, Features,
    Health, Heap, KernelReport, Limits, MemoryReport, MemoryType, Refusal, Speed, Vendor, Verdict,
};
use exo_telemetry::Timestamp;

use super::{
    examine,
    report::{Opened, Report},
};

pub(super) const REFUSAL: &str = "a software device is never the default";
pub(super) const NO_DECODE: &str = "its kernel failed the self-test, and the CPU computes in its place";
pub(super) const LIE: &str = "row 3: 7.5 where 2.5 was due";

/// One device, one refusal, all kernels trusted.
pub(super) fn healthy() -> Report {
    Report::new(vec![device()], vec![refusal()], Some(opened()), None)
}

/// The same device with a kernel that gives wrong numbers.
pub(super) fn one_kernel_lies() -> Report {
    let mut opened = opened();
    opened.kernels[1].verdict = Verdict::Wrong { reason: LIE.into() };
    opened.kernels[1].worst_error = 5.0e5;
    Report::new(vec![device()], vec![refusal()], Some(opened), None)
}

/// Nothing could be opened.
pub(super) fn nothing_opened() -> Report {
    Report::new(Vec::new(), vec![refusal()], None, Some("no device could be opened".into()))
}

pub(super) fn opened() -> Opened {
    Opened {
        device: device(),
        open_time: Duration::from_millis(31),
        memory: memory(),
        kernels: vec![kernel("add", 0.0), kernel("matvec_q4_f16", 0.314)],
        telemetry: examine::telemetry(&device(), &memory(), &calibration(), Timestamp(1_767_225_600_000)),
        calibration: calibration(),
        health: Health::Well,
        notes: Vec::new(),
    }
}

pub(crate) fn memory() -> MemoryReport {
    MemoryReport { used: 0, reserved: 64 << 20, peak: 12 << 20, budget: Some(3 << 30) }
}

/// Two figures, and one that could not be had.
pub(crate) fn calibration() -> Calibration {
    let measured = |what, per_second: f64| Speed::Measured {
        what,
        per_second,
        slowest_per_second: per_second * 0.9,
        samples: 5,
        sample_time: Duration::from_millis(12),
    };
    Calibration {
        compute: measured("f32 matrix products", 1.15e12),
        memory: measured("f32 weights times a vector", 4.2e10),
        decode: Speed::Unavailable { why: NO_DECODE.into() },
        elapsed: Duration::from_millis(240),
    }
}

fn kernel(name: &str, worst_error: f64) -> KernelReport {
    let elapsed = Duration::from_micros(1_200);
    KernelReport { kernel: name.into(), verdict: Verdict::Trusted, worst_error, cases: 4, elapsed }
}

fn refusal() -> Refusal {
    Refusal { backend: BackendKind::Vulkan, device: Some("llvmpipe".into()), reason: REFUSAL.into() }
}

pub(crate) fn device() -> DeviceDescription {
    DeviceDescription {
        backend: BackendKind::Vulkan,
        name: "Madeup 740".into(),
        vendor: Vendor::Qualcomm,
        vendor_id: 0x5143,
        device_id: 0x4305_0a01,
        kind: DeviceKind::Integrated,
        driver: Driver { name: "Madeup driver".into(), version: "512.676".into() },
        api: ApiVersion { major: 1, minor: 3, patch: 128 },
        uuid: Some("0123456789abcdef0123456789abcdef".into()),
        heaps: vec![Heap { bytes: 7 << 30, budget: Some(3 << 30), device_local: true }],
        memory_types: vec![MemoryType {
            heap: 0,
            device_local: true,
            host_visible: true,
            host_coherent: true,
            host_cached: false,
        }],
        unified_memory: true,
        subgroup_size: Some(64),
        limits: Limits {
            max_buffer_bytes: 2 << 30,
            max_binding_bytes: 128 << 20,
            binding_alignment: 64,
            max_bindings: 24,
            max_params_bytes: 128,
            max_workgroup_threads: 1024,
            max_workgroup_size: [1024, 1024, 64],
            max_workgroups: [65535; 3],
            shared_memory_bytes: 32 << 10,
            flush_granularity: 64,
            timestamp_period_ns: Some(52.083),
        },
        features: Features {
            int8: true,
            timeline_semaphores: true,
            subgroup_arithmetic: true,
            ..Features::default()
        },
        compute_units: ComputeUnits::Unavailable { why: "the driver does not say".into() },
        has_compute_queue: true,
    }
}
