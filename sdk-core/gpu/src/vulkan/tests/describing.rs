//! Describing: the driver's words, and nothing of our own.

use super::{Bench, watched};
use crate::{
    BackendKind, ComputeUnits, DeviceDescription, DeviceKind, OpenOptions, Vendor, backend::BackendDevice,
};

#[test]
fn the_software_device_says_what_it_is() {
    let bench = Bench::open(&watched());
    let device = bench.backend.description();
    assert_eq!(device.backend, BackendKind::Vulkan);
    assert_eq!((device.vendor, device.vendor_id), (Vendor::Mesa, 0x10005));
    assert_eq!(device.kind, DeviceKind::Software);
    assert!(device.name.contains("llvmpipe"), "{}", device.name);
    assert_eq!(device.driver.name, "llvmpipe");
    assert!(device.driver.version.contains("Mesa"), "{}", device.driver.version);
    assert!((device.api.major, device.api.minor) >= (1, 3), "{}", device.api);
    assert!(device.uuid.as_ref().is_some_and(|uuid| uuid.len() == 32), "{:?}", device.uuid);
    assert!(device.unified_memory && device.has_compute_queue);
    assert!(device.total_memory() >= 1 << 30);
    assert!(device.subgroup_size.is_some_and(u32::is_power_of_two));
    assert!(device.limits.max_buffer_bytes >= 1 << 30);
    assert!(device.limits.max_binding_bytes >= 128 << 20);
    assert!(device.limits.binding_alignment.is_power_of_two());
    assert!(device.limits.timestamp_period_ns.is_some());
    assert!(device.features.timeline_semaphores && device.features.subgroup_arithmetic);
    bench.close();
}

#[test]
fn what_nobody_counts_is_unavailable_with_the_reason() {
    let bench = Bench::open(&watched());
    let units = bench.backend.description().compute_units.clone();
    assert_eq!(
        units,
        ComputeUnits::Unavailable { why: "the driver lists no extension that counts them".into() }
    );
    bench.close();
}

#[test]
fn a_budget_is_told_only_where_the_driver_tells_it() {
    let bench = Bench::open(&watched());
    let device = bench.backend.description();
    let is_told = device.heaps.iter().all(|heap| heap.budget.is_some());
    assert_eq!(is_told, device.features.memory_budget);
    assert_eq!(bench.backend.memory_use().budget.is_some(), device.features.memory_budget);
    bench.close();
}

#[test]
fn a_description_survives_json() {
    let bench = Bench::open(&watched());
    let device = bench.backend.description();
    let json = serde_json::to_string(device).expect("serialises");
    assert_eq!(&serde_json::from_str::<DeviceDescription>(&json).expect("parses"), device);
    bench.close();
}

#[test]
fn what_the_options_pretend_is_what_is_described() {
    let options = OpenOptions {
        without_timeline: true,
        without_unified_memory: true,
        max_binding_bytes: Some(4096),
        ..watched()
    };
    let bench = Bench::open(&options);
    let device = bench.backend.description();
    assert!(!device.features.timeline_semaphores);
    assert!(!device.unified_memory);
    assert_eq!(device.limits.max_binding_bytes, 4096);
    bench.close();
}
