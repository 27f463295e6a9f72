//! Everything that a member ever says in the log. There is no way to say anything else.

use exo_wire::{
    Event, EventId, GatheredInfo, NodeId, RunnerId, TaskId, When,
    event::{NodeGatheredInfo, NodeTimedOut, RunnerStatusUpdated, TaskStatusUpdated},
    runner::RunnerStatus,
    task::TaskStatus,
};

use super::telemetry::Kind;

/// Something to say, not yet an event: that it becomes with an id, in a session.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Saying {
    /// About ourselves. Soon replaced by newer news, so not worth saying again in another session.
    News(Kind, GatheredInfo),
    /// A runner of ours is no more.
    RunnerGone(RunnerId),
    /// A task of ours will not be done.
    TaskDropped(TaskId),
    /// We leave.
    Goodbye,
}

impl Saying {
    /// The kind of news, if it is news.
    pub(super) const fn news(&self) -> Option<Kind> {
        match self {
            Self::News(kind, _) => Some(*kind),
            Self::RunnerGone(_) | Self::TaskDropped(_) | Self::Goodbye => None,
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
            Self::Goodbye => NodeTimedOut { event_id, node_id }.into(),
        }
    }
}
