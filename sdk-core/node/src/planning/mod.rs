//! From a live cluster to a plan: who would run which layers of a model, and how sure that is.
//!
//! ```text
//!  ClusterView (what exo tells)      ──┐
//!  ClusterState (what SDK devices tell) ─┼─> placement::Problem ──> placement::Answer
//!  Topology (links that were measured) ──┤        + every figure that had to be assumed, and why
//!  ModelCard, Wishes                 ──┘                       │
//!                                                     hand_over: an instance for exo, or why not
//! ```
//!
//! exo tells how much memory a node has free, not how fast it is; a card tells how large a model is, not where its bytes
//! are. What is missing is assumed, and each [`Assumption`] is part of the plan: a plan that stands on six of them is to
//! be read as one. Nothing here owns a socket or reads a clock; nothing is sent.

mod assumption;
mod cards;
mod chips;
mod device;
mod hand_over;
mod heat;
mod links;
mod model;
mod names;
#[cfg(test)]
mod tests;
mod whereabouts;

use std::{collections::BTreeMap, time::Duration};

use exo_telemetry::{
    aggregator::ClusterState,
    placement::{
        self, Answer, Clock, Model, Moving, Objective, Problem, ProblemError, Replan, Workload, replan,
    },
    topology::Topology,
};
use exo_wire::card::ModelCard;

pub use assumption::Assumption;
pub use cards::{CardError, card_from_json, card_in_state, models_in_state, models_listed};
pub use hand_over::{HandOverError, hand_over};
pub use names::{Named, named};
pub use whereabouts::Whereabouts;

use crate::member::ClusterView;

/// All that is known of a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// Its nodes, as exo's log tells. Only those that are present can be planned with.
    pub view: &'a ClusterView,
    /// What devices of this SDK tell of themselves. A device is the node of the same id.
    pub telemetry: &'a ClusterState,
    /// Links that were measured, by the ids of their ends. May be empty.
    pub topology: &'a Topology,
}

/// What shall run.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    /// A model as exo describes it.
    Card(&'a ModelCard),
    /// A model whose layers are known one by one: nothing about it is assumed, and it cannot be handed to exo.
    Layers(&'a Model),
}

/// What the plan is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wishes {
    /// Tokens of context whose keys and values must fit.
    pub context_tokens: u32,
    /// What to minimise.
    pub objective: Objective,
    /// Plan as if devices that offer nothing to exo did. For questions only: such a plan cannot be handed over.
    pub even_guests: bool,
    /// The most devices of a plan; any number if absent.
    pub max_devices: Option<usize>,
    /// How long to search, if it comes to that.
    pub time_limit: Duration,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            context_tokens: 4096,
            objective: Objective::Latency,
            even_guests: false,
            max_devices: None,
            time_limit: Duration::from_secs(2),
        }
    }
}

/// A device of a plan, or beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// What people call it; its id if nobody said.
    pub name: String,
    /// The backends that it announces to exo. None: it is a guest.
    pub backends: Vec<String>,
    /// Why it may not be used, if so.
    pub barred: Option<String>,
}

/// A plan, and what it stands on.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What was solved.
    pub problem: Problem,
    /// The plan, and why it is so. `devices` names the reason of each that is barred.
    pub answer: Answer,
    /// Who the devices are, by their ids.
    pub participants: BTreeMap<String, Participant>,
    /// What is not known and was assumed.
    pub assumptions: Vec<Assumption>,
}

/// A problem that was made from a cluster.
#[derive(Debug, Clone, PartialEq)]
struct Posed {
    problem: Problem,
    participants: BTreeMap<String, Participant>,
    assumptions: Vec<Assumption>,
}

/// Plans a model on a cluster. `clock` says how long ago the search began.
pub fn plan(
    wanted: Wanted<'_>,
    situation: Situation<'_>,
    wishes: &Wishes,
    clock: Clock<'_>,
) -> Result<Plan, ProblemError> {
    let Posed { problem, participants, assumptions } = pose(wanted, situation, wishes);
    let mut answer = placement::place(&problem, clock)?;
    name_the_reasons(&mut answer, &participants);
    Ok(Plan { problem, answer, participants, assumptions })
}

/// Decides what becomes of a plan that is in use, now that the cluster is another one.
pub fn plan_again(
    old: &Plan,
    wanted: Wanted<'_>,
    situation: Situation<'_>,
    wishes: &Wishes,
    moving: Moving,
    clock: Clock<'_>,
) -> Result<(Replan, Vec<Assumption>), ProblemError> {
    let Posed { problem, participants, assumptions } = pose(wanted, situation, wishes);
    let mut again = replan(&old.answer.stages, &problem, moving, clock)?;
    name_the_reasons(&mut again.answer, &participants);
    Ok((again, assumptions))
}

impl Plan {
    /// What people call a device.
    pub fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        self.participants.get(id).map_or(id, |participant| &participant.name)
    }
}

fn pose(wanted: Wanted<'_>, situation: Situation<'_>, wishes: &Wishes) -> Posed {
    let mut assumptions = Vec::new();
    let (model, runs_on) = match wanted {
        Wanted::Card(card) => (model::of_card(card, &mut assumptions), Some(card.backends.as_slice())),
        Wanted::Layers(model) => (model.clone(), None),
    };
    let (mut devices, mut participants) = (Vec::new(), BTreeMap::new());
    for (id, node) in situation.view.nodes.iter().filter(|(_, node)| node.present) {
        let told = situation.telemetry.devices.iter().find(|told| told.device_id.as_str() == id.as_str());
        let known = device::Known { id: id.as_str(), node, told, runs_on };
        let (device, participant) = known.describe(wishes.even_guests, &mut assumptions);
        devices.push(device);
        participants.insert(id.as_str().to_owned(), participant);
    }
    let links = links::between(&devices, &participants, situation.topology, &mut assumptions);
    let problem = Problem {
        model,
        devices,
        links,
        default_link: Some(links::ASSUMED),
        workload: Workload { context_tokens: f64::from(wishes.context_tokens) },
        objective: wishes.objective,
        max_devices: wishes.max_devices,
        time_limit_ms: wishes.time_limit.as_secs_f64() * 1e3,
        tensor: None,
    };
    Posed { problem, participants, assumptions }
}

/// The solver knows only that a device is not allowed; here is why.
fn name_the_reasons(answer: &mut Answer, participants: &BTreeMap<String, Participant>) {
    for share in &mut answer.devices {
        if let Some(why) = participants.get(&share.id).and_then(|participant| participant.barred.as_deref()) {
            share.why = format!("not used: {why}");
        }
    }
}
