//! Which part of a model a node runs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{card::ModelCard, finite::Amount};

/// A part of a model, by the way in which it was cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ShardMetadata {
    /// Whole layers, one range after another.
    #[serde(rename = "PipelineShardMetadata")]
    Pipeline(Shard),
    /// A slice of every layer.
    #[serde(rename = "TensorShardMetadata")]
    Tensor(Shard),
    /// Whole layers of one of two runs of an image model.
    #[serde(rename = "CfgShardMetadata")]
    Cfg(CfgShard),
}

impl ShardMetadata {
    /// The model that it is a part of.
    pub fn model_card(&self) -> &ModelCard {
        match self {
            Self::Pipeline(shard) | Self::Tensor(shard) => &shard.model_card,
            Self::Cfg(shard) => &shard.model_card,
        }
    }
}

/// Layers `start_layer..end_layer` of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The model.
    pub model_card: Arc<ModelCard>,
    /// The place of the node in its group.
    pub device_rank: u32,
    /// The size of the group.
    pub world_size: u32,
    /// For exo's own tests: fail at once.
    #[serde(default)]
    pub immediate_exception: bool,
    /// For exo's own tests: hang.
    pub should_timeout: Option<Amount>,
    /// The first layer.
    pub start_layer: u32,
    /// One past the last layer.
    pub end_layer: u32,
    /// The layers of the whole model.
    pub n_layers: u32,
}

/// A [`Shard`] of one of the two runs, with and without the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CfgShard {
    /// The model.
    pub model_card: Arc<ModelCard>,
    /// The place of the node in its group.
    pub device_rank: u32,
    /// The size of the group.
    pub world_size: u32,
    /// For exo's own tests: fail at once.
    #[serde(default)]
    pub immediate_exception: bool,
    /// For exo's own tests: hang.
    pub should_timeout: Option<Amount>,
    /// The first layer.
    pub start_layer: u32,
    /// One past the last layer.
    pub end_layer: u32,
    /// The layers of the whole model.
    pub n_layers: u32,
    /// With the prompt (0) or without (1).
    pub cfg_rank: u32,
    /// How many runs there are.
    #[serde(default = "two")]
    pub cfg_world_size: u32,
    /// The place of the node in its run.
    pub pipeline_rank: u32,
    /// How many nodes a run has.
    pub pipeline_world_size: u32,
}

const fn two() -> u32 {
    2
}
