//! One model of a host: from the wish to load it to its end.

use std::{collections::BTreeMap, path::PathBuf, time::SystemTime};

use exo_engine::{
    Engine, Happened, JobId, Relief,
    chat::{ChatRequest, Event},
    text::Moment,
};

use super::{
    AnswerNews, Ready,
    order::{Asked, TellAnswer},
};
use crate::{Error, Result, loading::Loading, pace::Pace};

/// What a model is tried out with: one token.
const TRIED_OUT: (&str, &str) = ("Hello", r#"{"max_output_tokens": 1, "temperature": 0}"#);

/// Where a model is in its life.
pub(super) enum Hosted {
    /// It waits: one model is loaded at a time.
    Queued(PathBuf),
    /// Its weights are being read.
    Loading(Loading, u32),
    /// It answers, or could.
    Loaded(Box<Loaded>),
}

/// A model that is loaded, and whom it answers.
pub(super) struct Loaded {
    engine: Engine,
    context: u32,
    pub(super) pace: Pace,
    answers: BTreeMap<JobId, Asking>,
    happened: Vec<Happened>,
    /// Whether the last step failed.
    has_failed: bool,
}

/// Somebody who waits for an answer.
struct Asking {
    lease: u64,
    question: u64,
    tell: TellAnswer,
}

impl Loaded {
    pub(super) fn new(engine: Engine, context: u32) -> Self {
        let (answers, happened) = (BTreeMap::new(), Vec::new());
        Self { engine, context, pace: Pace::full(), answers, happened, has_failed: false }
    }

    pub(super) fn ready(&self) -> Ready {
        Ready { memory: self.engine.model().memory().total(), context: self.context }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.engine.is_idle()
    }

    /// Whether somebody with that lease waits for an answer.
    pub(super) fn answers(&self, lease: u64) -> bool {
        self.answers.values().any(|asking| asking.lease == lease)
    }

    /// How many answers are waited for.
    pub(super) fn waiting(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn ask(&mut self, lease: u64, question: u64, asked: &Asked, mut tell: TellAnswer) {
        let submitted = match asked {
            Asked::Chat(request) => self.engine.submit(request, today()),
            Asked::TryOut => {
                let (prompt, request) = TRIED_OUT;
                ChatRequest::from_json(request).and_then(|request| self.engine.submit_raw(prompt, &request))
            }
        };
        match submitted {
            Ok(job) => {
                self.answers.insert(job, Asking { lease, question, tell });
            }
            Err(error) => tell(AnswerNews::Failed(error.into())),
        }
    }

    /// Takes a question back. Whether it was asked here.
    pub(super) fn cancel(&mut self, question: u64) -> bool {
        self.forget(|asking| asking.question == question, |_| ())
    }

    /// The lease is over: so are its answers, and whoever waits for them is told.
    pub(super) fn let_go(&mut self, lease: u64) {
        let tell = |mut asking: Asking| (asking.tell)(AnswerNews::Failed(Error::NotLoaded));
        self.forget(|asking| asking.lease == lease, tell);
    }

    fn forget(&mut self, unwanted: impl Fn(&Asking) -> bool, tell: impl Fn(Asking)) -> bool {
        let jobs: Vec<_> = self.answers.extract_if(.., |_, asking| unwanted(asking)).collect();
        let was_there = !jobs.is_empty();
        for (job, asking) in jobs {
            self.engine.cancel(job);
            tell(asking);
        }
        was_there
    }

    /// One step of the model. A device that failed may be there again at the next step, and the engine computes anew what
    /// was lost. An error is a second failure in a row: the model is lost.
    pub(super) fn step(&mut self) -> Result<()> {
        let stepped = self.engine.step(&mut self.happened);
        for happened in std::mem::take(&mut self.happened) {
            self.tell(happened);
        }
        let had_failed = std::mem::replace(&mut self.has_failed, stepped.is_err());
        if had_failed { Ok(stepped?) } else { Ok(()) }
    }

    /// Gives back what can be given back. A device that fails at it says so at its next step.
    pub(super) fn relieve(&mut self) -> Option<Relief> {
        self.engine.relieve().ok()
    }

    /// Memory is not short any more.
    pub(super) fn recover(&mut self) {
        // Without memory after all, the smaller cache stays.
        let _ = self.engine.recover();
    }

    fn tell(&mut self, happened: Happened) {
        let (job, news, is_last) = match happened {
            Happened::Prefill { job, processed, total, .. } => {
                (job, AnswerNews::Reading { done: processed, total }, false)
            }
            Happened::Replied { job, event } => {
                let is_last = match &event {
                    Event::Said(said) => said.end.is_some(),
                    Event::ToolCalls { .. } => true,
                };
                (job, AnswerNews::Said(event), is_last)
            }
            Happened::Failed { job, error } => (job, AnswerNews::Failed(error.into()), true),
        };
        if let Some(asking) = self.answers.get_mut(&job) {
            (asking.tell)(news);
        }
        if is_last {
            self.answers.remove(&job);
        }
    }

    /// Says to all who wait that no more will come.
    pub(super) fn refuse(self, error: &Error) {
        for (_, mut asking) in self.answers {
            (asking.tell)(AnswerNews::Failed(error.clone()));
        }
    }
}

/// The date, for templates that tell it.
fn today() -> Moment {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Moment::from_unix(since.as_secs().cast_signed())
}
