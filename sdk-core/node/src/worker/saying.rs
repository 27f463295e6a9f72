//! Everything that a worker ever says. There is no way to say anything else.

use exo_wire::{
    CommandId, Event, EventId, InstanceId, RunnerId, TaskId,
    chunk::Chunk,
    download::DownloadProgress,
    event::{
        ChunkGenerated, NodeDownloadProgress, RunnerStatusUpdated, TaskCreated, TaskFailed, TaskStatusUpdated,
    },
    runner::RunnerStatus,
    task::{Task, TaskStatus},
};

/// Something for the cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum Say {
    /// Into the log, in this order.
    Event(Work),
    /// To the master, at once: take this instance away. Nothing acknowledges it but its effect.
    DeleteInstance(InstanceId),
}

/// Something to say in the log, not yet an event: that it becomes with an id, in a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// A step of ours begins.
    Step(Box<Task>),
    /// A task stands so.
    TaskIs(TaskId, TaskStatus),
    /// A task went wrong: the kind of fault, and the words.
    TaskFailed(TaskId, String, String),
    /// A runner of ours is so.
    Runner(RunnerId, RunnerStatus),
    /// We are so far with a model's weights.
    Download(Box<DownloadProgress>),
    /// A piece of an answer. Never of an image, and never for a command that asked for one: exo's interface stops at it.
    Chunk(CommandId, Box<Chunk>),
}

impl Work {
    /// The event that says it.
    pub(crate) fn event(self, event_id: EventId) -> Event {
        match self {
            Self::Step(task) => TaskCreated::new(event_id, *task).into(),
            Self::TaskIs(task_id, task_status) => TaskStatusUpdated { event_id, task_id, task_status }.into(),
            Self::TaskFailed(task_id, error_type, error_message) => {
                TaskFailed { event_id, task_id, error_type, error_message }.into()
            }
            Self::Runner(runner_id, runner_status) => {
                RunnerStatusUpdated { event_id, runner_id, runner_status }.into()
            }
            Self::Download(progress) => {
                NodeDownloadProgress { event_id, download_progress: *progress }.into()
            }
            Self::Chunk(command_id, chunk) => ChunkGenerated { event_id, command_id, chunk: *chunk }.into(),
        }
    }
}
