//! A device of paper: it has limits and hands out buffers without memory, so that lowering can be looked at.

use std::{ptr::NonNull, sync::Arc};

use super::super::Profile;
use crate::{
    ApiVersion, BackendKind, ComputeUnits, DType, Device, DeviceDescription, DeviceKind, Driver, Error,
    Features, Limits, Result, Tensor, Vendor, Workarounds,
    backend::{BackendDevice, Memory, MemoryUse, Pending, Work},
    op::Op,
};

/// The limits that Vulkan 1.1 guarantees, with alignments as large as they come.
pub(super) const FLOOR: Limits = Limits {
    max_buffer_bytes: 1 << 30,
    max_binding_bytes: 1 << 27,
    binding_alignment: 256,
    max_bindings: 4,
    max_params_bytes: 128,
    max_workgroup_threads: 128,
    max_workgroup_size: [128, 128, 64],
    max_workgroups: [65_535, 65_535, 65_535],
    shared_memory_bytes: 16_384,
    flush_granularity: 256,
    timestamp_period_ns: None,
};

pub(super) fn profile(limits: Limits) -> Profile {
    Profile {
        limits,
        features: Features::default(),
        kind: DeviceKind::Other,
        subgroup_size: None,
        workarounds: Workarounds::default(),
    }
}

/// A tensor in a buffer of its own, `offset` bytes from the start and with as much after it.
pub(super) fn tensor(offset: u64, dtype: DType, dims: &[u32]) -> Tensor {
    let elements: u64 = dims.iter().map(|&d| u64::from(d)).product();
    let device = Device::over(Arc::new(Paper { description: description() }));
    let buffer = device.allocate(2 * offset + elements * dtype.bytes()).expect("paper is patient");
    Tensor::new(&buffer, offset, dtype, dims).expect("the buffer was made for it")
}

struct Paper {
    description: DeviceDescription,
}

struct Nothing;

impl Memory for Nothing {
    fn host(&self) -> Option<NonNull<u8>> {
        None
    }
}

impl BackendDevice for Paper {
    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    fn allocate(&self, _bytes: u64) -> Result<Arc<dyn Memory>> {
        Ok(Arc::new(Nothing))
    }

    fn memory_use(&self) -> MemoryUse {
        MemoryUse::default()
    }

    fn write(&self, _memory: &dyn Memory, _offset: u64, _bytes: &[u8]) -> Result<()> {
        Err(Error::Cancelled)
    }

    fn read(&self, _memory: &dyn Memory, _offset: u64, _bytes: &mut [u8]) -> Result<()> {
        Err(Error::Cancelled)
    }

    fn submit(&self, _work: &Work) -> Result<Arc<dyn Pending>> {
        Err(Error::Cancelled)
    }

    fn kernels_of(&self, _op: &Op<Tensor>) -> Result<Vec<&'static str>> {
        Ok(Vec::new())
    }

    fn trim(&self) {}
}

fn description() -> DeviceDescription {
    DeviceDescription {
        backend: BackendKind::Vulkan,
        name: "paper".into(),
        vendor: Vendor::Other,
        vendor_id: 0,
        device_id: 0,
        kind: DeviceKind::Other,
        driver: Driver { name: "pencil".into(), version: "HB".into() },
        api: ApiVersion { major: 1, minor: 1, patch: 0 },
        uuid: None,
        heaps: Vec::new(),
        memory_types: Vec::new(),
        unified_memory: true,
        subgroup_size: None,
        limits: FLOOR,
        features: Features::default(),
        compute_units: ComputeUnits::Unavailable { why: "it is paper".into() },
        has_compute_queue: true,
    }
}
