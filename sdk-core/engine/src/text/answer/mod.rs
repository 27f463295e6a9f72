//! From the tokens of an answer to what its reader gets.
//!
//! ```text
//! token ─ detokenizer ─▶ piece ─ texts that stop ─ thoughts ─ calls of tools ─▶ outputs
//! ```
//!
//! Each machine takes pieces and gives pieces, and holds some back where it cannot know yet what they are. One token is
//! one piece all the way, because exo sends and counts them so.

mod arguments;
mod dialect;
mod piece;
mod stop;
mod thinking;
mod tools;

pub use arguments::OfferedTools;
pub use dialect::ToolDialect;
pub use piece::{Finish, Output, Piece, ToolCall};
pub use thinking::ThinkingTags;

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Detokenizer, Tokenizer};
use crate::sampling::Sampled;
use crate::{Error, Result};

/// What an answer is like, besides its model.
#[derive(Clone, Debug, Default)]
pub struct AnswerOptions {
    /// Texts before which it ends.
    pub stop: Vec<String>,
    /// How many tokens it may have; exo's own limit where nothing is said.
    pub max_tokens: Option<u32>,
    /// Tokens that end it.
    pub ends: Vec<u32>,
    /// The tags of its thoughts, if the model has any.
    pub thinking: Option<ThinkingTags>,
    /// Whether the prompt already opened such thoughts.
    pub starts_thinking: bool,
    /// What may be called; nothing where no tools were offered.
    pub tools: Option<OfferedTools>,
}

/// How many tokens of an answer are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All that were generated, tags and ends included.
    pub tokens: u32,
    /// Those that were thoughts.
    pub thoughts: u32,
}

/// One answer while it is generated.
#[derive(Debug)]
pub struct Answer {
    detokenizer: Detokenizer,
    ends: Vec<u32>,
    max_tokens: u32,
    counts: Counts,
    stops: stop::Stops,
    thinking: thinking::Thinking,
    tools: tools::Tools,
    outputs: VecDeque<Output>,
    is_over: bool,
    /// Pieces on their way from one machine to the next; empty between tokens.
    safe: Vec<Piece>,
    marked: Vec<Piece>,
}

impl Answer {
    /// exo's own limit of tokens.
    pub const MAX_TOKENS: u32 = 32_168;

    /// An answer without a token yet.
    pub fn new(tokenizer: Arc<Tokenizer>, options: AnswerOptions) -> Result<Self> {
        let max_tokens = options.max_tokens.filter(|&most| most > 0).unwrap_or(Self::MAX_TOKENS);
        Ok(Self {
            detokenizer: Detokenizer::new(tokenizer),
            stops: stop::Stops::new(&options.stop)?,
            thinking: thinking::Thinking::new(options.thinking, options.starts_thinking),
            tools: tools::Tools::new(options.tools),
            ends: options.ends,
            max_tokens,
            counts: Counts::default(),
            outputs: VecDeque::new(),
            is_over: false,
            safe: Vec::new(),
            marked: Vec::new(),
        })
    }

    /// Adds a token; `is_last` where none can follow it, for want of room. Generate no more when this says that the
    /// answer is over.
    pub fn push(&mut self, sampled: Sampled, is_last: bool) -> Result<bool> {
        if self.is_over {
            let allowed = "none after the answer is over".into();
            return Err(Error::InvalidRequest { what: "token", asked: sampled.token.to_string(), allowed });
        }
        self.counts.tokens += 1;
        let is_end = self.ends.contains(&sampled.token);
        let finish = match is_last || self.counts.tokens >= self.max_tokens {
            _ if is_end => Some(Finish::Stop),
            true => Some(Finish::Length),
            false => None,
        };
        let mut text = String::new();
        if !is_end {
            self.detokenizer.push(sampled.token, &mut text);
        }
        if finish.is_some() {
            self.detokenizer.flush(&mut text);
        }
        let Sampled { token, logprobs } = sampled;
        self.route(Piece { token, text, is_thinking: false, logprobs, finish });
        Ok(self.is_over)
    }

    /// What came out and was not taken yet.
    pub fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether the answer has ended.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    fn route(&mut self, piece: Piece) {
        self.stops.push(piece, &mut self.safe);
        for piece in self.safe.drain(..) {
            self.is_over |= piece.finish.is_some();
            self.thinking.push(piece, &mut self.marked);
        }
        for piece in self.marked.drain(..) {
            self.counts.thoughts += u32::from(piece.is_thinking);
            self.tools.push(piece, &mut self.outputs);
        }
    }
}

#[cfg(test)]
mod tests;
