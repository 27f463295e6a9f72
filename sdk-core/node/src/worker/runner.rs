//! One runner of ours: a model placed on this node, from its creation to its end.
//!
//! ```text
//! Examining -> Fetching -> Loading -> WarmingUp -> Ready -> Ending
//!     |            |          |           |          |
//!     |            +----------+-----------+----------+--> Failed -- 0.5, 1, 2, 4, 8 s --> Examining
//!     +--- unsuitable, or failed too often ------------------------------------------> Refused
//! ```

use std::time::Duration;

use exo_wire::{
    InstanceId, RunnerId, TaskId,
    instance::Instance,
    model_id::ModelId,
    runner::{RunnerFailed, RunnerLoading, RunnerReady, RunnerStatus},
    shard::ShardMetadata,
};

use super::Fetching;
use crate::now::Moment;

/// So often a runner is tried before the model is given back, as exo's worker does.
pub(super) const TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Where a runner is in its life.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stage {
    /// The engine is asked whether it can run it.
    Examining,
    /// Weights come.
    Fetching,
    /// Weights are read.
    Loading,
    /// It is tried out.
    WarmingUp,
    /// It answers, or waits for questions.
    Ready,
    /// It is tried again then.
    Failed(Moment),
    /// It will not run here; its instance is to go. The request is made, or made again, then.
    Refused(Moment),
    /// The engine lets go of it, and is not waited for longer than that.
    Ending(Moment),
}

/// What to run.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) instance: Instance,
    pub(super) shard: ShardMetadata,
}

impl Plan {
    pub(super) fn model(&self) -> &ModelId {
        &self.shard.model_card().model_id
    }

    pub(super) fn layers(&self) -> u32 {
        self.shard.model_card().n_layers.get()
    }
}

/// A model placed on this node.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) id: RunnerId,
    pub(super) instance: InstanceId,
    /// Absent if it could not be read; such a runner is refused.
    pub(super) plan: Option<Plan>,
    pub(super) stage: Stage,
    /// What the cluster was last told of it.
    pub(super) status: Option<RunnerStatus>,
    /// The task of the step that it is in.
    pub(super) step: Option<TaskId>,
    /// The engine may hold something of it.
    pub(super) held: bool,
    /// The engine is letting go of it.
    pub(super) unloading: bool,
    /// How often it failed in a row.
    pub(super) failures: u32,
    /// When its progress was last told.
    pub(super) told: Moment,
    /// How far its download is.
    pub(super) fetching: Fetching,
    /// The tenth of it that was last told.
    pub(super) told_tenth: Option<u64>,
    /// The session in which it was placed is over; it goes then, if the new one does not know it.
    pub(super) orphaned: Option<Moment>,
}

impl Runner {
    pub(super) const fn new(id: RunnerId, instance: InstanceId, plan: Option<Plan>, now: Moment) -> Self {
        Self {
            id,
            instance,
            plan,
            stage: Stage::Examining,
            status: None,
            step: None,
            held: false,
            unloading: false,
            failures: 0,
            told: now,
            fetching: Fetching::NONE,
            told_tenth: None,
            orphaned: None,
        }
    }

    /// Whether it takes questions, now or soon.
    pub(super) const fn is_open(&self) -> bool {
        !matches!(self.stage, Stage::Refused(_) | Stage::Ending(_))
    }

    /// Whether no other node has a part in it.
    pub(super) fn is_alone(&self) -> bool {
        let plan = self.plan.as_ref();
        plan.is_some_and(|plan| plan.instance.shard_assignments().node_to_runner().len() == 1)
    }

    /// The pause before it is tried again.
    pub(super) fn pause(&self) -> Duration {
        let doubled = FIRST_PAUSE * 2_u32.pow(self.failures.saturating_sub(1).min(8));
        doubled.min(LONGEST_PAUSE)
    }

    /// When it wants something though nothing happens.
    pub(super) fn deadline(&self) -> Option<Moment> {
        // Nothing of an old session is asked of a new one.
        if self.orphaned.is_some() {
            return self.orphaned;
        }
        match self.stage {
            // A runner that the engine still holds is tried again when it no longer does.
            Stage::Failed(at) if !self.unloading => Some(at),
            Stage::Refused(at) | Stage::Ending(at) => Some(at),
            _ => None,
        }
    }
}

pub(super) fn ready() -> RunnerStatus {
    RunnerStatus::Ready(RunnerReady::default())
}

pub(super) fn loading(layers_loaded: u32, total_layers: u32) -> RunnerStatus {
    RunnerStatus::Loading(RunnerLoading { layers_loaded: layers_loaded.min(total_layers), total_layers })
}

pub(super) fn failed(why: &str) -> RunnerStatus {
    let error_message = Some(super::answer::words(why));
    RunnerStatus::Failed(RunnerFailed { error_message, ..RunnerFailed::default() })
}
