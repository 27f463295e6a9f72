//! What is asked of a language model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    finite::{Amount, Setting},
    model_id::ModelId,
    open_json::{ChatTemplateMessage, Tool},
};

/// Answer this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "exo's fields")]
pub struct TextGenerationTaskParams {
    /// Who is asked.
    pub model: ModelId,
    /// The conversation, flattened.
    pub input: Vec<InputMessage>,
    /// What to bear in mind.
    pub instructions: Option<String>,
    /// How long at most.
    pub max_output_tokens: Option<u32>,
    /// Temperature.
    pub temperature: Option<Setting>,
    /// Nucleus.
    pub top_p: Option<Amount>,
    /// Whether the answer is wanted in pieces.
    #[serde(default)]
    pub stream: bool,
    /// Tools that may be called.
    pub tools: Option<Vec<Tool>>,
    /// Whether it is a benchmark.
    #[serde(default)]
    pub bench: bool,
    /// Whether a prompt known from before may be reused.
    #[serde(default)]
    pub use_prefix_cache: bool,
    /// How many candidates.
    pub top_k: Option<u32>,
    /// Where to stop.
    pub stop: Option<Stop>,
    /// Where chance begins.
    pub seed: Option<i64>,
    /// The conversation as the model's template wants it.
    pub chat_template_messages: Option<Vec<ChatTemplateMessage>>,
    /// How hard to think.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether to think.
    pub enable_thinking: Option<bool>,
    /// Whether probabilities are wanted.
    #[serde(default)]
    pub logprobs: bool,
    /// Of how many others.
    pub top_logprobs: Option<u32>,
    /// The least probability, relative to the best.
    pub min_p: Option<Amount>,
    /// Penalty on repetition.
    pub repetition_penalty: Option<Amount>,
    /// How far back repetition counts.
    pub repetition_context_size: Option<u32>,
    /// Penalty on presence.
    pub presence_penalty: Option<Setting>,
    /// Penalty on frequency.
    pub frequency_penalty: Option<Setting>,
    /// Images, base64.
    #[serde(default)]
    pub images: Vec<String>,
    /// Hashes of images that come in chunks, by their place.
    #[serde(default)]
    pub image_hashes: BTreeMap<u32, String>,
    /// Who prefills.
    pub prefill_endpoint: Option<String>,
}

impl TextGenerationTaskParams {
    /// This conversation with this model, and exo's defaults for all else.
    pub fn new(model: ModelId, input: Vec<InputMessage>) -> Self {
        Self {
            model,
            input,
            instructions: None,
            max_output_tokens: None,
            temperature: None,
            top_p: None,
            stream: false,
            tools: None,
            bench: false,
            use_prefix_cache: false,
            top_k: None,
            stop: None,
            seed: None,
            chat_template_messages: None,
            reasoning_effort: None,
            enable_thinking: None,
            logprobs: false,
            top_logprobs: None,
            min_p: None,
            repetition_penalty: None,
            repetition_context_size: None,
            presence_penalty: None,
            frequency_penalty: None,
            images: Vec::new(),
            image_hashes: BTreeMap::new(),
            prefill_endpoint: None,
        }
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMessage {
    /// Who speaks.
    pub role: Role,
    /// What.
    pub content: String,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The system.
    System,
    /// The developer.
    Developer,
    /// A tool.
    Tool,
}

/// How hard to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEffort {
    /// Not at all.
    None,
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Hard.
    High,
    /// Very hard.
    #[serde(rename = "xhigh")]
    ExtraHigh,
}

/// Where to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Stop {
    /// At this text.
    At(String),
    /// At any of these.
    AtAny(Vec<String>),
}
