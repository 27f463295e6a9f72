//! What happened: every event that exo knows.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    card::ModelCard,
    chunk::{Chunk, InputChunk},
    count::Count,
    download::DownloadProgress,
    edge::Connection,
    gathered::GatheredInfo,
    id::{CommandId, EventId, InstanceId, InstanceLinkId, NodeId, RunnerId, TaskId},
    instance::{Instance, InstanceLink},
    model_id::ModelId,
    runner::RunnerStatus,
    task::{Task, TaskStatus},
    when::When,
};

/// Declares each event once: a struct with its id, a variant that is its tag, and the way from one to the other.
macro_rules! events {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $vis:vis $field:ident: $type:ty,)* })*) => {
        /// What happened. Written as an object with one key, the event's name.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Event {
            $($(#[$doc])* $name($name),)*
        }

        impl Event {
            /// Seeing it again in the global events is the acknowledgement.
            pub fn event_id(&self) -> &EventId {
                match self {
                    $(Self::$name(event) => &event.event_id,)*
                }
            }
        }

        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                /// Which event.
                pub event_id: EventId,
                $($(#[$field_doc])* $vis $field: $type,)*
            }

            impl From<$name> for Event {
                fn from(event: $name) -> Self {
                    Self::$name(event)
                }
            }
        )*
    };
}

events! {
    /// Nothing.
    TestEvent {}
    /// There is something to do. The id outside is that of the task inside: see [`TaskCreated::new`].
    TaskCreated {
        task_id: TaskId,
        task: Task,
    }
    /// A task stands differently.
    TaskStatusUpdated {
        /// Which task.
        pub task_id: TaskId,
        /// How.
        pub task_status: TaskStatus,
    }
    /// A task went wrong.
    TaskFailed {
        /// Which task.
        pub task_id: TaskId,
        /// What kind of thing went wrong.
        pub error_type: String,
        /// What went wrong.
        pub error_message: String,
    }
    /// A task is forgotten.
    TaskDeleted {
        /// Which task.
        pub task_id: TaskId,
    }
    /// A task was taken on.
    TaskAcknowledged {
        /// Which task.
        pub task_id: TaskId,
    }
    /// A model was placed.
    InstanceCreated {
        /// Where.
        pub instance: Instance,
    }
    /// A placement is undone.
    InstanceDeleted {
        /// Which instance.
        pub instance_id: InstanceId,
    }
    /// A runner is differently.
    RunnerStatusUpdated {
        /// Which runner.
        pub runner_id: RunnerId,
        /// How.
        pub runner_status: RunnerStatus,
    }
    /// A node is gone. Said by the master of the silent, and by a member of itself when it leaves.
    NodeTimedOut {
        /// Which node.
        pub node_id: NodeId,
    }
    /// A node told something about itself.
    NodeGatheredInfo {
        /// Which node.
        pub node_id: NodeId,
        /// When; the master writes its own time over it.
        pub when: When,
        /// What.
        pub info: GatheredInfo,
    }
    /// A node is further with a model's weights.
    NodeDownloadProgress {
        /// How far.
        pub download_progress: DownloadProgress,
    }
    /// A piece of an answer.
    ChunkGenerated {
        /// To which command.
        pub command_id: CommandId,
        /// What.
        pub chunk: Chunk,
    }
    /// A piece of a question.
    InputChunkReceived {
        /// Of which command.
        pub command_id: CommandId,
        /// What.
        pub chunk: InputChunk,
    }
    /// One node reaches another.
    TopologyEdgeCreated {
        /// How.
        pub conn: Connection,
    }
    /// It no longer does.
    TopologyEdgeDeleted {
        /// How it did.
        pub conn: Connection,
    }
    /// A rank's timings. The master keeps these and does not tell.
    TracesCollected {
        /// Of which task.
        pub task_id: TaskId,
        /// Of which rank.
        pub rank: u32,
        /// What took how long.
        pub traces: Vec<TraceEventData>,
    }
    /// All ranks' timings.
    TracesMerged {
        /// Of which task.
        pub task_id: TaskId,
        /// What took how long.
        pub traces: Vec<TraceEventData>,
    }
    /// A person added a model.
    CustomModelCardAdded {
        /// Which.
        pub model_card: Arc<ModelCard>,
    }
    /// A person removed a model.
    CustomModelCardDeleted {
        /// Which.
        pub model_id: ModelId,
    }
    /// Instances were linked.
    InstanceLinkCreated {
        /// Which.
        pub link: InstanceLink,
    }
    /// They no longer are.
    InstanceLinkDeleted {
        /// Which link.
        pub link_id: InstanceLinkId,
    }
}

impl TaskCreated {
    /// This task is to be done.
    pub fn new(event_id: EventId, task: Task) -> Self {
        Self { event_id, task_id: task.task_id().clone(), task }
    }

    /// What is to be done.
    pub fn task(&self) -> &Task {
        &self.task
    }
}

/// What took how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceEventData {
    /// What.
    pub name: String,
    /// Since when, in microseconds.
    pub start_us: Count,
    /// How long, in microseconds.
    pub duration_us: Count,
    /// On which rank.
    pub rank: u32,
    /// Of what kind.
    pub category: String,
}
