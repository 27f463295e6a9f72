//! Everything that a member ever says in the log. There is no way to say anything else.

use exo_wire::{
    Event, EventId, GatheredInfo, NodeId, RunnerId, TaskId, When,
    event::{NodeGatheredInfo, NodeTimedOut, RunnerStatusUpdated, TaskStatusUpdated},
    runner::RunnerStatus,
    task::TaskStatus,
};

use super::telemetry::Kind;
use crate::worker::Work;

/// Something to say, not yet an event: that it becomes with an id, in a session.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Saying {
    /// About ourselves. Soon replaced by newer news, so not worth saying again in another session.
    News(Kind, GatheredInfo),
    /// A runner of ours is no more.
    RunnerGone(RunnerId),
    /// A task of ours will not be done.
    TaskDropped(TaskId),
    /// What became of work that we were given.
    Work(Work),
    /// We leave.
    Goodbye,
}

impl Saying {
    /// The kind of news, if it is news.
    pub(super) const fn news(&self) -> Option<Kind> {
        match self {
            Self::News(kind, _) => Some(*kind),
            Self::RunnerGone(_) | Self::TaskDropped(_) | Self::Work(_) | Self::Goodbye => None,
        }
    }

    /// Whether another session should hear it, if this one did not. What became of work is of the session that gave it.
    pub(super) const fn outlives_its_session(&self) -> bool {
        matches!(self, Self::RunnerGone(_) | Self::TaskDropped(_) | Self::Goodbye)
    }

    /// The work, if it is about that.
    pub(super) fn into_work(self) -> Option<Work> {
        match self {
            Self::Work(work) => Some(work),
            _ => None,
        }
    }

    /// The event that says it.
    pub(super) fn event(&self, event_id: EventId, node_id: NodeId, when: When) -> Event {
        match self.clone() {
            Self::News(_, info) => NodeGatheredInfo { event_id, node_id, when, info }.into(),
            Self::RunnerGone(runner_id) => {
                RunnerStatusUpdated { event_id, runner_id, runner_status: RunnerStatus::Shutdown {} }.into()
            }
            Self::TaskDropped(task_id) => {
                TaskStatusUpdated { event_id, task_id, task_status: TaskStatus::Failed }.into()
            }
            Self::Work(work) => work.event(event_id),
            Self::Goodbye => NodeTimedOut { event_id, node_id }.into(),
        }
    }
}
