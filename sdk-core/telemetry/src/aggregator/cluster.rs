//! The cluster at one moment, for apps, pages and placement.

use serde::Serialize;

use super::{Aggregator, Device, Presence, Traffic};
use crate::{
    Now, Readings, Timestamp,
    protocol::{DeviceId, DeviceRegistration},
    topology::Topology,
};

/// All devices at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ClusterState {
    /// When, by our own clock.
    pub at: Timestamp,
    /// The devices, by their ids.
    pub devices: Vec<DeviceState>,
    /// Messages that could not be read.
    pub refused: u64,
}

/// One device at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceState {
    /// Its id.
    pub device_id: DeviceId,
    /// Whether it is there.
    pub presence: Presence,
    /// Who it is and what it can do, once it said so.
    pub registration: Option<DeviceRegistration>,
    /// Memory, compute, heat, battery and the rest, as it told.
    pub readings: Readings,
    /// Whether it told everything, and nothing was missed since.
    pub whole: bool,
    /// How long ago it was heard, by our clock.
    pub silent_ms: u64,
    /// How long its telemetry had run.
    pub uptime_ms: Option<u64>,
    /// By how much its clock is behind ours, at most.
    pub clock_behind_ms: Option<i64>,
    /// How its messages came.
    pub traffic: Traffic,
}

/// A sum over the devices that told, and how many did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Total {
    /// The sum.
    pub bytes: u64,
    /// Present devices that are not in it, since they could not tell.
    pub unknown: usize,
}

/// The cluster in a few figures; only devices that are present count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overview {
    /// How many are present.
    pub present: usize,
    /// How many are stale or lost.
    pub silent: usize,
    /// Bytes that could be used now.
    pub memory_available: Total,
    /// The hottest one that tells degrees.
    pub hottest: Option<(DeviceId, f64)>,
    /// The one with the least battery.
    pub lowest_battery: Option<(DeviceId, f64)>,
    /// The one whose GPU works most.
    pub busiest: Option<(DeviceId, f64)>,
}

impl ClusterState {
    pub(super) fn of(aggregator: &Aggregator, now: Now) -> Self {
        let devices = aggregator.devices().map(|(id, device)| DeviceState::of(id, device, now)).collect();
        Self { at: now.wall.into(), devices, refused: aggregator.refused() }
    }

    /// The devices that are there, and the links between them that they told of.
    pub fn topology(&self) -> Topology {
        self.topology_with(|_| false)
    }

    /// The same with links to devices that tell nothing themselves, if somebody else knows that they are there: nodes of
    /// exo.
    pub fn topology_with(&self, is_silent: impl Fn(&str) -> bool) -> Topology {
        let is_there = |device: &&DeviceState| matches!(device.presence, Presence::Present | Presence::Stale);
        let there = || self.devices.iter().filter(is_there);
        let mut topology = Topology::new();
        for device in there() {
            topology.add_device(device.device_id.as_str());
        }
        for device in there() {
            let links = device.registration.iter().flat_map(|registration| &registration.links);
            let known = |to: &DeviceId| {
                let told = self.devices.iter().find(|other| other.device_id == *to);
                told.map_or_else(|| is_silent(to.as_str()), |other| is_there(&other))
            };
            for report in links.filter(|report| known(&report.to)) {
                topology.add_link(report.link(&device.device_id));
            }
        }
        topology
    }

    /// The cluster in a few figures.
    pub fn overview(&self) -> Overview {
        let present = || self.devices.iter().filter(|device| device.presence == Presence::Present);
        let each = |figure: fn(&Readings) -> Option<f64>| {
            present().filter_map(move |device| Some((device.device_id.clone(), figure(&device.readings)?)))
        };
        let by_figure = |a: &(DeviceId, f64), b: &(DeviceId, f64)| a.1.total_cmp(&b.1);
        let mut memory_available = Total::default();
        for device in present() {
            match device.readings.memory.available.get() {
                Some(bytes) => memory_available.bytes = memory_available.bytes.saturating_add(bytes),
                None => memory_available.unknown += 1,
            }
        }
        let is_silent = |device: &&DeviceState| matches!(device.presence, Presence::Stale | Presence::Lost);
        Overview {
            present: present().count(),
            silent: self.devices.iter().filter(is_silent).count(),
            memory_available,
            hottest: each(|readings| readings.thermal.temperature.get()).max_by(by_figure),
            lowest_battery: each(|readings| readings.battery.level.get()).min_by(by_figure),
            busiest: each(|readings| readings.gpu.utilisation.get()).max_by(by_figure),
        }
    }
}

impl DeviceState {
    fn of(id: &DeviceId, device: &Device, now: Now) -> Self {
        let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            device_id: id.clone(),
            presence: device.presence(),
            registration: device.registration().cloned(),
            readings: device.readings().clone(),
            whole: device.is_whole(),
            silent_ms: millis(now.mono.since(device.heard())),
            uptime_ms: device.uptime().map(millis),
            clock_behind_ms: device.behind_ms(),
            traffic: device.traffic(),
        }
    }
}
