//! A conversation as the prompt that a model was trained on, by the template that comes with it.
//!
//! Templates are programs in [Jinja](super::jinja), written for Python and for the settings of `transformers`. What they
//! are told, and under which names, is what exo and mlx-lm tell them.

mod moment;
mod source;

pub use moment::Moment;
pub(super) use source::token;

use std::sync::Arc;

use super::jinja::{self, Failure, Meter, Template, Value};
use super::json::Json;
use crate::{Error, Result};

/// What a rendering may take: a step is 16, a byte that is made or looked through is 1. The longest known template takes
/// some hundred thousand, and more for each byte of a conversation.
const UNITS: u64 = 64 << 20;
const UNITS_PER_BYTE: u64 = 100;
/// Bytes of one prompt; far beyond what any model reads.
const MAX_PROMPT: usize = 8 << 20;

/// The chat templates of a model.
#[derive(Debug)]
pub struct ChatTemplate {
    plain: Template,
    /// For conversations with tools, where the model has one for them.
    with_tools: Option<Template>,
    /// Texts such as `bos_token` that every rendering sees.
    tokens: Vec<(Arc<str>, Arc<str>)>,
    sources: Vec<String>,
}

/// What a template is told of thinking, as exo and mlx-lm tell it. Templates know it by one of two names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Thinking {
    /// The client said nothing: templates hear by the first name whether the model can.
    Unsaid { can_think: bool },
    /// The client said it: templates hear that by both names.
    Said(bool),
}

/// What a prompt is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ingredients<'a> {
    pub(super) messages: &'a Json,
    pub(super) tools: Option<&'a Json>,
    pub(super) thinking: Thinking,
    pub(super) reasoning_effort: Option<&'a str>,
    pub(super) add_generation_prompt: bool,
    pub(super) now: Moment,
}

impl ChatTemplate {
    /// Reads a `chat_template.jinja` if there is one, else the templates in a `tokenizer_config.json`. No template is
    /// an error: a prompt without one would be a guess.
    pub fn from_files(jinja: Option<&str>, tokenizer_config: Option<&str>) -> Result<Self> {
        let source::Templates { plain, with_tools, tokens } = source::read(jinja, tokenizer_config)?;
        let tokens = tokens.into_iter().map(|(name, text)| (name.into(), text.into())).collect();
        Ok(Self {
            plain: Template::parse(&plain).map_err(failed)?,
            with_tools: with_tools.as_deref().map(Template::parse).transpose().map_err(failed)?,
            tokens,
            sources: [Some(plain), with_tools].into_iter().flatten().collect(),
        })
    }

    /// Whether some template holds this text: what a model writes is guessed from what its template shows it.
    pub(super) fn mentions(&self, text: &str) -> bool {
        self.sources.iter().any(|source| source.contains(text))
    }

    /// The prompt of a conversation.
    pub(super) fn render(&self, ingredients: &Ingredients<'_>) -> Result<String> {
        let Ingredients { messages, tools, thinking, reasoning_effort, add_generation_prompt, now } =
            *ingredients;
        let template = self.with_tools.as_ref().filter(|_| tools.is_some()).unwrap_or(&self.plain);
        let mut variables: Vec<(Arc<str>, Value)> = vec![
            ("messages".into(), Value::from(messages)),
            ("tools".into(), tools.map_or(Value::None, Value::from)),
            ("documents".into(), Value::None),
            ("add_generation_prompt".into(), Value::Bool(add_generation_prompt)),
        ];
        let texts = self.tokens.iter().map(|(name, text)| (Arc::clone(name), Value::Text(Arc::clone(text))));
        variables.extend(texts);
        match thinking {
            Thinking::Unsaid { can_think } => {
                variables.push(("enable_thinking".into(), Value::Bool(can_think)));
            }
            Thinking::Said(thinks) => {
                let names = ["enable_thinking", "thinking"];
                variables.extend(names.map(|name| (name.into(), Value::Bool(thinks))));
            }
        }
        variables
            .extend(reasoning_effort.map(|effort| ("reasoning_effort".into(), Value::Text(effort.into()))));
        let bytes = messages.bytes() + tools.map_or(0, Json::bytes);
        let meter = Meter::new(UNITS.saturating_add(UNITS_PER_BYTE.saturating_mul(bytes as u64)));
        let prompt = jinja::render(template, variables, now, &meter).map_err(failed)?;
        if prompt.len() > MAX_PROMPT {
            return Err(Error::Template(format!("it wrote more than {MAX_PROMPT} bytes")));
        }
        Ok(prompt)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` calls it")]
fn failed(failure: Failure) -> Error {
    Error::Template(failure.to_string())
}

#[cfg(test)]
mod tests;
