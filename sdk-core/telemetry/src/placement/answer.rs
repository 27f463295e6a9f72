//! What a placement answers.

use serde::{Deserialize, Serialize};

use super::{
    cost::Costs,
    plan::{Plan, Stage},
    problem::Problem,
    solve::Solver,
};

/// The answer to a problem, as it is in JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// How good it is.
    pub status: Status,
    /// Who runs which layers, in the order in which a token passes them. Empty if there is no plan.
    pub stages: Vec<PlacedStage>,
    /// What the plan costs; `null` without a plan.
    pub cost_s: Option<f64>,
    /// What no plan can cost less than; `null` if there is no plan.
    pub lower_bound_s: Option<f64>,
    /// How it was found.
    pub solver: Solver,
    /// How long the search took, without the explanations.
    pub elapsed_ms: f64,
    /// What each device got, and why.
    pub devices: Vec<DeviceShare>,
    /// Bytes of memory that the cluster lacks; 0 if there is a plan.
    pub missing_bytes: f64,
    /// One sentence about the whole.
    pub summary: String,
    /// Whether stages follow each other or share every layer. Only if the problem allows the latter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel: Option<Parallel>,
    /// The best plan that was found with other devices or another order of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_best: Option<Alternative>,
    /// What the greedy plan cost, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greedy_cost_s: Option<f64>,
}

/// How good an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing is better: the lower bound is the cost.
    Optimal,
    /// It holds, and can be off the best by no more than the lower bound says.
    Feasible,
    /// There is no plan, or none was found in time; `summary` says which.
    Infeasible,
}

/// Consecutive layers on one device; all layers in a tensor plan, where each device has a share of every one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedStage {
    /// The device.
    pub device: String,
    /// The first layer.
    pub start_layer: usize,
    /// The layer after the last.
    pub end_layer: usize,
}

/// How devices work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parallel {
    /// One after the other, each with layers of its own.
    Pipeline,
    /// At once, each with an equal share of every layer.
    Tensor,
}

/// What one device got, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceShare {
    /// The device.
    pub id: String,
    /// How many layers it runs.
    pub layers: usize,
    /// A sentence that names the binding constraint.
    pub why: String,
    /// The constraint that holds it back.
    pub binding: Binding,
    /// By how much the plan gets cheaper, at least, without that constraint. Absent if it was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_s: Option<f64>,
}

/// What keeps a device from doing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Binding {
    /// Its owner does not allow it.
    NotAllowed,
    /// Its thermal factor is 0.
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

/// A plan that was not chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Its stages.
    pub stages: Vec<PlacedStage>,
    /// What it costs.
    pub cost_s: f64,
    /// How much more that is, as a share of the cost of the plan.
    pub worse_by: f64,
}

/// The stages of a plan by the names of its devices.
pub(super) fn placed(problem: &Problem, costs: &Costs, plan: &Plan) -> Vec<PlacedStage> {
    let named = |stage: &Stage| PlacedStage {
        device: problem.devices[costs.usable[stage.device]].id.clone(),
        start_layer: stage.start,
        end_layer: stage.end,
    };
    plan.stages().iter().map(named).collect()
}
