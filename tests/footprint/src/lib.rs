//! Everything that the core offers, reachable from one exported function: what a phone would have to download.
//!
//! `./scripts/test node` builds it for arm64 as it would ship, strips it and prints its size. Undefined symbols of
//! the system's C library stay undefined: it is weighed, never run.

use std::{net::SocketAddr, time::Duration};

use exo_gpu::{CalibrationLimits, Gpu, OpenOptions};
use exo_node::{
    driver::{FoundingOptions, JoinOptions, MeetingPlace, Node, WhoAmI},
    planning::{self, Situation, Wanted, Wishes},
};
use exo_telemetry::topology::Topology;

/// Reaches every part, so that the linker keeps all of it.
#[unsafe(no_mangle)]
pub extern "C" fn exo_footprint() -> i32 {
    let gpu = Gpu::open(OpenOptions::new());
    let tested = gpu.is_ok_and(|gpu| {
        let device = gpu.device();
        device.self_test(|_| ()).is_ok() && device.calibrate(CalibrationLimits::default()).is_ok()
    });
    let mut options = JoinOptions::new(WhoAmI::New);
    options.founding = Some(FoundingOptions {
        app: String::new(),
        place: MeetingPlace::Lan,
        router: SocketAddr::from(([127, 0, 0, 1], 0)),
        alone_after: Duration::ZERO,
    });
    let planned = Node::join(options).is_ok_and(|node| plans(&node));
    i32::from(tested) + i32::from(planned)
}

fn plans(node: &Node) -> bool {
    let (view, telemetry) = (node.view(), node.telemetry());
    let situation = Situation { view: &view, telemetry: &telemetry, topology: &Topology::new() };
    planning::card_from_json(b"{}").is_ok_and(|card| {
        planning::plan(Wanted::Card(&card), situation, &Wishes::default(), &|| Duration::ZERO).is_ok()
    })
}
