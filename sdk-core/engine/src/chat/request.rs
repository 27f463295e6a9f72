//! What a client asks for, in the words of exo's task parameters.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::sampling::SamplingParams;
use crate::text::{Answer, Conversation, Language, Moment, Prompt};
use crate::{Error, Result};

/// A conversation to be continued, and how.
///
/// Its JSON is that of exo's task parameters for text. What a request does not say is what exo's worker takes then.
/// Fields that concern others (the model's name, whether the client streams) are passed over.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ChatRequest {
    /// A JSON list of messages in `OpenAI`'s form, in the order of keys that the client chose: templates print them.
    #[serde(rename = "chat_template_messages")]
    pub messages: Option<Box<RawValue>>,
    /// The messages in a simpler form, where the other is missing.
    pub input: Vec<InputMessage>,
    /// The system's message, in front of `input`.
    pub instructions: Option<String>,
    /// A JSON list of tools in `OpenAI`'s form.
    pub tools: Option<Box<RawValue>>,
    /// Whether the model shall think first. Without a word, a model that can does.
    pub enable_thinking: Option<bool>,
    /// How hard it shall think, in the words that its template knows.
    pub reasoning_effort: Option<String>,
    /// How many tokens the reply may have.
    pub max_output_tokens: Option<u32>,
    /// Texts before which it ends.
    #[serde(deserialize_with = "one_or_several")]
    pub stop: Vec<String>,
    /// See [`SamplingParams::temperature`].
    pub temperature: Option<f32>,
    /// See [`SamplingParams::top_p`].
    pub top_p: Option<f32>,
    /// See [`SamplingParams::top_k`].
    pub top_k: Option<u32>,
    /// See [`SamplingParams::min_p`].
    pub min_p: Option<f32>,
    /// See [`SamplingParams::repetition_penalty`].
    pub repetition_penalty: Option<f32>,
    /// See [`SamplingParams::repetition_context_size`].
    pub repetition_context_size: Option<u32>,
    /// See [`SamplingParams::presence_penalty`].
    pub presence_penalty: Option<f32>,
    /// See [`SamplingParams::frequency_penalty`].
    pub frequency_penalty: Option<f32>,
    /// See [`SamplingParams::seed`].
    pub seed: Option<i64>,
    /// Whether log-probabilities are wanted.
    pub logprobs: bool,
    /// Of how many of the likeliest tokens, besides the chosen one; none and nought are the default.
    pub top_logprobs: Option<u32>,
    /// Whether it is a benchmark: the model cannot end the reply, so that each has all its tokens.
    pub bench: bool,
    /// Whether a benchmark may use what earlier requests computed. Others always may.
    pub use_prefix_cache: bool,
    images: Vec<IgnoredAny>,
    image_hashes: BTreeMap<String, String>,
}

/// A message that is only text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMessage {
    /// Who speaks: `user`, `assistant`, `system`, `developer` or `tool`.
    pub role: String,
    /// What is said.
    pub content: String,
}

/// What the model is asked for: tokens that continue tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRequest {
    /// What is there.
    pub prompt: Vec<u32>,
    /// How tokens are chosen.
    pub sampling: SamplingParams,
    /// Tokens to add at most.
    pub max_tokens: u32,
    /// Tokens that end the text.
    pub ends: Vec<u32>,
    /// Whether what earlier texts computed may be used.
    pub reuses: bool,
}

impl ChatRequest {
    /// Reads exo's task parameters.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|error| Error::InvalidRequest {
            what: "task_params",
            asked: error.to_string(),
            allowed: "exo's task parameters for text".into(),
        })
    }

    /// The prompt for a model, or why there can be none.
    pub(super) fn prompt(&self, language: &Language, now: Moment) -> Result<Prompt> {
        if !self.images.is_empty() || !self.image_hashes.is_empty() {
            let (asked, allowed) = ("pictures".into(), "a conversation of text".into());
            return Err(Error::InvalidRequest { what: "images", asked, allowed });
        }
        let messages = match &self.messages {
            Some(messages) => Cow::Borrowed(messages.get()),
            None => Cow::Owned(self.flat_messages()?),
        };
        language.prompt(&Conversation {
            messages: &messages,
            tools: self.tools.as_deref().map(RawValue::get),
            enable_thinking: self.enable_thinking,
            reasoning_effort: self.reasoning_effort.as_deref(),
            now,
        })
    }

    /// Instructions and input as messages; empty ones are left out, as exo leaves them out.
    fn flat_messages(&self) -> Result<String> {
        let system = self.instructions.iter().filter(|text| !text.is_empty());
        let system = system.map(|text| InputMessage { role: "system".into(), content: text.clone() });
        let input = self.input.iter().filter(|message| !message.content.is_empty()).cloned();
        serde_json::to_string(&system.chain(input).collect::<Vec<_>>()).map_err(|error| {
            Error::InvalidRequest {
                what: "input",
                asked: error.to_string(),
                allowed: "messages of text".into(),
            }
        })
    }

    /// How tokens are chosen, with exo's values for what was not said.
    pub(super) fn sampling(&self, ends: &[u32]) -> SamplingParams {
        let otherwise = SamplingParams::default();
        let count = self.top_logprobs.filter(|&count| count > 0).unwrap_or(SamplingParams::DEFAULT_LOGPROBS);
        SamplingParams {
            temperature: self.temperature.unwrap_or(otherwise.temperature),
            top_p: self.top_p.unwrap_or(otherwise.top_p),
            top_k: self.top_k.unwrap_or(otherwise.top_k),
            min_p: self.min_p.unwrap_or(otherwise.min_p),
            repetition_penalty: self.repetition_penalty.unwrap_or(otherwise.repetition_penalty),
            repetition_context_size: self
                .repetition_context_size
                .unwrap_or(otherwise.repetition_context_size),
            presence_penalty: self.presence_penalty.unwrap_or(otherwise.presence_penalty),
            frequency_penalty: self.frequency_penalty.unwrap_or(otherwise.frequency_penalty),
            // Every seed is one of ours; negative ones from the upper end.
            seed: self.seed.map_or(otherwise.seed, i64::cast_unsigned),
            logprobs: self.logprobs.then_some(count),
            banned: if self.bench { ends.to_vec() } else { Vec::new() },
            ..otherwise
        }
    }

    /// How many tokens the reply may have. Nought is no limit of its own, as in exo.
    pub(super) fn max_tokens(&self) -> u32 {
        self.max_output_tokens.filter(|&most| most > 0).unwrap_or(Answer::MAX_TOKENS)
    }
}

fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stop {
        None,
        One(String),
        Several(Vec<String>),
    }
    Ok(match Stop::deserialize(deserializer)? {
        Stop::None => Vec::new(),
        Stop::One(text) => vec![text],
        Stop::Several(texts) => texts,
    })
}
