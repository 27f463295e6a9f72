//! One answer: tokens in, chunks out.
//!
//! ```text
//! task heard   first token   tokens ...                      last token
//!     |  50 ms at least |        | 50 ms |       | 50 ms |        |
//!     +-----------------> chunk  +-------> chunk +-------> chunk  +> last chunk, with the bill
//! ```
//! Every event goes through the master to every node, and stays in its log for ever, so tokens that come within 50 ms
//! of the last chunk travel together. The first never waits for others. Where probabilities are asked for, each token
//! needs a chunk of its own. The bill counts tokens, not chunks.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use exo_wire::{
    CommandId, Memory, RunnerId, TaskId,
    chunk::{
        Chunk, CompletionTokensDetails, ErrorChunk, ErrorFinish, GenerationStats, PrefillProgressChunk,
        PrefixCacheHit, PromptTokensDetails, TokenChunk, ToolCallChunk, ToolCallFinish, TopLogprobItem,
        Usage,
    },
    diagnostics::Diagnostics,
    finite::{Amount, LogProbability},
    model_id::ModelId,
    text::TextGenerationTaskParams,
};

use super::{Finish, Token, TopToken};
use crate::now::Moment;

/// exo's interface listens for an answer only after it has sent the question: what comes sooner is lost. That takes it a few
/// milliseconds, and several times as many when it is busy; few models answer sooner.
const LISTENS_AFTER: Duration = Duration::from_millis(50);
/// How long tokens wait for each other.
const TOGETHER: Duration = Duration::from_millis(50);
/// How often the reading of a prompt is told: it becomes a comment in the stream, which keeps it alive.
const READING_EVERY: Duration = Duration::from_millis(250);
/// What travels together is not longer than this; the gate would stop at 256 KiB.
const LONGEST_PIECE: usize = 32 << 10;
/// The most that exo is told of a fault.
const LONGEST_WORDS: usize = 1000;

/// How an answer ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ending {
    /// With its last token.
    Finished(Finish),
    /// With a fault.
    Failed(String),
}

/// One answer under way.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) task: TaskId,
    pub(super) command: CommandId,
    pub(super) runner: RunnerId,
    /// In the order of arrival.
    pub(super) number: u64,
    pub(super) request: Arc<TextGenerationTaskParams>,
    /// The engine works on it.
    pub(super) running: bool,
    /// The session that asked is over: its task is unknown to the new one.
    pub(super) orphaned: bool,
    model: ModelId,
    not_before: Moment,
    reading: Option<(u32, u32)>,
    reading_said: Option<Moment>,
    pieces: VecDeque<Token>,
    said: Option<Moment>,
    ending: Option<Ending>,
    last_token: u32,
    began: Moment,
    first: Option<Moment>,
    last: Moment,
}

impl Answer {
    pub(super) fn new(
        (task, command, runner): (TaskId, CommandId, RunnerId),
        (number, now): (u64, Moment),
        model: ModelId,
        request: TextGenerationTaskParams,
    ) -> Self {
        Self {
            task,
            command,
            runner,
            number,
            request: Arc::new(request),
            running: false,
            orphaned: false,
            model,
            not_before: now + LISTENS_AFTER,
            reading: None,
            reading_said: None,
            pieces: VecDeque::new(),
            said: None,
            ending: None,
            last_token: 0,
            began: now,
            first: None,
            last: now,
        }
    }

    /// The engine begins.
    pub(super) fn begin(&mut self, now: Moment) {
        (self.running, self.began) = (true, now);
    }

    /// So much of the prompt was read.
    pub(super) fn reads(&mut self, read: u32, of: u32) {
        if self.ending.is_none() && self.first.is_none() {
            self.reading = Some((read.min(of), of));
        }
    }

    /// The next token.
    pub(super) fn token(&mut self, now: Moment, mut token: Token) {
        if self.ending.is_some() {
            return;
        }
        self.first.get_or_insert(now);
        self.last = now;
        self.last_token = token.id;
        let finish = token.finish.take();
        let is_silent = token.text.is_empty() && finish.as_ref().is_some_and(|it| !it.tool_calls.is_empty());
        self.ending = finish.map(Ending::Finished);
        if is_silent {
            return; // The calls have a chunk of their own.
        }
        let joined = self.is_joined();
        match self.pieces.back_mut() {
            Some(before) if joined && fits(before, &token) => {
                before.text.push_str(&token.text);
                before.id = token.id;
            }
            _ => self.pieces.push_back(token),
        }
    }

    /// It went wrong. What was not said yet is not said any more.
    pub(super) fn fail(&mut self, why: &str) {
        self.pieces.clear();
        self.reading = None;
        self.ending = Some(Ending::Failed(words(why)));
    }

    /// Nobody has to be waited for: whoever asked listens by now, or never will.
    pub(super) fn hasten(&mut self, now: Moment) {
        self.not_before = self.not_before.min(now);
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.ending.is_some()
    }

    pub(super) const fn has_failed(&self) -> bool {
        matches!(self.ending, Some(Ending::Failed(_)))
    }

    /// When there is something to say.
    pub(super) fn due(&self) -> Option<Moment> {
        let due = if self.ending.is_some() {
            self.not_before
        } else if self.pieces.is_empty() {
            self.reading?;
            self.reading_said.map_or(self.not_before, |said| said + READING_EVERY)
        } else {
            match self.said {
                Some(said) if self.is_joined() => said + TOGETHER,
                _ => self.not_before,
            }
        };
        Some(due.max(self.not_before))
    }

    /// What is to be said now. With an ending, that is all that will ever be. `peak` is the most memory that was used.
    pub(super) fn chunks(&mut self, now: Moment, peak: u64) -> Vec<Chunk> {
        if self.due().is_none_or(|due| due > now) {
            return Vec::new();
        }
        let mut chunks = Vec::new();
        // What was read is old news beside a token, unless nothing was said of it at all.
        if let Some((processed_tokens, total_tokens)) = self.reading.take()
            && (self.pieces.is_empty() || self.reading_said.is_none())
        {
            let model = self.model.clone();
            chunks.push(Chunk::PrefillProgress(PrefillProgressChunk {
                model,
                processed_tokens,
                total_tokens,
            }));
            self.reading_said = Some(now);
        }
        if !self.pieces.is_empty() {
            self.said = Some(now);
        }
        let pieces = std::mem::take(&mut self.pieces);
        chunks.extend(pieces.into_iter().map(|piece| Chunk::Token(self.piece(piece))));
        match self.ending.clone() {
            Some(Ending::Finished(finish)) => self.finish(&mut chunks, finish, peak),
            Some(Ending::Failed(error_message)) => chunks.push(Chunk::Error(ErrorChunk {
                model: self.model.clone(),
                error_message,
                finish_reason: ErrorFinish::Error,
                diagnostics: Diagnostics,
            })),
            None => {}
        }
        chunks
    }

    /// Whether tokens may travel together: a chunk has room for the probability of one.
    fn is_joined(&self) -> bool {
        !self.request.logprobs && self.request.top_logprobs.is_none()
    }

    fn finish(&self, chunks: &mut Vec<Chunk>, finish: Finish, peak: u64) {
        let (usage, stats) = (Some(usage(&finish)), Some(self.stats(&finish, peak)));
        if !finish.tool_calls.is_empty() {
            let (model, tool_calls) = (self.model.clone(), finish.tool_calls);
            let finish_reason = ToolCallFinish::ToolCalls;
            chunks.push(Chunk::ToolCall(ToolCallChunk { model, tool_calls, usage, finish_reason, stats }));
            return;
        }
        if !matches!(chunks.last(), Some(Chunk::Token(_))) {
            let end = Token { id: self.last_token, ..Token::default() };
            chunks.push(Chunk::Token(self.piece(end)));
        }
        if let Some(Chunk::Token(last)) = chunks.last_mut() {
            (last.usage, last.stats) = (usage, stats);
            last.finish_reason = Some(finish.reason);
        }
    }

    fn piece(&self, token: Token) -> TokenChunk {
        let asked = self.request.logprobs || self.request.top_logprobs.is_some();
        let top = |top: Vec<TopToken>| top.into_iter().filter_map(likely).collect();
        TokenChunk {
            model: self.model.clone(),
            text: token.text,
            token_id: token.id,
            usage: None,
            finish_reason: None,
            stats: None,
            logprob: token.logprob.filter(|_| asked).and_then(probability),
            top_logprobs: asked.then_some(token.top).filter(|top| !top.is_empty()).map(top),
            is_thinking: token.thinking,
        }
    }

    fn stats(&self, finish: &Finish, peak: u64) -> GenerationStats {
        let first = self.first.unwrap_or(self.last);
        let read = finish.prompt_tokens.saturating_sub(finish.cached_tokens);
        GenerationStats {
            prompt_tps: rate(read, first.since(self.began)),
            // The first token belongs to the reading: what follows it took the rest of the time.
            generation_tps: rate(finish.completion_tokens.saturating_sub(1), self.last.since(first)),
            prompt_tokens: finish.prompt_tokens,
            generation_tokens: finish.completion_tokens,
            peak_memory_usage: Memory::bytes(peak),
            prefix_cache_hit: match finish.cached_tokens {
                0 => PrefixCacheHit::None,
                all if all >= finish.prompt_tokens => PrefixCacheHit::Exact,
                _ => PrefixCacheHit::Partial,
            },
        }
    }
}

fn usage(finish: &Finish) -> Usage {
    Usage {
        prompt_tokens: finish.prompt_tokens,
        completion_tokens: finish.completion_tokens,
        total_tokens: finish.prompt_tokens.saturating_add(finish.completion_tokens),
        prompt_tokens_details: PromptTokensDetails {
            cached_tokens: finish.cached_tokens.min(finish.prompt_tokens),
            audio_tokens: 0,
        },
        completion_tokens_details: CompletionTokensDetails {
            reasoning_tokens: finish.reasoning_tokens.min(finish.completion_tokens),
            ..CompletionTokensDetails::default()
        },
    }
}

/// Reasoning and answer do not mix.
fn fits(before: &Token, next: &Token) -> bool {
    before.thinking == next.thinking && before.text.len() + next.text.len() <= LONGEST_PIECE
}

fn likely(top: TopToken) -> Option<TopLogprobItem> {
    Some(TopLogprobItem { token: top.text, logprob: probability(top.logprob)?, bytes: top.bytes })
}

/// Rounding makes some slightly more than certain; what is no number is not told.
fn probability(logarithm: f64) -> Option<LogProbability> {
    if logarithm.is_nan() { None } else { LogProbability::new(logarithm.clamp(-1e9, 0.0)) }
}

fn rate(tokens: u32, time: Duration) -> Amount {
    let seconds = time.as_secs_f64();
    let rate = if seconds > 0.0 { f64::from(tokens) / seconds } else { 0.0 };
    Amount::new(rate).unwrap_or_default()
}

/// Words for people, not more than anybody reads.
pub(super) fn words(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(LONGEST_WORDS).collect()
}
