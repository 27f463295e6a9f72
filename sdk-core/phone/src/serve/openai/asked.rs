//! A request for a chat completion, in `OpenAI`'s words.

use exo_engine::chat::ChatRequest;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::refusal::Refusal;

/// What is asked, and how it is answered.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) request: ChatRequest,
    pub(super) stream: bool,
    pub(super) include_usage: bool,
}

/// Fields that are not here change nothing, and are passed over; those that would change the answer in a way that we
/// cannot are refused.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Completion {
    model: Option<String>,
    messages: Option<Box<RawValue>>,
    stream: bool,
    stream_options: Option<StreamOptions>,
    max_tokens: Option<u32>,
    max_completion_tokens: Option<u32>,
    temperature: Option<f32>,
    top_p: Option<f32>,
    top_k: Option<u32>,
    min_p: Option<f32>,
    presence_penalty: Option<f32>,
    frequency_penalty: Option<f32>,
    repetition_penalty: Option<f32>,
    stop: Stop,
    seed: Option<i64>,
    logprobs: Option<bool>,
    top_logprobs: Option<u32>,
    tools: Option<Box<RawValue>>,
    tool_choice: Option<Value>,
    enable_thinking: Option<bool>,
    reasoning_effort: Option<String>,
    n: Option<u32>,
    response_format: Option<Format>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Stop {
    #[default]
    Nowhere,
    At(String),
    AtAny(Vec<String>),
}

#[derive(Deserialize)]
struct Format {
    #[serde(rename = "type")]
    kind: String,
}

/// Reads a request for this model.
pub(super) fn read(body: &[u8], model: &str) -> Result<Asked, Refusal> {
    let completion: Completion = serde_json::from_slice(body)
        .map_err(|error| Refusal::of_field(None, format!("the body is no chat completion: {error}")))?;
    if let Some(other) = completion.model.as_deref().filter(|asked| *asked != model) {
        return Err(Refusal::no_model(other, model));
    }
    if completion.n.is_some_and(|n| n != 1) {
        return Err(Refusal::of_field(Some("n"), "one answer is given: leave n out".into()));
    }
    if completion.response_format.as_ref().is_some_and(|format| format.kind != "text") {
        let why = "answers are text: leave response_format out".into();
        return Err(Refusal::of_field(Some("response_format"), why));
    }
    let include_usage = completion.stream_options.as_ref().is_some_and(|options| options.include_usage);
    let stream = completion.stream;
    Ok(Asked { request: request(completion)?, stream, include_usage })
}

fn request(asked: Completion) -> Result<ChatRequest, Refusal> {
    let messages =
        asked.messages.ok_or_else(|| Refusal::of_field(Some("messages"), "messages are missing".into()))?;
    let mut request = ChatRequest::default();
    request.messages = Some(messages);
    let tools_are_off = asked.tool_choice.as_ref().is_some_and(|choice| choice == "none");
    request.tools = asked.tools.filter(|_| !tools_are_off);
    request.max_output_tokens = asked.max_completion_tokens.or(asked.max_tokens);
    request.temperature = asked.temperature;
    request.top_p = asked.top_p;
    request.top_k = asked.top_k;
    request.min_p = asked.min_p;
    request.presence_penalty = asked.presence_penalty;
    request.frequency_penalty = asked.frequency_penalty;
    request.repetition_penalty = asked.repetition_penalty;
    request.stop = match asked.stop {
        Stop::Nowhere => Vec::new(),
        Stop::At(text) => vec![text],
        Stop::AtAny(texts) => texts,
    };
    request.seed = asked.seed;
    request.logprobs = asked.logprobs.unwrap_or(false);
    request.top_logprobs = asked.top_logprobs;
    request.enable_thinking = asked.enable_thinking;
    request.reasoning_effort = asked.reasoning_effort;
    Ok(request)
}
