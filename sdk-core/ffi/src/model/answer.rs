//! What a model says.

use std::{
    fmt,
    sync::{Mutex as StdMutex, PoisonError},
    time::{Duration, Instant},
};

use exo_engine::{
    chat::{ChatRequest, Event, Usage},
    text,
};
use exo_serving::{AnswerNews, Lease, Question};
use tokio::sync::{Mutex, mpsc};

use crate::Result;

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Enum)]
pub enum Finish {
    /// The model had said it all, or came to a text at which to stop.
    Stop,
    /// It had as many tokens as it may.
    Length,
}

/// The end of an answer, and what it took.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct AnswerEnd {
    /// Why.
    pub finish: Finish,
    /// Tokens of the conversation that was asked.
    pub prompt_tokens: u32,
    /// How many of them were known from an earlier question.
    pub cached_tokens: u32,
    /// Tokens of the answer, thoughts included.
    pub completion_tokens: u32,
    /// Those of them that were thoughts.
    pub thinking_tokens: u32,
    /// From the question to the first token.
    pub first_after: Duration,
    /// From the question to the end.
    pub took: Duration,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Enum)]
pub enum AnswerPiece {
    /// More of the conversation was read.
    Reading {
        /// Tokens that were.
        done: u32,
        /// All of them.
        total: u32,
    },
    /// Something to append.
    Text {
        /// What.
        text: String,
        /// Whether it is a thought.
        is_thinking: bool,
    },
    /// The end. Nothing follows.
    End {
        /// What it took.
        end: AnswerEnd,
    },
}

/// An answer as it is made.
#[derive(uniffi::Object)]
pub struct Answer {
    question: StdMutex<Option<Question>>,
    told: Mutex<Told>,
    /// Wakes who waits for news that will not come.
    wake: mpsc::UnboundedSender<Option<AnswerNews>>,
}

struct Told {
    news: mpsc::UnboundedReceiver<Option<AnswerNews>>,
    asked: Instant,
    first: Option<Instant>,
    /// An end that came together with text.
    end: Option<AnswerEnd>,
    is_over: bool,
}

impl Answer {
    pub(super) fn begin(lease: &Lease, request: ChatRequest) -> Self {
        let (wake, news) = mpsc::unbounded_channel();
        let tell = wake.clone();
        let question = lease.ask(request, move |news| drop(tell.send(Some(news))));
        let told = Told { news, asked: Instant::now(), first: None, end: None, is_over: false };
        Self { question: StdMutex::new(Some(question)), told: Mutex::new(told), wake }
    }
}

#[uniffi::export]
impl Answer {
    /// The next piece; none after the end, or once [`cancel`](Self::cancel) was called.
    pub async fn next(&self) -> Result<Option<AnswerPiece>> {
        self.told.lock().await.next().await
    }

    /// Takes the question back: not a token more is computed. Who waits in [`next`](Self::next) is woken.
    pub fn cancel(&self) -> Result<()> {
        drop(self.question.lock().unwrap_or_else(PoisonError::into_inner).take());
        let _ = self.wake.send(None);
        Ok(())
    }
}

impl Told {
    async fn next(&mut self) -> Result<Option<AnswerPiece>> {
        if let Some(end) = self.end.take() {
            self.is_over = true;
            return Ok(Some(AnswerPiece::End { end }));
        }
        while !self.is_over {
            match self.news.recv().await.flatten() {
                Some(AnswerNews::Reading { done, total }) => {
                    return Ok(Some(AnswerPiece::Reading { done, total }));
                }
                Some(AnswerNews::Said(event)) => {
                    if let Some(piece) = self.take(event) {
                        return Ok(Some(piece));
                    }
                }
                Some(AnswerNews::Failed(error)) => {
                    self.is_over = true;
                    return Err(error.into());
                }
                None => self.is_over = true,
            }
        }
        Ok(None)
    }

    /// A token may be a part of a character: then there is nothing to append yet.
    fn take(&mut self, event: Event) -> Option<AnswerPiece> {
        let first = *self.first.get_or_insert_with(Instant::now);
        let (text, is_thinking, end) = match event {
            Event::Said(said) => (said.text, said.is_thinking, said.end),
            // Nobody was offered tools, so nobody calls any.
            Event::ToolCalls { usage, .. } => {
                let end = exo_engine::chat::End { finish: text::Finish::Stop, usage };
                (String::new(), false, Some(end))
            }
        };
        self.end =
            end.map(|end| AnswerEnd::of(end.finish, end.usage, first - self.asked, self.asked.elapsed()));
        if !text.is_empty() {
            return Some(AnswerPiece::Text { text, is_thinking });
        }
        let end = self.end.take()?;
        self.is_over = true;
        Some(AnswerPiece::End { end })
    }
}

impl AnswerEnd {
    fn of(finish: text::Finish, usage: Usage, first_after: Duration, took: Duration) -> Self {
        Self {
            finish: match finish {
                text::Finish::Stop => Finish::Stop,
                text::Finish::Length => Finish::Length,
            },
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.cached_tokens,
            completion_tokens: usage.completion_tokens,
            thinking_tokens: usage.reasoning_tokens,
            first_after,
            took,
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}
