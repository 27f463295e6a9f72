//! What is asked of a master, and of a node's downloads.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    card::ModelCard,
    chunk::InputChunk,
    id::{CommandId, InstanceId, InstanceLinkId, NodeId},
    image::{ImageEditsTaskParams, ImageGenerationTaskParams},
    instance::{Instance, InstanceMeta, Sharding},
    model_id::ModelId,
    shard::ShardMetadata,
    text::TextGenerationTaskParams,
};

/// Declares each command once: a struct with its id, a variant that is its tag, and the way from one to the other.
macro_rules! commands {
    (
        $(#[$enum_doc:meta])* $enum:ident;
        $($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*
    ) => {
        $(#[$enum_doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum $enum {
            $($(#[$doc])* $name($name),)*
        }

        impl $enum {
            /// Which command.
            pub fn command_id(&self) -> &CommandId {
                match self {
                    $(Self::$name(command) => &command.command_id,)*
                }
            }
        }

        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                /// Which command.
                pub command_id: CommandId,
                $($(#[$field_doc])* pub $field: $type,)*
            }

            impl From<$name> for $enum {
                fn from(command: $name) -> Self {
                    Self::$name(command)
                }
            }
        )*
    };
}

commands! {
    /// What is asked of a master. Nothing ever answers a command but events.
    Command;
    /// Nothing.
    TestCommand {}
    /// Say the log again from here, up to 1000 events.
    RequestEventLog {
        /// The first that is missing.
        since_idx: u64,
    }
    /// Answer.
    TextGeneration {
        /// What.
        task_params: TextGenerationTaskParams,
    }
    /// Paint.
    ImageGeneration {
        /// What.
        task_params: ImageGenerationTaskParams,
    }
    /// Paint over.
    ImageEdits {
        /// What.
        task_params: ImageEditsTaskParams,
    }
    /// Place a model where it fits.
    PlaceInstance {
        /// Which.
        model_card: Arc<ModelCard>,
        /// How to cut it.
        sharding: Sharding,
        /// How its ranks talk.
        instance_meta: InstanceMeta,
        /// On how many nodes at least.
        min_nodes: u32,
    }
    /// Place a model exactly so.
    CreateInstance {
        /// How.
        instance: Instance,
    }
    /// Undo a placement.
    DeleteInstance {
        /// Which.
        instance_id: InstanceId,
    }
    /// An answer is no longer wanted.
    TaskCancelled {
        /// To which command.
        cancelled_command_id: CommandId,
    }
    /// An answer is complete.
    TaskFinished {
        /// To which command.
        finished_command_id: CommandId,
    }
    /// A piece of a question.
    SendInputChunk {
        /// What.
        chunk: InputChunk,
    }
    /// Add a model.
    AddCustomModelCard {
        /// Which.
        model_card: Arc<ModelCard>,
    }
    /// Remove a model.
    DeleteCustomModelCard {
        /// Which.
        model_id: ModelId,
    }
    /// Link instances.
    SetInstanceLink {
        /// Which link.
        link_id: InstanceLinkId,
        /// Those that prefill.
        prefill_instances: Vec<InstanceId>,
        /// Those that decode.
        decode_instances: Vec<InstanceId>,
    }
    /// Unlink them.
    DeleteInstanceLink {
        /// Which link.
        link_id: InstanceLinkId,
    }
}

commands! {
    /// What is asked of a node's downloads.
    DownloadCommand;
    /// Fetch weights.
    StartDownload {
        /// Who.
        target_node_id: NodeId,
        /// Which.
        shard_metadata: ShardMetadata,
    }
    /// Delete weights.
    DeleteDownload {
        /// Who.
        target_node_id: NodeId,
        /// Of which model.
        model_id: ModelId,
    }
    /// Stop fetching.
    CancelDownload {
        /// Who.
        target_node_id: NodeId,
        /// Of which model.
        model_id: ModelId,
    }
}
