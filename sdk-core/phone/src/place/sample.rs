//! Reports for the tests, made by the planner itself.

use std::{num::NonZeroU32, sync::Arc};

use exo_node::{
    driver::HandedOver,
    member::{ClusterView, Memory, NodeView},
    planning::{Wishes, card_in_state},
};
use exo_telemetry::{Timestamp, aggregator::ClusterState};
use exo_wire::{CommandId, InstanceId, Memory as Bytes, NodeId, card::ModelCard};

use super::{
    find::Model,
    report::{Handed, Report},
    solve,
};

/// The ids of the studio, the book, the tower and the pixel.
pub(super) const IDS: [&str; 4] = ["a1b2c3d4e5f6", "b1b2c3d4e5f6", "c1b2c3d4e5f6", "d1b2c3d4e5f6"];

fn view() -> ClusterView {
    let mut view = ClusterView::default();
    let machines = [
        ("studio", "Apple M2 Ultra", 16, true),
        ("book", "Apple M3 Pro", 9, true),
        ("tower", "Unknown Chip", 9, true),
        ("pixel", "", 0, false),
    ];
    for (id, (name, chip, gigabytes, offers)) in IDS.into_iter().zip(machines) {
        let bytes = gigabytes * 1_000_000_000;
        let node = NodeView {
            name: Some(name.to_owned()),
            chip: Some(chip.to_owned()),
            memory: Some(Memory { total: bytes, available: bytes, ..Memory::default() }),
            backends: if offers { vec!["MlxMetal".to_owned()] } else { Vec::new() },
            present: true,
            ..NodeView::default()
        };
        view.nodes.insert(NodeId::heard(id), node);
    }
    view
}

fn report(layers: u32) -> Report {
    let state = include_bytes!("../../../../tests/vectors/exo/state_with_phone_serving.json");
    let card = card_in_state(state, "mlx-community/Qwen3-0.6B-4bit").unwrap().unwrap();
    let storage_size = Bytes::bytes(u64::from(layers) * 500_000_000);
    let card = ModelCard { n_layers: NonZeroU32::new(layers).unwrap(), storage_size, ..card };
    let model = Model::Card(Arc::new(card));
    let telemetry = ClusterState { at: Timestamp(0), devices: Vec::new(), refused: 0 };
    let wishes = Wishes::default();
    let plan = solve(&model, &view(), &telemetry, &wishes).unwrap();
    Report::of(&model, plan, wishes, None)
}

/// A model that two of three machines hold together, beside a guest.
pub(super) fn split() -> Report {
    report(40)
}

/// A model that nobody holds.
pub(super) fn too_large() -> Report {
    report(100)
}

/// A plan that exo took, and what came of it.
pub(super) fn handed(seen: bool) -> Report {
    let (instance_id, command_id) = (InstanceId::heard("i-1"), CommandId::heard("c-1"));
    Report { handed: Some(Handed::Over(HandedOver { instance_id, command_id, seen })), ..split() }
}
