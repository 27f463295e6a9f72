//! One runner: a model from the wish to load it to its end.

use std::{collections::BTreeMap, path::PathBuf};

use exo_engine::{
    Engine, Error, Happened, JobId, LoadOptions,
    chat::{ChatRequest, Event},
    text::Moment,
};
use exo_node::worker::{EngineError, Fault, Report};
use exo_wire::{RunnerId, TaskId};

use crate::{fault, loading::Loading, said};

/// What a model is tried out with: one token.
const WARM_UP: (&str, &str) = ("Hello", r#"{"max_output_tokens": 1, "temperature": 0}"#);

/// Where a runner is in its life.
#[derive(Debug)]
pub(crate) enum Runner {
    /// It waits: one model is loaded at a time.
    Queued(PathBuf, LoadOptions),
    /// Its weights are being read.
    Loading(Loading),
    /// It answers, or could.
    Loaded(Box<Loaded>),
    /// It failed, and waits to be let go of.
    Failed,
}

/// A model that is loaded, and whom it answers.
#[derive(Debug)]
pub(crate) struct Loaded {
    engine: Engine,
    warming_up: Option<JobId>,
    answers: BTreeMap<JobId, TaskId>,
    happened: Vec<Happened>,
}

impl Loaded {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, warming_up: None, answers: BTreeMap::new(), happened: Vec::new() }
    }

    pub(crate) fn memory(&self) -> u64 {
        self.engine.model().memory().total()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.engine.is_idle()
    }

    pub(crate) fn warm_up(&mut self) -> Result<(), Error> {
        let (prompt, request) = WARM_UP;
        self.warming_up = Some(self.engine.submit_raw(prompt, &ChatRequest::from_json(request)?)?);
        Ok(())
    }

    pub(crate) fn answer(&mut self, task: TaskId, request: &ChatRequest, now: Moment) -> Result<(), Error> {
        let job = self.engine.submit(request, now)?;
        self.answers.insert(job, task);
        Ok(())
    }

    /// Whether it was answering that.
    pub(crate) fn cancel(&mut self, task: &TaskId) -> bool {
        let job = self.answers.iter().find_map(|(job, of)| (of == task).then_some(*job));
        job.is_some_and(|job| {
            self.answers.remove(&job);
            self.engine.cancel(job)
        })
    }

    /// One step of the model. An error is the device's: the model is lost.
    pub(crate) fn step(&mut self, id: &RunnerId, tell: &mut dyn FnMut(Report)) -> Result<(), EngineError> {
        let stepped = self.engine.step(&mut self.happened);
        for happened in std::mem::take(&mut self.happened) {
            self.report(id, happened, tell)?;
        }
        stepped.map_err(|error| EngineError::new(Fault::Passing, error.to_string()))
    }

    fn report(
        &mut self,
        id: &RunnerId,
        happened: Happened,
        tell: &mut dyn FnMut(Report),
    ) -> Result<(), EngineError> {
        match happened {
            Happened::Prefill { job, processed, total, .. } => {
                if let Some(task) = self.answers.get(&job) {
                    tell(Report::Reading(task.clone(), processed, total));
                }
            }
            Happened::Replied { job, .. } if self.warming_up == Some(job) => {
                self.warming_up = None;
                tell(Report::WarmedUp(id.clone()));
            }
            Happened::Failed { job, error } if self.warming_up == Some(job) => {
                return Err(fault::of_model(&error));
            }
            Happened::Replied { job, event } => {
                let Some(task) = self.answers.get(&job).cloned() else { return Ok(()) };
                let token = match event {
                    Event::Said(said) => said::token(said),
                    Event::ToolCalls { calls, usage } => said::tool_calls(calls, usage),
                };
                if token.finish.is_some() {
                    self.answers.remove(&job);
                }
                tell(Report::Token(task, token));
            }
            Happened::Failed { job, error } => {
                if let Some(task) = self.answers.remove(&job) {
                    tell(Report::NotAnswered(task, fault::of_question(&error)));
                }
            }
        }
        Ok(())
    }
}
