//! Model cards: what exo knows of a model before it has its weights.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::{
    finite::{Amount, Setting},
    gathered::Backend,
    memory::Memory,
    model_id::ModelId,
};

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "exo's fields")]
pub struct ModelCard {
    /// Its repository.
    pub model_id: ModelId,
    /// How much room its weights take.
    pub storage_size: Memory,
    /// How many layers it has.
    pub n_layers: NonZeroU32,
    /// The width of a layer.
    pub hidden_size: NonZeroU32,
    /// Whether its layers can be split across nodes.
    pub supports_tensor: bool,
    /// How many key-value heads it has.
    pub num_key_value_heads: Option<NonZeroU32>,
    /// What it can do.
    pub tasks: Vec<ModelTask>,
    /// Its parts, if it has several.
    pub components: Option<Vec<ComponentInfo>>,
    /// `qwen`.
    #[serde(default)]
    pub family: String,
    /// `4bit`.
    #[serde(default)]
    pub quantization: String,
    /// `Qwen3 0.6B`.
    #[serde(default)]
    pub base_model: String,
    /// `text`, `thinking`.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// What it runs on.
    pub backends: Vec<Backend>,
    /// How it writes its reasoning.
    #[serde(default)]
    pub reasoning_dialect: ReasoningDialect,
    /// Tokens that fit; 0 if not known.
    #[serde(default)]
    pub context_length: u32,
    /// Whether an image model runs twice, with and without the prompt.
    #[serde(default)]
    pub uses_cfg: bool,
    /// Whether code of the repository may run.
    #[serde(default = "yes")]
    pub trust_remote_code: bool,
    /// Whether a person added it.
    #[serde(default)]
    pub is_custom: bool,
    /// How it sees, if it does.
    pub vision: Option<VisionCardConfig>,
    /// How to sample where the request does not say.
    #[serde(default)]
    pub sampling_defaults: SamplingDefaults,
}

const fn yes() -> bool {
    true
}

/// What a model can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ModelTask {
    /// Write.
    TextGeneration,
    /// Paint.
    TextToImage,
    /// Paint over.
    ImageToImage,
}

/// How a model writes its reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningDialect {
    /// Not at all.
    #[default]
    None,
    /// After the last message of the user.
    PostLastUser,
    /// At the end.
    Suffix,
    /// On a channel of its own.
    Channel,
    /// Only with tools.
    ToolConditional,
}

/// One part of a model, as of an image model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentInfo {
    /// `transformer`.
    pub component_name: String,
    /// Its folder.
    pub component_path: String,
    /// The room that it takes.
    pub storage_size: Memory,
    /// Its layers.
    pub n_layers: Option<NonZeroU32>,
    /// Whether it can be split.
    pub can_shard: bool,
    /// The index of its weights.
    pub safetensors_index_filename: Option<String>,
}

/// How a model sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VisionCardConfig {
    /// The token that stands for an image.
    pub image_token_id: u32,
    /// `qwen_vl`.
    pub model_type: String,
    /// Where the weights of the eye are.
    #[serde(default)]
    pub weights_repo: String,
    /// The same token as text.
    pub image_token: Option<String>,
    /// Where the image processor is.
    pub processor_repo: Option<String>,
}

/// How to sample.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplingValues {
    /// Temperature.
    pub temperature: Option<Setting>,
    /// Nucleus.
    pub top_p: Option<Amount>,
    /// How many candidates.
    pub top_k: Option<u32>,
    /// The least probability, relative to the best.
    pub min_p: Option<Amount>,
    /// Penalty on repetition.
    pub repetition_penalty: Option<Amount>,
    /// Penalty on presence.
    pub presence_penalty: Option<Setting>,
    /// Penalty on frequency.
    pub frequency_penalty: Option<Setting>,
}

/// How to sample, with other values while the model thinks or does not.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplingDefaults {
    /// Temperature.
    pub temperature: Option<Setting>,
    /// Nucleus.
    pub top_p: Option<Amount>,
    /// How many candidates.
    pub top_k: Option<u32>,
    /// The least probability, relative to the best.
    pub min_p: Option<Amount>,
    /// Penalty on repetition.
    pub repetition_penalty: Option<Amount>,
    /// Penalty on presence.
    pub presence_penalty: Option<Setting>,
    /// Penalty on frequency.
    pub frequency_penalty: Option<Setting>,
    /// While it thinks.
    pub thinking: Option<SamplingValues>,
    /// While it does not.
    pub non_thinking: Option<SamplingValues>,
}
