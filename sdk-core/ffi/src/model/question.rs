//! What a model is asked.

use exo_engine::chat::{ChatRequest, InputMessage};

/// Who says something in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Enum)]
pub enum Role {
    /// Whoever wrote the app.
    System,
    /// Whoever uses it.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct ChatMessage {
    /// Who says it.
    pub role: Role,
    /// What.
    pub content: String,
}

/// A conversation that the model shall continue. What is left out, the model's own files say.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Question {
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// How many tokens the answer may have.
    #[uniffi(default = None)]
    pub max_tokens: Option<u32>,
    /// 0 takes the likeliest token each time; higher is more varied.
    #[uniffi(default = None)]
    pub temperature: Option<f32>,
    /// Only the likeliest tokens that have this probability together.
    #[uniffi(default = None)]
    pub top_p: Option<f32>,
    /// Only so many of the likeliest tokens.
    #[uniffi(default = None)]
    pub top_k: Option<u32>,
    /// Only tokens that are at least this part as likely as the likeliest.
    #[uniffi(default = None)]
    pub min_p: Option<f32>,
    /// The same seed gives the same answer on the same device.
    #[uniffi(default = None)]
    pub seed: Option<i64>,
    /// Texts before which the answer ends.
    #[uniffi(default = [])]
    pub stop: Vec<String>,
    /// Whether the model shall think first, where it can.
    #[uniffi(default = None)]
    pub thinking: Option<bool>,
}

impl From<Question> for ChatRequest {
    fn from(question: Question) -> Self {
        let message = |message: ChatMessage| InputMessage {
            role: match message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            }
            .to_owned(),
            content: message.content,
        };
        let mut request = Self::default();
        request.input = question.messages.into_iter().map(message).collect();
        request.max_output_tokens = question.max_tokens;
        request.temperature = question.temperature;
        request.top_p = question.top_p;
        request.top_k = question.top_k;
        request.min_p = question.min_p;
        request.seed = question.seed;
        request.stop = question.stop;
        request.enable_thinking = question.thinking;
        request
    }
}
