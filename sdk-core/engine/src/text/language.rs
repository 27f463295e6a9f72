//! All that concerns text of one model, from its files.

use std::sync::Arc;

use super::answer::{Answer, AnswerOptions, OfferedTools, ThinkingTags, ToolDialect};
use super::conversation::{self, Conversation};
use super::json::Json;
use super::template::{ChatTemplate, Ingredients, Thinking};
use super::tokenizer::Tokenizer;
use crate::{Error, Result};

/// The files of a model that concern text. Only the first must be there.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextFiles<'a> {
    /// `tokenizer.json`.
    pub tokenizer: &'a [u8],
    /// `tokenizer_config.json`.
    pub tokenizer_config: Option<&'a str>,
    /// `config.json`.
    pub config: Option<&'a str>,
    /// `generation_config.json`.
    pub generation_config: Option<&'a str>,
    /// `chat_template.jinja`.
    pub chat_template: Option<&'a str>,
}

/// A model's tokenizer, its chat template, and what its answers look like.
#[derive(Debug)]
pub struct Language {
    tokenizer: Arc<Tokenizer>,
    template: ChatTemplate,
    ends: Vec<u32>,
    thinking: Option<Thoughts>,
}

/// How a model's thoughts are marked, as text and as tokens.
#[derive(Debug)]
struct Thoughts {
    tags: ThinkingTags,
    start: Vec<u32>,
    end: Vec<u32>,
}

/// A prompt, ready for the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// As text.
    pub text: String,
    /// As tokens.
    pub tokens: Vec<u32>,
    /// Whether it ends inside the model's thoughts.
    pub starts_thinking: bool,
    /// What may be called, where tools were offered.
    pub tools: Option<OfferedTools>,
}

impl Language {
    /// Reads a model's files.
    pub fn from_files(files: &TextFiles<'_>) -> Result<Self> {
        let tokenizer = Arc::new(Tokenizer::from_json(files.tokenizer)?);
        let template = ChatTemplate::from_files(files.chat_template, files.tokenizer_config)?;
        let ends = ends(files, &tokenizer)?;
        let thinking = match ThinkingTags::of(&tokenizer) {
            Some(tags) => {
                let (start, end) = (tokenizer.encode(&tags.start)?, tokenizer.encode(&tags.end)?);
                Some(Thoughts { tags, start, end })
            }
            None => None,
        };
        Ok(Self { tokenizer, template, ends, thinking })
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        &self.tokenizer
    }

    /// The tokens that end an answer.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The prompt of a conversation.
    pub fn prompt(&self, conversation: &Conversation<'_>) -> Result<Prompt> {
        let prepared = conversation::prepare(conversation)?;
        let tools = match &prepared.tools {
            Some(tools) => Some(OfferedTools::of(ToolDialect::of(&self.template)?, tools)),
            None => None,
        };
        let mut text = self.template.render(&Ingredients {
            messages: &prepared.messages,
            tools: prepared.tools.as_ref(),
            thinking: conversation
                .enable_thinking
                .map_or(Thinking::Unsaid { can_think: self.thinking.is_some() }, Thinking::Said),
            reasoning_effort: conversation.reasoning_effort,
            add_generation_prompt: true,
            now: conversation.now,
        })?;
        text.push_str(&prepared.prefill);
        let tokens = self.with_thoughts_opened(self.tokenizer.encode(&text)?);
        let starts_thinking =
            self.thinking.as_ref().is_some_and(|thoughts| thoughts.tags.is_open_at_the_end_of(&text));
        Ok(Prompt { text, tokens, starts_thinking, tools })
    }

    /// A prompt that is given to the model as it is, without a template.
    pub fn raw_prompt(&self, text: &str) -> Result<Prompt> {
        let tokens = self.tokenizer.encode(text)?;
        let starts_thinking =
            self.thinking.as_ref().is_some_and(|thoughts| thoughts.tags.is_open_at_the_end_of(text));
        Ok(Prompt { text: text.into(), tokens, starts_thinking, tools: None })
    }

    /// The answer to a prompt, before its first token.
    pub fn answer(&self, prompt: Prompt, stop: Vec<String>, max_tokens: Option<u32>) -> Result<Answer> {
        let options = AnswerOptions {
            stop,
            max_tokens,
            ends: self.ends.clone(),
            thinking: self.thinking.as_ref().map(|thoughts| thoughts.tags.clone()),
            starts_thinking: prompt.starts_thinking,
            tools: prompt.tools,
        };
        Answer::new(Arc::clone(&self.tokenizer), options)
    }

    /// Clients may cut the opening tag off an earlier answer and leave the closing one. exo puts it back, right before
    /// the other, and so do we: the same conversation is the same prompt.
    fn with_thoughts_opened(&self, tokens: Vec<u32>) -> Vec<u32> {
        let Some(Thoughts { start, end, .. }) = &self.thinking else { return tokens };
        // How much of each tag came so far, and how many sections are open.
        let (mut of_start, mut of_end, mut open) = (0, 0, 0usize);
        let mut opened = Vec::with_capacity(tokens.len());
        for token in tokens {
            if start.get(of_start) == Some(&token) {
                of_start += 1;
                if of_start == start.len() {
                    (of_start, open) = (0, open + 1);
                }
            } else if end.get(of_end) == Some(&token) {
                of_end += 1;
                if of_end == end.len() {
                    if open == 0 {
                        opened.extend_from_slice(start);
                    }
                    (of_end, open) = (0, open.saturating_sub(1));
                }
            } else {
                (of_start, of_end) = (0, 0);
            }
            opened.push(token);
        }
        opened
    }
}

/// The tokens that end an answer: all that any of the files names.
fn ends(files: &TextFiles<'_>, tokenizer: &Tokenizer) -> Result<Vec<u32>> {
    let parsed = |name: &str, text: Option<&str>| match text {
        Some(text) => Json::parse(text).map_err(|what| Error::InvalidModel { file: name.into(), what }),
        None => Ok(Json::Null),
    };
    let config = parsed("config.json", files.config)?;
    let generation = parsed("generation_config.json", files.generation_config)?;
    let tokenizer_config = parsed("tokenizer_config.json", files.tokenizer_config)?;
    let id = "eos_token_id";
    let named =
        [generation.get(id), config.get(id), config.get("text_config").and_then(|config| config.get(id))];
    let mut ends: Vec<u32> = named.into_iter().flatten().flat_map(ids).collect();
    let name = tokenizer_config.get("eos_token").and_then(super::template::token);
    ends.extend(name.and_then(|name| tokenizer.id(&name)));
    ends.sort_unstable();
    ends.dedup();
    if ends.is_empty() {
        let what = "a model that names no token for the end of an answer".into();
        let supported = "models with an eos_token_id or an eos_token in their files".into();
        return Err(Error::Unsupported { what, supported });
    }
    Ok(ends)
}

/// One id, or a list of them.
fn ids(value: &Json) -> Vec<u32> {
    match value {
        Json::Int(id) => u32::try_from(*id).ok().into_iter().collect(),
        Json::List(items) => items.iter().flat_map(ids).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::template::Moment;
    use super::*;

    const TOKENIZER: &str = r#"{
        "added_tokens": [{"id": 5, "content": "<end>", "special": true}, {"id": 6, "content": "<think>"},
            {"id": 7, "content": "</think>"}],
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []}
    }"#;

    fn language(template: &str) -> Language {
        Language::from_files(&TextFiles {
            tokenizer: TOKENIZER.as_bytes(),
            tokenizer_config: Some(r#"{"eos_token": "<end>"}"#),
            chat_template: Some(template),
            ..Default::default()
        })
        .unwrap()
    }

    fn conversation(messages: &str) -> Conversation<'_> {
        Conversation {
            messages,
            tools: None,
            enable_thinking: None,
            reasoning_effort: None,
            now: Moment::from_unix(0),
        }
    }

    #[test]
    fn ends_come_from_every_file_that_names_some() {
        let files = TextFiles {
            tokenizer: TOKENIZER.as_bytes(),
            tokenizer_config: Some(r#"{"eos_token": {"content": "<end>"}, "chat_template": ""}"#),
            config: Some(r#"{"eos_token_id": 3, "text_config": {"eos_token_id": 4}}"#),
            generation_config: Some(r#"{"eos_token_id": [2, 3]}"#),
            chat_template: None,
        };
        assert_eq!(Language::from_files(&files).unwrap().ends(), [2, 3, 4, 5]);
        let none = TextFiles {
            tokenizer_config: None,
            config: None,
            generation_config: None,
            chat_template: Some(""),
            ..files
        };
        assert!(Language::from_files(&none).unwrap_err().to_string().contains("names no token"));
    }

    #[test]
    fn a_prompt_is_rendered_encoded_and_followed_by_the_start_of_the_answer() {
        let language = language("{% for m in messages %}{{ m.content }}<end>{% endfor %}");
        let prompt = language
            .prompt(&conversation(
                r#"[{"role": "user", "content": "ab"}, {"role": "assistant", "content": "c"}]"#,
            ))
            .unwrap();
        assert_eq!((&*prompt.text, &*prompt.tokens), ("ab<end>c", &[0, 1, 5, 2][..]));
        assert!(!prompt.starts_thinking);
    }

    #[test]
    fn a_prompt_that_ends_in_thoughts_is_known_as_such() {
        let language = language("a{% if enable_thinking %}<think>{% else %}<think></think>{% endif %}");
        assert!(language.prompt(&conversation("[]")).unwrap().starts_thinking);
        let off =
            language.prompt(&Conversation { enable_thinking: Some(false), ..conversation("[]") }).unwrap();
        assert!(!off.starts_thinking);
    }

    #[test]
    fn thoughts_that_were_only_closed_are_opened() {
        let prompt = language("a</think>b<think>c</think>").prompt(&conversation("[]")).unwrap();
        assert_eq!(prompt.tokens, [0, 6, 7, 1, 6, 2, 7]);
    }

    #[test]
    fn a_tag_may_be_more_than_one_token() {
        let tokenizer = TOKENIZER.replace("</think>", "<channel|>").replace("<think>", "<|channel>");
        let letters = r#""a": 0, "b": 1, "c": 2, "t": 8, "h": 9, "o": 10, "u": 11, "g": 12"#;
        let tokenizer = tokenizer.replace(r#""a": 0, "b": 1, "c": 2"#, letters);
        let language = Language::from_files(&TextFiles {
            tokenizer: tokenizer.as_bytes(),
            tokenizer_config: Some(r#"{"eos_token": "<end>"}"#),
            chat_template: Some("a<channel|><|channel>thought"),
            ..Default::default()
        })
        .unwrap();
        let prompt = language.prompt(&conversation("[]")).unwrap();
        let start = [6, 8, 9, 10, 11, 12, 9, 8];
        assert_eq!(prompt.tokens, [&[0][..], &start, &[7], &start].concat());
        assert!(prompt.starts_thinking);
    }

    #[test]
    fn tools_for_a_model_without_any_are_refused() {
        let error = language("a")
            .prompt(&Conversation { tools: Some(r#"[{"type": "function"}]"#), ..conversation("[]") })
            .unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
    }
}
