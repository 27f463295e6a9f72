//! What happened: every event that exo knows.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    card::ModelCard,
    chunk::{Chunk, InputChunk},
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
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
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
                $($(#[$field_doc])* pub $field: $type,)*
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
    /// There is something to do.
    TaskCreated {
        /// Which task.
        task_id: TaskId,
        /// What.
        task: Task,
    }
    /// A task stands differently.
    TaskStatusUpdated {
        /// Which task.
        task_id: TaskId,
        /// How.
        task_status: TaskStatus,
    }
    /// A task went wrong.
    TaskFailed {
        /// Which task.
        task_id: TaskId,
        /// What kind of thing went wrong.
        error_type: String,
        /// What went wrong.
        error_message: String,
    }
    /// A task is forgotten.
    TaskDeleted {
        /// Which task.
        task_id: TaskId,
    }
    /// A task was taken on.
    TaskAcknowledged {
        /// Which task.
        task_id: TaskId,
    }
    /// A model was placed.
    InstanceCreated {
        /// Where.
        instance: Instance,
    }
    /// A placement is undone.
    InstanceDeleted {
        /// Which instance.
        instance_id: InstanceId,
    }
    /// A runner is differently.
    RunnerStatusUpdated {
        /// Which runner.
        runner_id: RunnerId,
        /// How.
        runner_status: RunnerStatus,
    }
    /// A node is gone. Said by the master of the silent, and by a member of itself when it leaves.
    NodeTimedOut {
        /// Which node.
        node_id: NodeId,
    }
    /// A node told something about itself.
    NodeGatheredInfo {
        /// Which node.
        node_id: NodeId,
        /// When; the master writes its own time over it.
        when: When,
        /// What.
        info: GatheredInfo,
    }
    /// A node is further with a model's weights.
    NodeDownloadProgress {
        /// How far.
        download_progress: DownloadProgress,
    }
    /// A piece of an answer.
    ChunkGenerated {
        /// To which command.
        command_id: CommandId,
        /// What.
        chunk: Chunk,
    }
    /// A piece of a question.
    InputChunkReceived {
        /// Of which command.
        command_id: CommandId,
        /// What.
        chunk: InputChunk,
    }
    /// One node reaches another.
    TopologyEdgeCreated {
        /// How.
        conn: Connection,
    }
    /// It no longer does.
    TopologyEdgeDeleted {
        /// How it did.
        conn: Connection,
    }
    /// A rank's timings. The master keeps these and does not tell.
    TracesCollected {
        /// Of which task.
        task_id: TaskId,
        /// Of which rank.
        rank: u32,
        /// What took how long.
        traces: Vec<TraceEventData>,
    }
    /// All ranks' timings.
    TracesMerged {
        /// Of which task.
        task_id: TaskId,
        /// What took how long.
        traces: Vec<TraceEventData>,
    }
    /// A person added a model.
    CustomModelCardAdded {
        /// Which.
        model_card: Arc<ModelCard>,
    }
    /// A person removed a model.
    CustomModelCardDeleted {
        /// Which.
        model_id: ModelId,
    }
    /// Instances were linked.
    InstanceLinkCreated {
        /// Which.
        link: InstanceLink,
    }
    /// They no longer are.
    InstanceLinkDeleted {
        /// Which link.
        link_id: InstanceLinkId,
    }
}

/// What took how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceEventData {
    /// What.
    pub name: String,
    /// Since when, in microseconds.
    pub start_us: u64,
    /// How long, in microseconds.
    pub duration_us: u64,
    /// On which rank.
    pub rank: u32,
    /// Of what kind.
    pub category: String,
}
