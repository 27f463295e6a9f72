//! A desk with machines on it, of which as much is known as in life.

use std::{num::NonZeroU32, time::Instant};

use exo_telemetry::{
    Reading, Readings, Timestamp,
    aggregator::{ClusterState, DeviceState, Presence, Traffic},
    placement::{Clock, ProblemError},
    probe::Identity,
    protocol::{DeviceCapabilities, DeviceId, DeviceRegistration, DeviceType},
    topology::{Figure, Link, LinkKind, Topology},
};
use exo_wire::{Memory as Bytes, NodeId, card::ModelCard};

use crate::{
    member::{ClusterView, Memory, NodeView},
    planning::{Plan, Situation, Wanted, Wishes, card_in_state, plan},
};

const NOW: Timestamp = Timestamp(1_000);
pub(super) const GB: u64 = 1_000_000_000;

/// A model of so many layers of half a gigabyte each.
pub(super) fn model(layers: u32) -> ModelCard {
    let state = include_bytes!("../../../../../tests/vectors/exo/state_with_phone_serving.json");
    let card = card_in_state(state, "mlx-community/Qwen3-0.6B-4bit").unwrap().unwrap();
    let n_layers = NonZeroU32::new(layers).unwrap();
    let hidden_size = NonZeroU32::new(4096).unwrap();
    ModelCard { storage_size: Bytes::bytes(u64::from(layers) * GB / 2), n_layers, hidden_size, ..card }
}

pub(super) struct Desk {
    pub(super) view: ClusterView,
    pub(super) telemetry: ClusterState,
    pub(super) topology: Topology,
    pub(super) wishes: Wishes,
}

impl Desk {
    pub(super) fn empty() -> Self {
        Self {
            view: ClusterView::default(),
            telemetry: ClusterState { at: NOW, devices: Vec::new(), refused: 0 },
            topology: Topology::new(),
            wishes: Wishes { context_tokens: 1000, ..Wishes::default() },
        }
    }

    /// A machine that runs exo: its memory is known, its chip, and nothing of its speed.
    pub(super) fn exo(mut self, name: &str, chip: &str, backend: &str, gigabytes: u64) -> Self {
        let memory = Memory { total: 2 * gigabytes * GB, available: gigabytes * GB, ..Memory::default() };
        let node = NodeView {
            name: Some(name.to_owned()),
            chip: Some(chip.to_owned()),
            memory: Some(memory),
            temperature: Some(45.0),
            backends: vec![backend.to_owned()],
            present: true,
            ..NodeView::default()
        };
        self.view.nodes.insert(id(name), node);
        self
    }

    /// A phone of this SDK that measured itself and offers what it has.
    pub(super) fn phone(self, name: &str, gigabytes: u64) -> Self {
        let mut desk = self.exo(name, "Tensor G4", "MlxCpu", gigabytes);
        let mut readings = Readings::unavailable("no sensor", NOW);
        readings.memory.available = Reading::measured(gigabytes * GB, NOW);
        readings.thermal.headroom = Reading::measured(0.4, NOW);
        readings.battery.level = Reading::measured(0.8, NOW);
        let identity = Identity {
            name: name.to_owned(),
            model: "Pixel 9".into(),
            chip: "Tensor G4".into(),
            os_version: "Android 16".into(),
            os_build: "1".into(),
            vendor: "ARM".into(),
            device_type: DeviceType::MobileAndroid,
        };
        let mut abilities = DeviceCapabilities::unknown("not run", NOW);
        abilities.peak_flops_per_s = Reading::measured(1.5e12, NOW).into();
        abilities.memory_bytes_per_s = Reading::measured(40e9, NOW).into();
        let device_id = DeviceId::new(id(name).as_str()).unwrap();
        desk.telemetry.devices.push(DeviceState {
            device_id: device_id.clone(),
            presence: Presence::Present,
            registration: Some(DeviceRegistration::new(device_id, NOW, &identity, abilities)),
            readings,
            whole: true,
            silent_ms: 400,
            uptime_ms: None,
            clock_behind_ms: None,
            traffic: Traffic::default(),
        });
        desk
    }

    /// The same phone, but it offers nothing to exo: what members of this SDK are by default.
    pub(super) fn guest(self, name: &str, gigabytes: u64) -> Self {
        let mut desk = self.phone(name, gigabytes);
        let node = desk.node(name);
        (node.memory, node.backends) = (None, Vec::new());
        desk
    }

    /// A Mac studio, a laptop, two phones and a host without a GPU.
    pub(super) fn mixed() -> Self {
        Self::empty()
            .exo("studio", "Apple M2 Ultra", "MlxMetal", 20)
            .exo("book", "Apple M3 Pro", "MlxMetal", 8)
            .phone("pixel", 4)
            .phone("galaxy", 4)
            .exo("tower", "Unknown Chip", "MlxCpu", 6)
    }

    pub(super) fn node(&mut self, name: &str) -> &mut NodeView {
        self.view.nodes.get_mut(id(name).as_str()).unwrap()
    }

    pub(super) fn told(&mut self, name: &str) -> &mut DeviceState {
        let id = id(name);
        self.telemetry.devices.iter_mut().find(|told| told.device_id.as_str() == id.as_str()).unwrap()
    }

    /// A link with this round trip, and these rates from the first and to it.
    pub(super) fn link(mut self, one: &str, other: &str, round_trip: f64, rates: (f64, f64)) -> Self {
        let (one, other) = (id(one), id(other));
        let mut link = Link::unmeasured(one.as_str(), other.as_str(), LinkKind::Wifi, NOW);
        let figure = |value| Reading::measured(Figure::new(value, 0.0), NOW);
        link.latency_p50 = figure(round_trip);
        (link.bandwidth_up, link.bandwidth_down) = (figure(rates.0), figure(rates.1));
        self.topology.add_link(link);
        self
    }

    /// It left: exo keeps its name and its backends.
    pub(super) fn leaves(&mut self, name: &str) {
        let node = self.node(name);
        (node.present, node.memory) = (false, None);
    }

    pub(super) fn situation(&self) -> Situation<'_> {
        Situation { view: &self.view, telemetry: &self.telemetry, topology: &self.topology }
    }

    pub(super) fn plan(&self, card: &ModelCard) -> Plan {
        self.try_plan(card).unwrap()
    }

    pub(super) fn try_plan(&self, card: &ModelCard) -> Result<Plan, ProblemError> {
        timed(|clock| plan(Wanted::Card(card), self.situation(), &self.wishes, clock))
    }
}

pub(super) fn timed<T>(work: impl FnOnce(Clock<'_>) -> T) -> T {
    let start = Instant::now();
    work(&|| start.elapsed())
}

pub(super) fn id(name: &str) -> NodeId {
    NodeId::heard(&format!("id-{name}"))
}

impl Plan {
    /// How many layers that device has.
    pub(super) fn layers(&self, name: &str) -> usize {
        let id = id(name);
        let stages = self.answer.stages.iter().filter(|stage| stage.device == id.as_str());
        stages.map(|stage| stage.end_layer - stage.start_layer).sum()
    }

    pub(super) fn why(&self, name: &str) -> &str {
        let id = id(name);
        &self.answer.devices.iter().find(|share| share.id == id.as_str()).unwrap().why
    }

    /// What is assumed about somebody, read aloud.
    pub(super) fn assumed(&self, about: &str) -> Vec<String> {
        self.assumptions.iter().filter(|it| it.about == about).map(ToString::to_string).collect()
    }
}
