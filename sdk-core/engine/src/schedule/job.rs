//! One text on its way.

use super::{End, JobId};
use crate::{
    Result, Sampler,
    cache::{Grade, PAGE, Sequence},
    chat::TokenRequest,
};

#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: JobId,
    /// The prompt and what was added.
    pub(super) tokens: Vec<u32>,
    /// Tokens of the prompt.
    pub(super) prompt: u32,
    /// How many of them were known from an earlier text.
    pub(super) reused: u32,
    pub(super) sequence: Sequence,
    /// How its keys and values are kept, once it has begun.
    pub(super) grade: Option<Grade>,
    pub(super) sampler: Sampler,
    pub(super) stage: Stage,
    /// Whether it lost its memory and computes again what it had: nobody is told of that.
    pub(super) is_recomputed: bool,
    /// Tokens in all, at most.
    most: u32,
    ends: Vec<u32>,
    /// Whether what earlier texts computed may be used.
    pub(super) reuses: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It holds nothing.
    Waiting,
    /// Its prompt is being computed.
    Prompting,
    /// It grows.
    Answering,
}

impl Job {
    pub(super) fn new(id: JobId, request: TokenRequest, context: u32) -> Result<Self> {
        let prompt = request.prompt.len() as u32;
        Ok(Self {
            id,
            sampler: Sampler::new(request.sampling, &request.prompt)?,
            tokens: request.prompt,
            prompt,
            reused: 0,
            sequence: Sequence::default(),
            grade: None,
            stage: Stage::Waiting,
            is_recomputed: false,
            most: prompt.saturating_add(request.max_tokens).min(context),
            ends: request.ends,
            reuses: request.reuses,
        })
    }

    /// Tokens that are not computed yet.
    pub(super) fn left(&self) -> u32 {
        self.tokens.len() as u32 - self.sequence.length()
    }

    /// How many of them the next step may take. A state is kept where the last whole page ends, so a step ends there.
    pub(super) fn next_part(&self, has_states: bool) -> u32 {
        match self.last_page().checked_sub(self.sequence.length()) {
            Some(before) if has_states && before > 0 => before,
            _ => self.left(),
        }
    }

    /// Whether just its whole pages are computed.
    pub(super) fn is_at_last_page(&self) -> bool {
        self.sequence.length() == self.last_page()
    }

    /// Where the last whole page ends that another text could begin with: its last token is always computed.
    fn last_page(&self) -> u32 {
        (self.tokens.len() as u32 - 1) / PAGE * PAGE
    }

    /// Adds a token. Whether the text ends with it.
    pub(super) fn add(&mut self, token: u32) -> Option<End> {
        self.tokens.push(token);
        self.is_recomputed = true;
        if self.ends.contains(&token) {
            Some(End::Stop)
        } else if self.tokens.len() as u32 >= self.most {
            Some(End::Length)
        } else {
            None
        }
    }
}
