//! Clusters for stories: Macs, phones and a plain host, on a desk.

use std::{cell::Cell, time::Duration};

use exo_telemetry::placement::{
    Answer, Device, DeviceShare, Layer, Link, LinkSpeed, Model, Objective, PlacedStage, Problem, Workload,
    place,
};

pub(crate) const GB: f64 = 1e9;

/// 32 layers of 500 MB between an embedding and a head of 1 GB each: 18 GB.
pub(crate) fn model() -> Model {
    Model {
        layers: vec![Layer { bytes: 0.5 * GB, flops: 1e9, kv_bytes_per_token: 4096.0 }; 32],
        embedding_bytes: GB,
        head_bytes: GB,
        activation_bytes: 8192.0,
    }
}

pub(crate) fn device(id: &str, memory_gb: f64, read_gb_per_s: f64) -> Device {
    Device {
        id: id.into(),
        memory_bytes: memory_gb * GB,
        flops_per_s: 1e13,
        memory_bytes_per_s: read_gb_per_s * GB,
        thermal_factor: 1.0,
        allowed: true,
    }
}

/// A Mac that cannot hold the model alone, two phones, and a host without a GPU.
pub(crate) fn desk() -> Vec<Device> {
    vec![
        device("mac", 12.0, 200.0),
        device("pixel", 6.0, 50.0),
        device("iphone", 5.0, 60.0),
        device("host", 32.0, 20.0),
    ]
}

pub(crate) fn problem(devices: Vec<Device>) -> Problem {
    Problem {
        model: model(),
        devices,
        links: Vec::new(),
        default_link: Some(LinkSpeed { latency_s: 0.003, bytes_per_s: 40e6 }),
        workload: Workload { context_tokens: 0.0 },
        objective: Objective::Latency,
        max_devices: None,
        time_limit_ms: 5000.0,
        tensor: None,
    }
}

pub(crate) fn link(from: &str, to: &str, latency_s: f64) -> Link {
    Link { from: from.into(), to: to.into(), latency_s, bytes_per_s: 100e6 }
}

/// A clock of which every look takes a tenth of a millisecond: searches end, and always at the same place.
pub(crate) fn ticking() -> impl Fn() -> Duration {
    let looks = Cell::new(0);
    move || {
        looks.set(looks.get() + 1);
        Duration::from_micros(100 * looks.get())
    }
}

pub(crate) fn solved(problem: &Problem) -> Answer {
    place(problem, &ticking()).expect("a problem that makes sense")
}

pub(crate) fn share<'a>(answer: &'a Answer, id: &str) -> &'a DeviceShare {
    answer.devices.iter().find(|share| share.id == id).expect("every device is in the answer")
}

pub(crate) fn order(stages: &[PlacedStage]) -> Vec<&str> {
    stages.iter().map(|stage| stage.device.as_str()).collect()
}

pub(crate) fn stage(device: &str, start_layer: usize, end_layer: usize) -> PlacedStage {
    PlacedStage { device: device.into(), start_layer, end_layer }
}
