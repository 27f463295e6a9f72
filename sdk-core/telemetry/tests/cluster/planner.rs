//! One member that listens to all others and says who runs which layers.

use std::{collections::BTreeMap, time::Duration};

use exo_telemetry::{
    Now, Timestamp,
    aggregator::{Aggregator, ClusterState, DeviceState, Presence},
    placement::{
        Decision, Device, Layer, LinkSpeed, Model, Moving, Objective, PlacedStage, Problem, Workload, place,
        replan,
    },
    policy::Surroundings,
    protocol::DeviceType,
    score::{Candidate, DeviceScorer, Score},
    thermal::{Celsius, Observation, ThermalModel},
};

use crate::host::{LIMIT, policy};

/// The planner aims this far below the limit.
const AIM: f64 = LIMIT - 1.0;
/// Good Wi-Fi, and work for an hour or so: moves pay.
const MOVING: Moving = Moving { bytes_per_s: 100e6, horizon_tokens: 20_000.0, hysteresis: 0.05 };
/// A model that has learnt less than this is a guess.
const LEARNT: u32 = 6;

#[derive(Default)]
pub(crate) struct Planner {
    pub(crate) listener: Aggregator,
    heat: BTreeMap<String, (Option<Timestamp>, ThermalModel<Celsius>)>,
    pub(crate) stages: Vec<PlacedStage>,
    /// Why the last look at the plan ended as it did.
    pub(crate) why: String,
    /// When the plan changed, and how.
    pub(crate) changes: Vec<(Now, Decision, String)>,
}

/// 32 layers of 500 MB between an embedding and a head of 1 GB each.
fn model() -> Model {
    Model {
        layers: vec![Layer { bytes: 0.5e9, flops: 1e9, kv_bytes_per_token: 4096.0 }; 32],
        embedding_bytes: 1e9,
        head_bytes: 1e9,
        activation_bytes: 8192.0,
    }
}

impl Planner {
    pub(crate) fn layers_on(&self, name: &str) -> usize {
        let on = self.stages.iter().filter(|stage| stage.device == name);
        on.map(|stage| stage.end_layer - stage.start_layer).sum()
    }

    /// Learns how each phone that tells degrees warms, from what was heard of its heat and its work.
    pub(crate) fn learn(&mut self, now: Now) {
        for (id, device) in self.listener.devices() {
            let readings = device.readings();
            let Some(celsius) = readings.thermal.temperature.get() else { continue };
            let (seen, model) = self.heat.entry(id.to_string()).or_default();
            if let Some(share) = readings.gpu.utilisation.get() {
                model.load(now, share);
            }
            let stamp = Some(readings.thermal.temperature.at());
            if let Ok(observation) = Observation::celsius(celsius)
                && *seen != stamp
            {
                *seen = stamp;
                model.observe(now, observation);
            }
        }
    }

    /// The devices best first, by what was heard of them.
    pub(crate) fn ranked(&self, now: Now) -> Vec<Score> {
        let state = self.listener.state(now);
        let candidates: Vec<_> = usable(&state).filter_map(candidate).collect();
        DeviceScorer::composite().rank(&candidates)
    }

    /// Makes the first plan, or looks whether the one in use shall change.
    pub(crate) fn plan(&mut self, now: Now) {
        let problem = self.problem(&self.listener.state(now));
        let clock = || Duration::ZERO;
        if self.stages.is_empty() {
            self.stages = place(&problem, &clock).expect("a problem that makes sense").stages;
            return;
        }
        let change = replan(&self.stages, &problem, MOVING, &clock).expect("a problem that makes sense");
        self.why.clone_from(&change.why);
        if change.decision != Decision::Keep {
            self.changes.push((now, change.decision, change.why));
            self.stages = change.stages;
        }
    }

    fn problem(&self, state: &ClusterState) -> Problem {
        Problem {
            model: model(),
            devices: usable(state).filter_map(|device| self.offered(device)).collect(),
            links: Vec::new(),
            default_link: Some(LinkSpeed { latency_s: 0.003, bytes_per_s: 40e6 }),
            workload: Workload { context_tokens: 0.0 },
            objective: Objective::Latency,
            max_devices: None,
            time_limit_ms: 5000.0,
            tensor: None,
        }
    }

    /// What a device gives to the model now. One that never said what it can do gives nothing.
    fn offered(&self, device: &DeviceState) -> Option<Device> {
        let registration = device.registration.as_ref()?;
        let able = &registration.capabilities;
        let (thermal_factor, allowed) = match registration.device_type {
            DeviceType::MobileAndroid | DeviceType::MobileIos => self.left_by_heat(device),
            _ => (1.0, true),
        };
        Some(Device {
            id: device.device_id.to_string(),
            memory_bytes: able.memory_bytes.reading.get()? as f64,
            flops_per_s: able.peak_flops_per_s.reading.get()?,
            memory_bytes_per_s: able.memory_bytes_per_s.reading.get()?,
            thermal_factor,
            allowed,
        })
    }

    /// What heat leaves of a phone: the work that would hold it below the limit for ever, and no more than its owner
    /// allows. Readings are lost on the way, so a model may have learnt amiss; the owner's rule needs only the last one.
    fn left_by_heat(&self, device: &DeviceState) -> (f64, bool) {
        let Some((_, model)) = self.heat.get(device.device_id.as_str()) else { return (1.0, true) };
        let holding = if model.steps() < LEARNT { None } else { model.holding_duty(AIM) };
        let around = Surroundings {
            readings: &device.readings,
            memory_used: None,
            minute_of_day: None,
            foreground: None,
        };
        let allowance = policy().evaluate(&around);
        (holding.unwrap_or(1.0).clamp(0.0, 1.0).min(allowance.share), allowance.admit)
    }
}

/// A device that missed two beats may only have had bad luck: it is counted on until it is lost.
fn usable(state: &ClusterState) -> impl Iterator<Item = &DeviceState> {
    state.devices.iter().filter(|device| matches!(device.presence, Presence::Present | Presence::Stale))
}

fn candidate(device: &DeviceState) -> Option<Candidate> {
    let able = &device.registration.as_ref()?.capabilities;
    Some(Candidate::new(device.device_id.as_str(), &device.readings, able.peak_flops_per_s.reading.clone()))
}
