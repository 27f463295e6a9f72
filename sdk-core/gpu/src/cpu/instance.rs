//! The host, described as a device.

use std::{sync::Arc, thread};

use super::{device::CpuDevice, host, simd};
use crate::{
    ApiVersion, BackendKind, ComputeUnits, DeviceDescription, DeviceKind, Driver, Features, Heap, Limits,
    MemoryType, backend::BackendDevice,
};

/// Opens the CPU. It cannot fail: threads and memory are taken when they are needed.
pub(crate) fn open() -> Arc<dyn BackendDevice> {
    Arc::new(CpuDevice::new(describe()))
}

/// What the CPU is. The "driver" is this crate: its version and the instruction sets that its kernels use here.
pub(crate) fn describe() -> DeviceDescription {
    let available = host::available_memory();
    let heaps = host::total_memory().map(|bytes| Heap { bytes, budget: available, device_local: true });
    let heaps: Vec<_> = heaps.into_iter().collect();
    let memory_type = MemoryType {
        heap: 0,
        device_local: true,
        host_visible: true,
        host_coherent: true,
        host_cached: true,
    };
    DeviceDescription {
        backend: BackendKind::Cpu,
        name: host::processor_name().unwrap_or_else(|| format!("CPU ({})", std::env::consts::ARCH)),
        vendor: host::processor_vendor(),
        vendor_id: 0,
        device_id: 0,
        kind: DeviceKind::Host,
        driver: Driver {
            name: "exo-gpu cpu".into(),
            version: format!("{} ({})", env!("CARGO_PKG_VERSION"), simd::instruction_sets()),
        },
        api: api_version(),
        uuid: None,
        memory_types: heaps.iter().map(|_| memory_type).collect(),
        heaps,
        unified_memory: true,
        subgroup_size: None,
        limits: limits(),
        features: Features {
            int8: true,
            storage_8bit: true,
            storage_16bit: true,
            dot_product: simd::Level::best().has_dot_product(),
            memory_budget: available.is_some(),
            ..Features::default()
        },
        compute_units: match thread::available_parallelism() {
            Ok(count) => ComputeUnits::Known {
                count: count.get() as u32,
                source: "threads that the system lets this process run at once".into(),
            },
            Err(error) => ComputeUnits::Unavailable { why: error.to_string() },
        },
        has_compute_queue: true,
    }
}

/// Addresses are the only bound; a kernel is a function call, so workgroups are of one thread.
fn limits() -> Limits {
    Limits {
        max_buffer_bytes: isize::MAX as u64,
        max_binding_bytes: isize::MAX as u64,
        binding_alignment: 4,
        max_bindings: u32::MAX,
        max_params_bytes: u32::MAX,
        max_workgroup_threads: 1,
        max_workgroup_size: [1; 3],
        max_workgroups: [u32::MAX; 3],
        shared_memory_bytes: 0,
        flush_granularity: 1,
        timestamp_period_ns: Some(1.0),
    }
}

fn api_version() -> ApiVersion {
    let part = |text: &str| text.parse().unwrap_or(0);
    ApiVersion {
        major: part(env!("CARGO_PKG_VERSION_MAJOR")),
        minor: part(env!("CARGO_PKG_VERSION_MINOR")),
        patch: part(env!("CARGO_PKG_VERSION_PATCH")),
    }
}
