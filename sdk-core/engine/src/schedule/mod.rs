//! Several texts at once on one model, each fairly.
//!
//! A step of the model takes the next token of every text that is being answered and, where there is room, a chunk of
//! one prompt. So a long prompt slows the others down a little and stops nobody, and texts are answered together at
//! almost the price of one: the weights are read once for all of them.
//!
//! Memory is taken as texts grow. When it runs short, beginnings that nobody uses go first; then the youngest text
//! steps back and is computed again later. No text ever gets a wrong token for lack of memory. What is given back to the
//! system on demand is the matter of [`Scheduler::relieve`].

mod job;
mod relief;
mod room;

use std::collections::VecDeque;

use job::{Job, Stage};
use relief::Steps;
pub use relief::{Pressure, Relief, ReliefStep};

use crate::{
    Error, Model, Result, Sampled,
    cache::{Grade, PAGE, Prefixes, Sequence},
    chat::TokenRequest,
    model::{Row, Step, Wanted},
};

/// Rows of a prompt that are computed beside texts that are being answered: their next tokens wait for it.
const CHUNK_BESIDE_ANSWERS: u32 = 64;

/// Names a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(u64);

/// Something that a step brought about.
#[derive(Clone, Debug)]
pub enum Produced {
    /// More of a prompt is computed.
    Prefill {
        /// The text.
        job: JobId,
        /// Tokens of the prompt that are computed.
        processed: u32,
        /// Tokens of the prompt.
        total: u32,
        /// How many of them were known from an earlier text.
        reused: u32,
    },
    /// A text has another token.
    Token {
        /// The text.
        job: JobId,
        /// The token.
        sampled: Sampled,
        /// Whether it is the last one, and why.
        end: Option<End>,
    },
    /// A text cannot go on.
    Failed {
        /// The text.
        job: JobId,
        /// Why.
        error: Error,
    },
}

/// Why a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The model ended it.
    Stop,
    /// It has as many tokens as were asked for, or as the context holds.
    Length,
}

/// Texts on a model.
#[derive(Debug)]
pub struct Scheduler {
    model: Model,
    /// Of each grade.
    prefixes: [Prefixes; 2],
    /// In the order in which they came: the oldest has the first claim to memory.
    jobs: VecDeque<Job>,
    next_id: u64,
    logits: Vec<f32>,
    /// What is done for want of memory.
    steps: Steps,
    /// Texts of this grade have the next step, if there are any: a step computes with one kind of cache.
    turn: Grade,
    /// What the device said when it lost the last step; nothing since a step succeeded.
    loss: Option<String>,
}

impl Scheduler {
    /// Nothing to do yet.
    pub fn new(model: Model) -> Self {
        Self {
            model,
            prefixes: [Grade::Full, Grade::Small].map(Prefixes::of),
            jobs: VecDeque::new(),
            next_id: 0,
            logits: Vec::new(),
            steps: Steps::default(),
            turn: Grade::Full,
            loss: None,
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Adds a text. A prompt that the context can never hold is refused here, and any while memory is short.
    pub fn submit(&mut self, request: TokenRequest) -> Result<JobId> {
        self.admit()?;
        let context = self.model.pools().pages(Grade::Full).count() as u32 * PAGE;
        if request.prompt.is_empty() || request.prompt.len() as u64 >= u64::from(context) {
            return Err(Error::InvalidRequest {
                what: "prompt",
                asked: format!("{} tokens", request.prompt.len()),
                allowed: format!("1 to {} tokens", context - 1),
            });
        }
        let vocabulary = self.model.architecture().vocabulary;
        if let Some(&token) = request.prompt.iter().find(|&&token| token >= vocabulary) {
            return Err(Error::InvalidRequest {
                what: "prompt",
                asked: format!("token {token}"),
                allowed: format!("tokens below {vocabulary}"),
            });
        }
        let id = JobId(self.next_id);
        self.next_id += 1;
        self.jobs.push_back(Job::new(id, request, context)?);
        Ok(id)
    }

    /// Takes a text back. Nothing is produced for it any more. Whether it was there.
    pub fn cancel(&mut self, id: JobId) -> bool {
        let Some(at) = self.jobs.iter().position(|job| job.id == id) else { return false };
        self.end(at);
        true
    }

    /// Whether there is nothing to do.
    pub fn is_idle(&self) -> bool {
        self.jobs.is_empty()
    }

    /// One step of the model, if there is anything to do. An error is the device's: the texts are still there.
    pub fn step(&mut self, produced: &mut Vec<Produced>) -> Result<()> {
        if self.model.has_lost_cache() {
            self.begin_anew()?;
        }
        for grade in [self.turn, self.turn.other()] {
            let plan = self.feed(grade, produced);
            if self.model.has_lost_cache() {
                return self.begin_anew();
            }
            if !plan.is_empty() {
                self.turn = grade.other();
                return self.run(&plan, produced);
            }
        }
        Ok(())
    }

    /// Runs a step as planned.
    fn run(&mut self, plan: &[Turn], produced: &mut Vec<Produced>) -> Result<()> {
        let mut rows = Vec::new();
        let mut sequences = Vec::with_capacity(plan.len());
        for (i, turn) in plan.iter().enumerate() {
            let job = &self.jobs[turn.job];
            let last = job.tokens.len() as u32 - 1;
            let from = job.sequence.length();
            let tokens = &job.tokens[from as usize..(from + turn.count) as usize];
            rows.extend((from..).zip(tokens).map(|(position, &token)| Row {
                token,
                sequence: i,
                position,
                is_wanted: position == last,
            }));
            sequences.push(&job.sequence);
        }
        let mut logits = std::mem::take(&mut self.logits);
        let step = Step { sequences: &sequences, rows: &rows };
        let result = self.model.step(&step, None, Wanted::Logits(&mut logits), None);
        let result = match result {
            Ok(()) => {
                self.loss = None;
                self.harvest(plan, &mut logits, produced);
                Ok(())
            }
            Err(error) => Err(self.after_failure(plan, error)),
        };
        self.logits = logits;
        result
    }

    /// Puts the texts of a step that failed back to where they can go on from. Returns what to say.
    fn after_failure(&mut self, plan: &[Turn], error: Error) -> Error {
        let Error::Gpu(exo_gpu::Error::DeviceLost { reason, .. }) = &error else {
            if self.model.has_states() {
                // Nobody knows how far their states came: they are computed anew.
                for turn in plan {
                    self.step_back(turn.job);
                }
            }
            return error;
        };
        // The device's place is taken by one that is never lost. What the step wrote is gone, and can be computed again;
        // if this one misses something too, that is what was only read: the weights.
        if let Some(first) = &self.loss {
            let reason = format!("{reason}, after {first}");
            return exo_gpu::Error::DeviceLost {
                reason,
                help: "its weights went with it: load the model anew",
            }
            .into();
        }
        self.loss = Some(reason.clone());
        match self.begin_anew() {
            Ok(()) => error,
            Err(other) => other,
        }
    }

    /// A plan for texts of a grade. Where the oldest text cannot have its memory though nobody else has any, it fails: the
    /// others can go on.
    fn feed(&mut self, grade: Grade, produced: &mut Vec<Produced>) -> Vec<Turn> {
        loop {
            match self.plan(grade) {
                Plan::Turns(plan) => return plan,
                Plan::Starved => {
                    let (error, job) = (self.starvation(0), self.jobs[0].id);
                    self.end(0);
                    produced.push(Produced::Failed { job, error });
                }
            }
        }
    }

    /// Who runs how many tokens in the next step. Everybody in it has the memory for it.
    fn plan(&mut self, grade: Grade) -> Plan {
        let mut plan = Vec::new();
        let mut room = self.model.chunk();
        for job in 0..self.jobs.len() {
            if self.jobs[job].stage != Stage::Answering
                || self.jobs[job].grade != Some(grade)
                || (plan.len() as u32) >= Model::MOST_WANTED - 1
                || room <= 1
            {
                continue;
            }
            if self.make_room(job, 1) {
                plan.push(Turn { job, count: 1 });
                room -= 1;
            } else if self.is_starved(job) {
                return Plan::Starved;
            }
        }
        self.retain_answering(&mut plan);
        if !plan.is_empty() {
            room = room.min(CHUNK_BESIDE_ANSWERS);
        }
        for job in 0..self.jobs.len() {
            let of = self.jobs[job].grade.unwrap_or(self.grade());
            if self.jobs[job].stage == Stage::Answering || of != grade {
                continue;
            }
            self.begin(job);
            let count = self.jobs[job].next_part(self.model.has_states()).min(room);
            let has_room = self.make_room(job, count);
            self.retain_answering(&mut plan);
            if has_room {
                plan.push(Turn { job, count });
                break;
            }
            if self.is_starved(job) {
                return Plan::Starved;
            }
        }
        Plan::Turns(plan)
    }

    /// Making room may have sent a younger text back to its beginning: it has no turn any more.
    fn retain_answering(&self, plan: &mut Vec<Turn>) {
        plan.retain(|turn| self.jobs[turn.job].stage == Stage::Answering);
    }

    /// Whether a text that found no room will find none: the oldest has had what everybody else had.
    fn is_starved(&self, job: usize) -> bool {
        job == 0 && !self.model.has_lost_cache()
    }

    /// Finds what is known of a prompt that was not begun yet.
    fn begin(&mut self, at: usize) {
        let now = self.grade();
        let job = &mut self.jobs[at];
        if job.stage == Stage::Waiting {
            // One that has begun before stays with what it had: its tokens do not depend on who made room for whom.
            let grade = *job.grade.get_or_insert(now);
            job.sequence = if job.reuses {
                let known = self.prefixes[grade as usize].find(&job.tokens, self.model.pools());
                Sequence::beginning_with(known)
            } else {
                Sequence::of(grade)
            };
            job.reused = job.sequence.length();
            job.stage = Stage::Prompting;
        }
    }

    fn harvest(&mut self, plan: &[Turn], logits: &mut [f32], produced: &mut Vec<Produced>) {
        let width = self.model.architecture().vocabulary as usize;
        let mut rows = logits.chunks_exact_mut(width);
        let mut ended = Vec::new();
        for turn in plan {
            let job = &mut self.jobs[turn.job];
            job.sequence.advance(turn.count, self.model.pools());
            if job.stage == Stage::Prompting && !job.is_recomputed {
                produced.push(Produced::Prefill {
                    job: job.id,
                    processed: job.sequence.length(),
                    total: job.prompt,
                    reused: job.reused,
                });
            }
            if job.left() > 0 {
                // The prompt goes on. Its state is now that of its last whole page, and will not be again.
                if self.model.has_states() && job.is_at_last_page() {
                    self.prefixes[job.sequence.grade() as usize].keep(
                        &job.tokens,
                        &job.sequence,
                        self.model.pools(),
                    );
                }
                continue;
            }
            if job.stage == Stage::Prompting {
                job.stage = Stage::Answering;
                self.prefixes[job.sequence.grade() as usize].keep(
                    &job.tokens,
                    &job.sequence,
                    self.model.pools(),
                );
            }
            let Some(row) = rows.next() else { continue };
            match job.sampler.sample(row) {
                Ok(sampled) => {
                    let end = job.add(sampled.token);
                    if end.is_some() {
                        ended.push(turn.job);
                    }
                    produced.push(Produced::Token { job: job.id, sampled, end });
                }
                Err(error) => {
                    ended.push(turn.job);
                    produced.push(Produced::Failed { job: job.id, error });
                }
            }
        }
        ended.sort_unstable();
        for at in ended.into_iter().rev() {
            self.end(at);
        }
    }

    /// A text is over: what it computed may serve another.
    fn end(&mut self, at: usize) {
        if let Some(job) = self.jobs.remove(at) {
            self.prefixes[job.sequence.grade() as usize].keep(&job.tokens, &job.sequence, self.model.pools());
            job.sequence.end(self.model.pools());
            // Whatever the device says to that, memory that stays is found again in the next relief.
            let _ = self.retire_small_cache();
        }
    }
}

/// What a plan comes to.
enum Plan {
    Turns(Vec<Turn>),
    /// The oldest text cannot have its memory.
    Starved,
}

/// A text's part of a step.
struct Turn {
    job: usize,
    count: u32,
}
