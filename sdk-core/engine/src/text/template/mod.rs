//! A conversation as the prompt that a model was trained on, by the template that comes with it.
//!
//! Templates are programs in Jinja, written for Python and for the settings of `transformers`: blocks swallow the line
//! end behind them, `tojson` writes as `json.dumps`, values print as Python prints them. A template is somebody else's
//! program: it runs with a limit on its steps and on what it writes, sees no file, and takes the date from the caller.
//! What it keeps in variables meanwhile has no limit of its own.

mod moment;
mod python;
mod source;

pub use moment::Moment;
pub(super) use source::token;

use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error as Failure, ErrorKind as FailureKind, Value};

use super::json::Json;
use crate::{Error, Result};

/// Steps of one rendering. A conversation of a hundred messages takes some ten thousand.
const MAX_STEPS: u64 = 5_000_000;
/// Bytes of one prompt; far beyond what any model reads.
const MAX_PROMPT: usize = 8 << 20;

/// The chat templates of a model.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    has_tool_use: bool,
    /// Texts such as `bos_token` that every rendering sees.
    tokens: Vec<(String, String)>,
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
        let (named, tokens) = source::read(jinja, tokenizer_config)?;
        let mut environment = environment().map_err(failed)?;
        let mut has_tool_use = false;
        let mut sources = Vec::new();
        for (name, template) in named {
            has_tool_use |= name == source::TOOL_USE;
            sources.push(template.clone());
            let template = source::without_generation_tags(&template);
            environment.add_template_owned(name, template).map_err(failed)?;
        }
        Ok(Self { environment, has_tool_use, tokens, sources })
    }

    /// Whether some template holds this text: what a model writes is guessed from what its template shows it.
    pub(super) fn mentions(&self, text: &str) -> bool {
        self.sources.iter().any(|source| source.contains(text))
    }

    /// The prompt of a conversation.
    pub(super) fn render(&self, ingredients: &Ingredients<'_>) -> Result<String> {
        let name =
            if ingredients.tools.is_some() && self.has_tool_use { source::TOOL_USE } else { source::DEFAULT };
        let template = self.environment.get_template(name).map_err(failed)?;
        let mut context: Vec<(&str, Value)> = vec![
            ("messages", ingredients.messages.to_value()),
            ("tools", ingredients.tools.map_or_else(|| Value::from(()), Json::to_value)),
            ("documents", Value::from(())),
            ("add_generation_prompt", Value::from(ingredients.add_generation_prompt)),
        ];
        let now = ingredients.now;
        let strftime = move |format: &str| {
            now.format(format).map_err(|what| Failure::new(FailureKind::InvalidOperation, what))
        };
        context.push(("strftime_now", Value::from_function(strftime)));
        context.extend(self.tokens.iter().map(|(name, text)| (name.as_str(), Value::from(text))));
        match ingredients.thinking {
            Thinking::Unsaid { can_think } => context.push(("enable_thinking", Value::from(can_think))),
            Thinking::Said(thinks) => {
                context.extend([("enable_thinking", Value::from(thinks)), ("thinking", Value::from(thinks))]);
            }
        }
        context.extend(ingredients.reasoning_effort.map(|effort| ("reasoning_effort", Value::from(effort))));
        let mut prompt = Limited(Vec::new());
        template.render_captured_to(Value::from_pairs(context), &mut prompt).map_err(failed)?;
        String::from_utf8(prompt.0).map_err(|error| Error::Template(error.to_string()))
    }
}

fn environment() -> Result<Environment<'static>, Failure> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(MAX_STEPS));
    environment.set_unknown_method_callback(python::method);
    environment.set_formatter(|output, _, value| {
        if !value.is_undefined() {
            output.write_str(&python::shown(value))?;
        }
        Ok(())
    });
    environment.add_filter("tojson", python::tojson);
    environment.add_filter("string", |value: &Value| python::shown(value));
    environment.add_function("raise_exception", |what: &str| -> Result<Value, Failure> {
        Err(Failure::new(FailureKind::InvalidOperation, source::RAISED.to_owned() + what))
    });
    Ok(environment)
}

/// What the template itself raised is said in its own words.
#[expect(clippy::needless_pass_by_value, reason = "as `map_err` calls it")]
fn failed(failure: Failure) -> Error {
    if let Some(raised) = failure.detail().and_then(|detail| detail.strip_prefix(source::RAISED)) {
        return Error::Template(raised.to_owned());
    }
    Error::Template(failure.to_string())
}

/// What was written, up to a limit.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_PROMPT {
            return Err(io::Error::other(format!("it wrote more than {MAX_PROMPT} bytes")));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
