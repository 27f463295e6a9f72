//! Pieces of an answer, and of a question too large for one message.

use serde::{Deserialize, Serialize};

use crate::{
    diagnostics::Diagnostics,
    finite::{Amount, LogProbability},
    id::CommandId,
    image::ImageFormat,
    memory::Memory,
    model_id::ModelId,
};

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Chunk {
    /// The prompt is being read.
    #[serde(rename = "PrefillProgressChunk")]
    PrefillProgress(PrefillProgressChunk),
    /// A token.
    #[serde(rename = "TokenChunk")]
    Token(TokenChunk),
    /// A part of an image.
    #[serde(rename = "ImageChunk")]
    Image(ImageChunk),
    /// The model wants tools called.
    #[serde(rename = "ToolCallChunk")]
    ToolCall(ToolCallChunk),
    /// It went wrong.
    #[serde(rename = "ErrorChunk")]
    Error(ErrorChunk),
}

/// The prompt is being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrefillProgressChunk {
    /// By which model.
    pub model: ModelId,
    /// Tokens that were read.
    pub processed_tokens: u32,
    /// All tokens of the prompt.
    pub total_tokens: u32,
}

/// A token. The last of an answer has a finish reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenChunk {
    /// Of which model.
    pub model: ModelId,
    /// What to append.
    pub text: String,
    /// The token.
    pub token_id: u32,
    /// The bill, with the last token.
    pub usage: Option<Usage>,
    /// Why the answer ends here.
    pub finish_reason: Option<TokenFinish>,
    /// How fast it went, with the last token.
    pub stats: Option<GenerationStats>,
    /// The logarithm of its probability.
    pub logprob: Option<LogProbability>,
    /// The likeliest others.
    pub top_logprobs: Option<Vec<TopLogprobItem>>,
    /// Whether it belongs to the reasoning.
    #[serde(default)]
    pub is_thinking: bool,
}

/// Why an answer in words ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenFinish {
    /// The model is done.
    Stop,
    /// The limit is reached.
    Length,
    /// A filter struck.
    ContentFilter,
}

/// A likely token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopLogprobItem {
    /// Its text.
    pub token: String,
    /// The logarithm of its probability.
    pub logprob: LogProbability,
    /// Its bytes, where they are no text.
    pub bytes: Option<Vec<u8>>,
}

/// The bill, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Read.
    pub prompt_tokens: u32,
    /// Written.
    pub completion_tokens: u32,
    /// Together.
    pub total_tokens: u32,
    /// Of those read.
    pub prompt_tokens_details: PromptTokensDetails,
    /// Of those written.
    pub completion_tokens_details: CompletionTokensDetails,
}

/// Of the tokens that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PromptTokensDetails {
    /// Known from before.
    pub cached_tokens: u32,
    /// Heard.
    pub audio_tokens: u32,
}

/// Of the tokens that were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CompletionTokensDetails {
    /// Thought.
    pub reasoning_tokens: u32,
    /// Spoken.
    pub audio_tokens: u32,
    /// Guessed rightly.
    pub accepted_prediction_tokens: u32,
    /// Guessed wrongly.
    pub rejected_prediction_tokens: u32,
}

/// How fast an answer went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GenerationStats {
    /// Tokens read a second.
    pub prompt_tps: Amount,
    /// Tokens written a second.
    pub generation_tps: Amount,
    /// Tokens read.
    pub prompt_tokens: u32,
    /// Tokens written.
    pub generation_tokens: u32,
    /// The most memory that was used.
    pub peak_memory_usage: Memory,
    /// How much of the prompt was known from before.
    #[serde(default)]
    pub prefix_cache_hit: PrefixCacheHit,
}

/// How much of a prompt was known from before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrefixCacheHit {
    /// Nothing.
    #[default]
    None,
    /// Its beginning.
    Partial,
    /// All of it.
    Exact,
}

/// The model wants tools called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCallChunk {
    /// Which model.
    pub model: ModelId,
    /// Which tools.
    pub tool_calls: Vec<ToolCallItem>,
    /// The bill.
    pub usage: Option<Usage>,
    /// Always the same.
    #[serde(default)]
    pub finish_reason: ToolCallFinish,
    /// How fast it went.
    pub stats: Option<GenerationStats>,
}

/// The one reason for which a tool call ends an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallFinish {
    /// Tools are to be called.
    #[default]
    ToolCalls,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallItem {
    /// Which call.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// Its arguments: JSON, as text.
    pub arguments: String,
}

/// It went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorChunk {
    /// With which model.
    pub model: ModelId,
    /// What.
    pub error_message: String,
    /// Always the same.
    #[serde(default)]
    pub finish_reason: ErrorFinish,
    /// Nothing.
    #[serde(default)]
    pub diagnostics: Diagnostics,
}

/// The one reason for which an error ends an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorFinish {
    /// It went wrong.
    #[default]
    Error,
}

/// A part of an image. Only ever in answer to a command that asked for one: exo stops at any other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageChunk {
    /// Of which model.
    pub model: ModelId,
    /// Base64.
    pub data: String,
    /// Which part.
    pub chunk_index: u32,
    /// Of how many.
    pub total_chunks: u32,
    /// Of which image.
    pub image_index: u32,
    /// Whether it is a first sketch.
    #[serde(default)]
    pub is_partial: bool,
    /// Which sketch.
    pub partial_index: Option<u32>,
    /// Of how many.
    pub total_partials: Option<u32>,
    /// How fast it went.
    pub stats: Option<ImageGenerationStats>,
    /// Its format.
    pub format: Option<ImageFormat>,
    /// Why it ends here.
    pub finish_reason: Option<FinishReason>,
    /// What went wrong.
    pub error_message: Option<String>,
}

/// Why any answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// Done.
    Stop,
    /// The limit is reached.
    Length,
    /// Tools are to be called.
    ToolCalls,
    /// A filter struck.
    ContentFilter,
    /// A function is to be called.
    FunctionCall,
    /// It went wrong.
    Error,
}

/// How fast an image went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ImageGenerationStats {
    /// Seconds a step.
    pub seconds_per_step: Amount,
    /// Seconds in all.
    pub total_generation_time: Amount,
    /// Steps.
    pub num_inference_steps: u32,
    /// Images.
    pub num_images: u32,
    /// Pixels across.
    pub image_width: u32,
    /// Pixels down.
    pub image_height: u32,
    /// The most memory that was used.
    pub peak_memory_usage: Memory,
}

/// A piece of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputChunk {
    /// A part of an image.
    InputImageChunk(InputImageChunk),
}

/// A part of an image that somebody asks about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputImageChunk {
    /// Which model is asked.
    pub model: ModelId,
    /// In which command.
    pub command_id: CommandId,
    /// Base64.
    pub data: String,
    /// Which part.
    pub chunk_index: u32,
    /// Of how many.
    pub total_chunks: u32,
    /// Of which image.
    #[serde(default)]
    pub image_index: u32,
}
