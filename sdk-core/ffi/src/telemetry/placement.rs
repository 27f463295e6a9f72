//! Who would run which layers of a model, and why.

use std::time::{Duration, Instant};

use exo_node::planning;
use exo_telemetry::placement::{self, Answer, Binding, Objective as Aim, Status};

use crate::{ExoError, Result};

/// What to minimise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, uniffi::Enum)]
pub enum Objective {
    /// The time of one token.
    #[default]
    Latency,
    /// The time between tokens of a full pipeline.
    Throughput,
}

/// How good a plan is.
#[uniffi::remote(Enum)]
pub enum Status {
    /// Nothing is better.
    Optimal,
    /// It holds, and can be off the best by no more than the lower bound says.
    Feasible,
    /// There is no plan, or none was found in time.
    Infeasible,
}

/// What keeps a device from doing more.
#[uniffi::remote(Enum)]
pub enum Binding {
    /// Its owner does not allow it.
    NotAllowed,
    /// It is too hot.
    TooHot,
    /// It has a rate of 0.
    NoSpeed,
    /// With more memory it would do more.
    Memory,
    /// With faster links it would be used.
    Links,
    /// If it were faster it would do more.
    Speed,
    /// With one device more in the plan it would be used.
    MaxDevices,
    /// No single one.
    Nothing,
}

/// What a plan is for.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct PlanWishes {
    /// Tokens of context whose keys and values must fit.
    #[uniffi(default = 4096)]
    pub context_tokens: u32,
    /// What to minimise.
    pub objective: Objective,
    /// Plan as if devices that offer nothing to exo did. For questions only: such a plan cannot be handed over.
    #[uniffi(default = false)]
    pub even_guests: bool,
    /// The most devices of a plan; any number if left out.
    #[uniffi(default = None)]
    pub max_devices: Option<u32>,
    /// How long to search, if it comes to that; 2 s if left out.
    #[uniffi(default = None)]
    pub time_limit: Option<Duration>,
}

impl From<&PlanWishes> for planning::Wishes {
    fn from(wishes: &PlanWishes) -> Self {
        let usual = Self::default();
        Self {
            context_tokens: wishes.context_tokens,
            objective: match wishes.objective {
                Objective::Latency => Aim::Latency,
                Objective::Throughput => Aim::Throughput,
            },
            even_guests: wishes.even_guests,
            max_devices: wishes.max_devices.map(|most| most as usize),
            time_limit: wishes.time_limit.unwrap_or(usual.time_limit),
        }
    }
}

/// Consecutive layers on one device.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct PlanStage {
    /// The device's id.
    pub device_id: String,
    /// The first layer.
    pub start_layer: u32,
    /// The layer after the last.
    pub end_layer: u32,
}

/// What one device got, and why.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct PlanDevice {
    /// The device's id.
    pub device_id: String,
    /// What people call it.
    pub name: String,
    /// How many layers it runs.
    pub layers: u32,
    /// A sentence that names the binding constraint.
    pub why: String,
    /// The constraint that holds it back.
    pub binding: Binding,
}

/// A figure that had to be assumed, and where it comes from instead.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Assumption {
    /// Whom it is about: the name of a device, `model` or `links`.
    pub about: String,
    /// What is not known.
    pub unknown: String,
    /// What stands in for it.
    pub taken: String,
    /// Why that.
    pub because: String,
}

/// A plan, and what it stands on.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Plan {
    /// The model.
    pub model: String,
    /// How good it is.
    pub status: Status,
    /// Who runs which layers, in the order in which a token passes them. Empty if there is no plan.
    pub stages: Vec<PlanStage>,
    /// Seconds that it costs.
    pub cost_s: Option<f64>,
    /// Seconds that no plan can cost less than.
    pub lower_bound_s: Option<f64>,
    /// What each device got, and why.
    pub devices: Vec<PlanDevice>,
    /// What is not known and was assumed.
    pub assumptions: Vec<Assumption>,
    /// Bytes of memory that the cluster lacks; 0 if there is a plan.
    pub missing_bytes: f64,
    /// One sentence about the whole.
    pub summary: String,
}

pub(crate) fn plan_of(model: &str, plan: &planning::Plan) -> Plan {
    let Answer { status, stages, cost_s, lower_bound_s, devices, missing_bytes, summary, .. } = &plan.answer;
    let stage = |stage: &placement::PlacedStage| PlanStage {
        device_id: stage.device.clone(),
        start_layer: stage.start_layer as u32,
        end_layer: stage.end_layer as u32,
    };
    let share = |share: &placement::DeviceShare| PlanDevice {
        device_id: share.id.clone(),
        name: plan.name_of(&share.id).to_owned(),
        layers: share.layers as u32,
        why: share.why.clone(),
        binding: share.binding,
    };
    let assumed = |assumption: &planning::Assumption| Assumption {
        about: assumption.about.clone(),
        unknown: assumption.unknown.clone(),
        taken: assumption.taken.clone(),
        because: assumption.because.clone(),
    };
    Plan {
        model: model.to_owned(),
        status: *status,
        stages: stages.iter().map(stage).collect(),
        cost_s: *cost_s,
        lower_bound_s: *lower_bound_s,
        devices: devices.iter().map(share).collect(),
        assumptions: plan.assumptions.iter().map(assumed).collect(),
        missing_bytes: *missing_bytes,
        summary: summary.clone(),
    }
}

/// Solves a placement problem that is given as JSON and answers in JSON; docs/placement.md describes both. For programs
/// that plan for a cluster of their own; `ExoNode.plan` plans for the one that was joined.
#[uniffi::export]
pub fn place(problem: &str) -> Result<String> {
    let problem = placement::Problem::from_json(problem).map_err(ExoError::invalid)?;
    let began = Instant::now();
    let answer = placement::place(&problem, &|| began.elapsed()).map_err(ExoError::invalid)?;
    serde_json::to_string(&answer).map_err(ExoError::invalid)
}
