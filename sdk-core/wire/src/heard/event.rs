//! What happened, as far as a member needs to know.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    edge::Connection,
    info::Info,
    instance::{Instance, InstanceLink},
    model::{Card, Shard},
    one_key::{OneKey, Tagged, tag},
    text::Text,
};

/// Declares the view of each event: only the fields that are needed, every one of them required.
macro_rules! heard {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Deserialize)]
        pub struct $name<'a> {
            /// Which event. exo always says.
            #[serde(borrow, alias = "eventId")]
            pub event_id: Option<Text<'a>>,
            $($(#[$field_doc])* #[serde(borrow)] pub $field: $type,)*
        }
    )*};
}

/// What happened.
#[derive(Debug, Clone, Deserialize)]
pub enum Event<'a> {
    /// Nothing.
    TestEvent(#[serde(borrow)] TestEvent<'a>),
    /// There is something to do.
    TaskCreated(#[serde(borrow)] TaskCreated<'a>),
    /// A task stands differently.
    TaskStatusUpdated(#[serde(borrow)] TaskStatusUpdated<'a>),
    /// A task went wrong.
    TaskFailed(#[serde(borrow)] TaskFailed<'a>),
    /// A task is forgotten.
    TaskDeleted(#[serde(borrow)] TaskEnded<'a>),
    /// A task was taken on.
    TaskAcknowledged(#[serde(borrow)] TaskEnded<'a>),
    /// A model was placed.
    InstanceCreated(#[serde(borrow)] InstanceCreated<'a>),
    /// A placement is undone.
    InstanceDeleted(#[serde(borrow)] InstanceDeleted<'a>),
    /// A runner is differently.
    RunnerStatusUpdated(#[serde(borrow)] RunnerStatusUpdated<'a>),
    /// A node is gone.
    NodeTimedOut(#[serde(borrow)] NodeTimedOut<'a>),
    /// A node told something about itself.
    NodeGatheredInfo(#[serde(borrow)] NodeGatheredInfo<'a>),
    /// A node is further with a model's weights.
    NodeDownloadProgress(#[serde(borrow)] NodeDownloadProgress<'a>),
    /// A piece of an answer.
    ChunkGenerated(#[serde(borrow)] ChunkGenerated<'a>),
    /// A piece of a question.
    InputChunkReceived(#[serde(borrow)] InputChunkReceived<'a>),
    /// One node reaches another.
    TopologyEdgeCreated(#[serde(borrow)] TopologyEdge<'a>),
    /// It no longer does.
    TopologyEdgeDeleted(#[serde(borrow)] TopologyEdge<'a>),
    /// A rank's timings.
    TracesCollected(#[serde(borrow)] Traces<'a>),
    /// All ranks' timings.
    TracesMerged(#[serde(borrow)] Traces<'a>),
    /// A person added a model.
    CustomModelCardAdded(#[serde(borrow)] CustomModelCardAdded<'a>),
    /// A person removed a model.
    CustomModelCardDeleted(#[serde(borrow)] CustomModelCardDeleted<'a>),
    /// Instances were linked.
    InstanceLinkCreated(#[serde(borrow)] InstanceLinkCreated<'a>),
    /// They no longer are.
    InstanceLinkDeleted(#[serde(borrow)] InstanceLinkDeleted<'a>),
    /// Something that we do not know, or cannot read.
    #[serde(skip)]
    Unknown(Unknown<'a>),
}

/// Something that we do not know, or cannot read.
#[derive(Debug, Clone)]
pub struct Unknown<'a> {
    /// Which event, if it says.
    pub event_id: Option<Text<'a>>,
    /// What it calls itself; empty if it is not even a tagged value.
    pub tag: Text<'a>,
    /// The whole event.
    pub raw: &'a RawValue,
}

heard! {
    /// Nothing.
    TestEvent {}
    /// A task stands differently.
    TaskStatusUpdated {
        /// Which task.
        #[serde(alias = "taskId")]
        task_id: Text<'a>,
        /// `Running`.
        #[serde(alias = "taskStatus")]
        task_status: Text<'a>,
    }
    /// There is something to do.
    TaskCreated {
        /// Which task.
        #[serde(alias = "taskId")]
        task_id: Text<'a>,
        /// What.
        task: Tagged<'a>,
    }
    /// A task went wrong.
    TaskFailed {
        /// Which task.
        #[serde(alias = "taskId")]
        task_id: Text<'a>,
        /// What kind of thing went wrong.
        #[serde(alias = "errorType")]
        error_type: Option<Text<'a>>,
        /// What went wrong.
        #[serde(alias = "errorMessage")]
        error_message: Option<Text<'a>>,
    }
    /// A task was taken on, or is forgotten.
    TaskEnded {
        /// Which task.
        #[serde(alias = "taskId")]
        task_id: Text<'a>,
    }
    /// A model was placed.
    InstanceCreated {
        /// How.
        instance: Instance<'a>,
    }
    /// A placement is undone.
    InstanceDeleted {
        /// Which instance.
        #[serde(alias = "instanceId")]
        instance_id: Text<'a>,
    }
    /// A runner is differently.
    RunnerStatusUpdated {
        /// Which runner.
        #[serde(alias = "runnerId")]
        runner_id: Text<'a>,
        /// How.
        #[serde(alias = "runnerStatus")]
        runner_status: Tagged<'a>,
    }
    /// A node is gone.
    NodeTimedOut {
        /// Which node.
        #[serde(alias = "nodeId")]
        node_id: Text<'a>,
    }
    /// A node told something about itself.
    NodeGatheredInfo {
        /// Which node.
        #[serde(alias = "nodeId")]
        node_id: Text<'a>,
        /// What.
        info: Info<'a>,
    }
    /// A piece of an answer.
    ChunkGenerated {
        /// To which command.
        #[serde(alias = "commandId")]
        command_id: Text<'a>,
        /// What.
        chunk: &'a RawValue,
    }
    /// A piece of a question.
    InputChunkReceived {
        /// Of which command.
        #[serde(alias = "commandId")]
        command_id: Text<'a>,
        /// What.
        chunk: &'a RawValue,
    }
    /// One node reaches another, or no longer does.
    TopologyEdge {
        /// How.
        conn: Connection<'a>,
    }
    /// Timings.
    Traces {
        /// Of which task.
        #[serde(alias = "taskId")]
        task_id: Text<'a>,
    }
    /// A person added a model.
    CustomModelCardAdded {
        /// Which.
        #[serde(alias = "modelCard")]
        model_card: Card<'a>,
    }
    /// A person removed a model.
    CustomModelCardDeleted {
        /// Which.
        #[serde(alias = "modelId")]
        model_id: Text<'a>,
    }
    /// Instances were linked.
    InstanceLinkCreated {
        /// Which.
        link: InstanceLink<'a>,
    }
    /// They no longer are.
    InstanceLinkDeleted {
        /// Which link.
        #[serde(alias = "linkId")]
        link_id: Text<'a>,
    }
}

/// A node is further with a model's weights.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Download<'a>", bound(deserialize = "'de: 'a"))]
pub struct NodeDownloadProgress<'a> {
    /// Which event.
    pub event_id: Option<Text<'a>>,
    /// How far: `DownloadPending`, `DownloadOngoing`, `DownloadCompleted`, `DownloadFailed`.
    pub tag: Text<'a>,
    /// Which node.
    pub node_id: Text<'a>,
    /// Which model.
    pub model_id: Text<'a>,
}

#[derive(Deserialize)]
struct Download<'a> {
    #[serde(borrow, alias = "eventId")]
    event_id: Option<Text<'a>>,
    #[serde(borrow, alias = "downloadProgress")]
    download_progress: OneKey<'a, Progress<'a>>,
}

#[derive(Deserialize)]
struct Progress<'a> {
    #[serde(borrow, alias = "nodeId")]
    node_id: Text<'a>,
    #[serde(borrow, alias = "shardMetadata")]
    shard_metadata: Shard<'a>,
}

impl<'a> From<Download<'a>> for NodeDownloadProgress<'a> {
    fn from(read: Download<'a>) -> Self {
        let OneKey { tag, value: Progress { node_id, shard_metadata } } = read.download_progress;
        Self { event_id: read.event_id, tag, node_id, model_id: shard_metadata.model_id }
    }
}

impl<'a> Event<'a> {
    /// Reads an event; what is not known, or not as it should be, is [`Event::Unknown`].
    pub fn read(raw: &'a RawValue) -> Self {
        match serde_json::from_str(raw.get()) {
            Ok(event) => event,
            Err(_) => Self::strange(raw),
        }
    }

    /// Which event. Our own, seen again, is acknowledged, even if we do not understand it any more.
    pub fn event_id(&self) -> Option<&str> {
        let id = match self {
            Self::TestEvent(event) => &event.event_id,
            Self::TaskCreated(event) => &event.event_id,
            Self::TaskStatusUpdated(event) => &event.event_id,
            Self::TaskFailed(event) => &event.event_id,
            Self::TaskDeleted(event) | Self::TaskAcknowledged(event) => &event.event_id,
            Self::InstanceCreated(event) => &event.event_id,
            Self::InstanceDeleted(event) => &event.event_id,
            Self::RunnerStatusUpdated(event) => &event.event_id,
            Self::NodeTimedOut(event) => &event.event_id,
            Self::NodeGatheredInfo(event) => &event.event_id,
            Self::NodeDownloadProgress(event) => &event.event_id,
            Self::ChunkGenerated(event) => &event.event_id,
            Self::InputChunkReceived(event) => &event.event_id,
            Self::TopologyEdgeCreated(event) | Self::TopologyEdgeDeleted(event) => &event.event_id,
            Self::TracesCollected(event) | Self::TracesMerged(event) => &event.event_id,
            Self::CustomModelCardAdded(event) => &event.event_id,
            Self::CustomModelCardDeleted(event) => &event.event_id,
            Self::InstanceLinkCreated(event) => &event.event_id,
            Self::InstanceLinkDeleted(event) => &event.event_id,
            Self::Unknown(event) => &event.event_id,
        };
        id.as_deref()
    }

    /// The slow way, for what could not be read: news of an unknown kind still tells that a node lives, and any
    /// event may be the acknowledgement that somebody waits for.
    fn strange(raw: &'a RawValue) -> Self {
        #[derive(Deserialize)]
        struct News<'a> {
            #[serde(borrow, alias = "eventId")]
            event_id: Option<Text<'a>>,
            #[serde(borrow, alias = "nodeId")]
            node_id: Text<'a>,
            #[serde(borrow)]
            info: &'a RawValue,
        }
        #[derive(Deserialize)]
        struct Any<'a> {
            #[serde(borrow, alias = "eventId")]
            event_id: Text<'a>,
        }
        if tag(raw).is_some_and(|tag| tag == "NodeGatheredInfo")
            && let Ok(OneKey { value: News { event_id, node_id, info }, .. }) =
                serde_json::from_str(raw.get())
        {
            return Self::NodeGatheredInfo(NodeGatheredInfo { event_id, node_id, info: Info::Other(info) });
        }
        let event_id =
            serde_json::from_str::<OneKey<'a, Any<'a>>>(raw.get()).ok().map(|any| any.value.event_id);
        Self::Unknown(Unknown { event_id, tag: tag(raw).unwrap_or_else(|| "".into()), raw })
    }
}
