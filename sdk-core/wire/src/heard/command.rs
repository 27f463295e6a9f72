//! What is asked of a master, and of a node's downloads.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{instance::Instance, model::Shard, one_key::tag, text::Text};

/// Something that is asked, and who asks.
#[derive(Debug, Clone, Deserialize)]
pub struct Asked<'a> {
    /// Who.
    #[serde(borrow)]
    pub origin: Text<'a>,
    /// For what, unread.
    #[serde(borrow)]
    pub command: &'a RawValue,
}

impl<'a> Asked<'a> {
    /// What is asked of the master.
    pub fn command(&self) -> Command<'a> {
        serde_json::from_str(self.command.get())
            .unwrap_or_else(|_| Command::Unknown(Strange::read(self.command)))
    }

    /// What is asked of a node's downloads.
    pub fn download_command(&self) -> DownloadCommand<'a> {
        serde_json::from_str(self.command.get())
            .unwrap_or_else(|_| DownloadCommand::Unknown(Strange::read(self.command)))
    }
}

/// What is asked of a master, as far as one of ours can answer it.
#[derive(Debug, Clone, Deserialize)]
pub enum Command<'a> {
    /// Nothing.
    TestCommand(#[serde(borrow)] Bare<'a>),
    /// Say the log again from here.
    RequestEventLog(#[serde(borrow)] RequestEventLog<'a>),
    /// Answer.
    TextGeneration(#[serde(borrow)] Generation<'a>),
    /// Paint.
    ImageGeneration(#[serde(borrow)] Generation<'a>),
    /// Paint over.
    ImageEdits(#[serde(borrow)] Generation<'a>),
    /// Place a model where it fits.
    PlaceInstance(#[serde(borrow)] PlaceInstance<'a>),
    /// Place a model exactly so.
    CreateInstance(#[serde(borrow)] CreateInstance<'a>),
    /// Undo a placement.
    DeleteInstance(#[serde(borrow)] DeleteInstance<'a>),
    /// An answer is no longer wanted.
    TaskCancelled(#[serde(borrow)] TaskCancelled<'a>),
    /// An answer is complete.
    TaskFinished(#[serde(borrow)] TaskFinished<'a>),
    /// A piece of a question.
    SendInputChunk(#[serde(borrow)] SendInputChunk<'a>),
    /// Add a model.
    AddCustomModelCard(#[serde(borrow)] AddCustomModelCard<'a>),
    /// Remove a model.
    DeleteCustomModelCard(#[serde(borrow)] DeleteCustomModelCard<'a>),
    /// Link instances.
    SetInstanceLink(#[serde(borrow)] SetInstanceLink<'a>),
    /// Unlink them.
    DeleteInstanceLink(#[serde(borrow)] DeleteInstanceLink<'a>),
    /// Something that we do not know, or cannot read.
    #[serde(skip)]
    Unknown(Strange<'a>),
}

/// What is asked of a node's downloads.
#[derive(Debug, Clone, Deserialize)]
pub enum DownloadCommand<'a> {
    /// Fetch weights.
    StartDownload(#[serde(borrow)] StartDownload<'a>),
    /// Delete weights.
    DeleteDownload(#[serde(borrow)] EndDownload<'a>),
    /// Stop fetching.
    CancelDownload(#[serde(borrow)] EndDownload<'a>),
    /// Something that we do not know, or cannot read.
    #[serde(skip)]
    Unknown(Strange<'a>),
}

/// A command that we do not know, or cannot read.
#[derive(Debug, Clone)]
pub struct Strange<'a> {
    /// What it calls itself; empty if it is not even a tagged value.
    pub tag: Text<'a>,
    /// The whole command.
    pub raw: &'a RawValue,
}

impl<'a> Strange<'a> {
    fn read(raw: &'a RawValue) -> Self {
        Self { tag: tag(raw).unwrap_or_else(|| "".into()), raw }
    }
}

/// Declares the view of each command: only the fields that are needed, every one of them required.
macro_rules! asked {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Deserialize)]
        pub struct $name<'a> {
            /// Which command. exo always says.
            #[serde(borrow, alias = "commandId")]
            pub command_id: Option<Text<'a>>,
            $($(#[$field_doc])* pub $field: $type,)*
        }
    )*};
}

asked! {
    /// A command without words.
    Bare {}
    /// Say the log again from here.
    RequestEventLog {
        /// The first that is missing.
        #[serde(alias = "sinceIdx")]
        since_idx: u64,
    }
    /// Answer, or paint.
    Generation {
        /// What.
        #[serde(borrow, alias = "taskParams")]
        task_params: &'a RawValue,
    }
    /// Place a model where it fits.
    PlaceInstance {
        /// Which.
        #[serde(borrow, alias = "modelCard")]
        model_card: &'a RawValue,
        /// `Pipeline`, `Tensor`.
        #[serde(borrow)]
        sharding: Text<'a>,
        /// `MlxRing`, `MlxJaccl`.
        #[serde(borrow, alias = "instanceMeta")]
        instance_meta: Text<'a>,
        /// On how many nodes at least.
        #[serde(alias = "minNodes")]
        min_nodes: u64,
    }
    /// Place a model exactly so.
    CreateInstance {
        /// How.
        #[serde(borrow)]
        instance: Instance<'a>,
    }
    /// Undo a placement.
    DeleteInstance {
        /// Which.
        #[serde(borrow, alias = "instanceId")]
        instance_id: Text<'a>,
    }
    /// An answer is no longer wanted.
    TaskCancelled {
        /// To which command.
        #[serde(borrow, alias = "cancelledCommandId")]
        cancelled_command_id: Text<'a>,
    }
    /// An answer is complete.
    TaskFinished {
        /// To which command.
        #[serde(borrow, alias = "finishedCommandId")]
        finished_command_id: Text<'a>,
    }
    /// A piece of a question.
    SendInputChunk {
        /// What.
        #[serde(borrow)]
        chunk: &'a RawValue,
    }
    /// Add a model.
    AddCustomModelCard {
        /// Which.
        #[serde(borrow, alias = "modelCard")]
        model_card: &'a RawValue,
    }
    /// Remove a model.
    DeleteCustomModelCard {
        /// Which.
        #[serde(borrow, alias = "modelId")]
        model_id: Text<'a>,
    }
    /// Link instances.
    SetInstanceLink {
        /// Which link.
        #[serde(borrow, alias = "linkId")]
        link_id: Text<'a>,
        /// Those that prefill: a list of ids.
        #[serde(borrow, alias = "prefillInstances")]
        prefill_instances: &'a RawValue,
        /// Those that decode: a list of ids.
        #[serde(borrow, alias = "decodeInstances")]
        decode_instances: &'a RawValue,
    }
    /// Unlink them.
    DeleteInstanceLink {
        /// Which link.
        #[serde(borrow, alias = "linkId")]
        link_id: Text<'a>,
    }
    /// Fetch weights.
    StartDownload {
        /// Who.
        #[serde(borrow, alias = "targetNodeId")]
        target_node_id: Text<'a>,
        /// Which.
        #[serde(borrow, alias = "shardMetadata")]
        shard_metadata: Shard<'a>,
    }
    /// Delete weights, or stop fetching them.
    EndDownload {
        /// Who.
        #[serde(borrow, alias = "targetNodeId")]
        target_node_id: Text<'a>,
        /// Of which model.
        #[serde(borrow, alias = "modelId")]
        model_id: Text<'a>,
    }
}
