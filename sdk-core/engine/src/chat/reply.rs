//! The reply to a request: tokens in, what the client gets out.

use std::sync::Arc;

use super::request::{ChatRequest, TokenRequest};
use crate::Result;
use crate::sampling::{Logprobs, Sampled};
use crate::text::{Answer, Finish, Language, Moment, Output, Piece, Prompt, Tokenizer, ToolCall};

/// A reply while it grows.
#[derive(Debug)]
pub struct Reply {
    answer: Answer,
    tokenizer: Arc<Tokenizer>,
    prompt_tokens: u32,
    cached_tokens: u32,
}

/// Something for the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A token's share of the text; the last one has an [`End`].
    Said(Said),
    /// The reply ends here, and wants these tools to be called.
    ToolCalls {
        /// All calls, in the order in which the model wrote them.
        calls: Vec<ToolCall>,
        /// What the reply took.
        usage: Usage,
    },
}

/// A token's share of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The token.
    pub token: u32,
    /// What to append. Empty while a character is not whole, and where text was cut off.
    pub text: String,
    /// Whether it is a thought.
    pub is_thinking: bool,
    /// The natural logarithm of the token's probability, if that was asked for.
    pub logprob: Option<f32>,
    /// The likeliest tokens at its place, the likeliest first; empty unless asked for.
    pub top_logprobs: Vec<Likely>,
    /// Whether the reply is over, and what it took.
    pub end: Option<End>,
}

/// A token that was likely.
#[derive(Clone, Debug, PartialEq)]
pub struct Likely {
    /// Its text when it stands alone.
    pub text: String,
    /// The natural logarithm of its probability.
    pub logprob: f32,
}

/// The end of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Why.
    pub finish: Finish,
    /// What the reply took.
    pub usage: Usage,
}

/// The tokens of a request and its reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Those of the prompt.
    pub prompt_tokens: u32,
    /// How many of them were known from an earlier request.
    pub cached_tokens: u32,
    /// Those that were generated, tags and ends included.
    pub completion_tokens: u32,
    /// Those of them that were thoughts.
    pub reasoning_tokens: u32,
}

impl Usage {
    /// All of them.
    pub fn total_tokens(&self) -> u32 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

impl Reply {
    /// What to ask of the model, and the reply before its first token. `now` is the date, for templates that tell it.
    ///
    /// A request that can never work is refused here, before the model is bothered.
    pub fn begin(language: &Language, request: &ChatRequest, now: Moment) -> Result<(TokenRequest, Self)> {
        Self::of(language, request, request.prompt(language, now)?)
    }

    /// The same for a prompt that the model gets as it is, without a template.
    pub fn begin_raw(language: &Language, text: &str, request: &ChatRequest) -> Result<(TokenRequest, Self)> {
        Self::of(language, request, language.raw_prompt(text)?)
    }

    fn of(language: &Language, request: &ChatRequest, mut prompt: Prompt) -> Result<(TokenRequest, Self)> {
        let sampling = request.sampling(language.ends());
        sampling.check()?;
        let (tokens, max_tokens) = (std::mem::take(&mut prompt.tokens), request.max_tokens());
        let reply = Self {
            answer: language.answer(prompt, request.stop.clone(), Some(max_tokens))?,
            tokenizer: Arc::clone(language.tokenizer()),
            prompt_tokens: u32::try_from(tokens.len()).unwrap_or(u32::MAX),
            cached_tokens: 0,
        };
        let ends = language.ends().to_vec();
        let reuses = !request.bench || request.use_prefix_cache;
        Ok((TokenRequest { prompt: tokens, sampling, max_tokens, ends, reuses }, reply))
    }

    /// How many tokens of the prompt were known from an earlier request.
    pub fn set_cached_tokens(&mut self, count: u32) {
        self.cached_tokens = count.min(self.prompt_tokens);
    }

    /// Adds a token; `is_last` where none can follow it, for want of room. Whether the reply is over: then take the
    /// request back from the model, and take what [`Reply::next_event`] has left.
    pub fn push(&mut self, sampled: Sampled, is_last: bool) -> Result<bool> {
        self.answer.push(sampled, is_last)
    }

    /// What the client gets next. Text that may turn out to be something else is not there yet.
    pub fn next_event(&mut self) -> Option<Event> {
        Some(match self.answer.next_output()? {
            Output::Piece(piece) => Event::Said(self.said(piece)),
            Output::ToolCalls(calls) => Event::ToolCalls { calls, usage: self.usage() },
        })
    }

    /// The tokens so far.
    pub fn usage(&self) -> Usage {
        let counts = self.answer.counts();
        Usage {
            prompt_tokens: self.prompt_tokens,
            cached_tokens: self.cached_tokens,
            completion_tokens: counts.tokens,
            reasoning_tokens: counts.thoughts,
        }
    }

    fn said(&self, Piece { token, text, is_thinking, logprobs, finish }: Piece) -> Said {
        let likely =
            |&(token, logprob): &(u32, f32)| Likely { text: self.tokenizer.decode(&[token]), logprob };
        let top_logprobs = logprobs.iter().flat_map(|logprobs| logprobs.top.iter().map(likely)).collect();
        let logprob = logprobs.as_ref().map(|&Logprobs { logprob, .. }| logprob);
        let end = finish.map(|finish| End { finish, usage: self.usage() });
        Said { token, text, is_thinking, logprob, top_logprobs, end }
    }
}
