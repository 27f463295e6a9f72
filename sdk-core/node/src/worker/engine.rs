//! What computes, as the worker needs it: a trait that engines implement.

use std::{fmt, sync::Arc, time::Duration};

use exo_wire::{
    RunnerId, TaskId,
    chunk::{TokenFinish, ToolCallItem},
    gathered::Backend,
    shard::ShardMetadata,
    text::TextGenerationTaskParams,
};

use crate::now::Moment;

/// Has an engine's [`Engine::step`] called soon. From any thread.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Loads models and makes tokens.
///
/// It is asked on a thread of its own, which it may keep busy. Nothing here waits for a result: an order is taken, and
/// [`step`](Self::step) does a small piece of all that was ordered (a token of each answer, some layers, a part of a
/// download) and tells what came of it. Between two steps orders are taken, so an answer that is no longer wanted ends
/// within one token. What panics breaks the engine, not the node.
pub trait Engine: Send {
    /// What it is called in exo's words. None: nothing is ever offered.
    fn backends(&self) -> Vec<Backend>;

    /// For an engine that others use too, or that computes on threads of its own: call this when there is something to
    /// tell though nothing was wished.
    fn wake_with(&mut self, wake: Wake) {
        let _ = wake;
    }

    /// What it uses and what it could take.
    fn capacity(&self) -> Capacity;

    /// Whether it could run this part of a model here and now, before anything is fetched or loaded.
    fn examine(&mut self, shard: &ShardMetadata) -> Result<Suitable, EngineError>;

    /// Fetch the weights: [`Report::Fetching`], then [`Report::Fetched`] or [`Report::Failed`].
    fn fetch(&mut self, runner: &RunnerId, shard: &ShardMetadata);

    /// Load them: [`Report::Loading`], then [`Report::Loaded`] or [`Report::Failed`].
    fn load(&mut self, runner: &RunnerId, shard: &ShardMetadata);

    /// Try the model out: [`Report::WarmedUp`] or [`Report::Failed`].
    fn warm_up(&mut self, runner: &RunnerId);

    /// Answer: [`Report::Reading`] while the prompt is read, a [`Report::Token`] for every token, the last with its
    /// [`Finish`]; or [`Report::NotAnswered`].
    fn generate(&mut self, runner: &RunnerId, task: &TaskId, request: &Arc<TextGenerationTaskParams>);

    /// Stop answering. Nothing more is told of it.
    fn cancel(&mut self, task: &TaskId);

    /// Let go of everything of that runner, whatever it does. Nothing more is told of it.
    fn unload(&mut self, runner: &RunnerId);

    /// Use no more than this part of the device: 0 to 1. At 0 nothing is computed.
    fn set_share(&mut self, share: f64);

    /// Does a small piece of what was ordered. `now` is the node's clock.
    fn step(&mut self, now: Moment, tell: &mut dyn FnMut(Report)) -> Step;
}

/// What an engine wants after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    Again,
    /// There is more to do, but not before so much time has passed.
    After(Duration),
    /// Everything is done.
    Idle,
}

/// What an engine uses and could take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capacity {
    /// Bytes that it holds.
    pub used: u64,
    /// The largest model that it would load now, in bytes of weights as model cards count them: what the cache and the
    /// arithmetic need besides is already taken off.
    pub room: u64,
    /// The largest model that it would fetch first, counted in the same way; none if it fetches nothing.
    pub fetches: u64,
    /// How many answers it makes at once. More wait.
    pub at_once: usize,
}

/// A part of a model that could run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suitable {
    /// Bytes that it would use beyond what is used now.
    pub memory: u64,
    /// Whether its weights are here already, and how many bytes they are.
    pub stored: Option<u64>,
}

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fetching {
    /// Bytes that are there.
    pub done: u64,
    /// Bytes that there will be.
    pub total: u64,
    /// Of those that are there, how many came in this run.
    pub fresh: u64,
    /// Files that are there.
    pub files_done: u32,
    /// All files.
    pub files: u32,
    /// Bytes a second.
    pub speed: f64,
}

impl Fetching {
    /// Nothing came, and it is not known what will.
    pub(super) const NONE: Self = Self { done: 0, total: 0, fresh: 0, files_done: 0, files: 0, speed: 0.0 };
}

/// Weights that are there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fetched {
    /// Bytes.
    pub total: u64,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Token {
    /// What to append. May be empty: a token can be a part of a character, or the end of the text.
    pub text: String,
    /// Which.
    pub id: u32,
    /// Whether it belongs to the reasoning.
    pub thinking: bool,
    /// The logarithm of its probability, where that was asked for.
    pub logprob: Option<f64>,
    /// The likeliest others, where those were asked for.
    pub top: Vec<TopToken>,
    /// Why it is the last one, if it is.
    pub finish: Option<Finish>,
}

/// A likely token.
#[derive(Debug, Clone, PartialEq)]
pub struct TopToken {
    /// Its text.
    pub text: String,
    /// The logarithm of its probability.
    pub logprob: f64,
    /// Its bytes, where they are no text.
    pub bytes: Option<Vec<u8>>,
}

/// The end of an answer, with its bill: an engine makes tokens that it does not tell, for tags and for calls of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// Why it ends.
    pub reason: TokenFinish,
    /// Tools that the model wants called. With any, they are the reason.
    pub tool_calls: Vec<ToolCallItem>,
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Of those, how many were known from before.
    pub cached_tokens: u32,
    /// Tokens that were made.
    pub completion_tokens: u32,
    /// Of those, how many were reasoning.
    pub reasoning_tokens: u32,
}

/// What an engine is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// [`Engine::examine`].
    Examine(RunnerId, ShardMetadata),
    /// [`Engine::fetch`].
    Fetch(RunnerId, ShardMetadata),
    /// [`Engine::load`].
    Load(RunnerId, ShardMetadata),
    /// [`Engine::warm_up`].
    WarmUp(RunnerId),
    /// [`Engine::generate`].
    Generate(RunnerId, TaskId, Arc<TextGenerationTaskParams>),
    /// [`Engine::cancel`].
    Cancel(TaskId),
    /// [`Engine::unload`].
    Unload(RunnerId),
    /// [`Engine::set_share`].
    SetShare(f64),
}

impl Wish {
    /// Asks it of an engine, on whatever thread that lives; some wishes are answered at once.
    pub fn put_to(self, engine: &mut dyn Engine) -> Option<Report> {
        match self {
            Self::Examine(runner, shard) => return Some(Report::Examined(runner, engine.examine(&shard))),
            Self::Fetch(runner, shard) => engine.fetch(&runner, &shard),
            Self::Load(runner, shard) => engine.load(&runner, &shard),
            Self::WarmUp(runner) => engine.warm_up(&runner),
            Self::Generate(runner, task, request) => engine.generate(&runner, &task, &request),
            Self::Cancel(task) => engine.cancel(&task),
            Self::Unload(runner) => {
                engine.unload(&runner);
                return Some(Report::Unloaded(runner));
            }
            Self::SetShare(share) => engine.set_share(share),
        }
        None
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// From whoever runs the engine: what it uses and could take, whenever that changed.
    Capacity(Capacity),
    /// From whoever runs the engine: what [`Engine::examine`] said.
    Examined(RunnerId, Result<Suitable, EngineError>),
    /// A download goes on.
    Fetching(RunnerId, Fetching),
    /// The weights are there.
    Fetched(RunnerId, Fetched),
    /// So many layers are loaded.
    Loading(RunnerId, u32),
    /// The model is loaded.
    Loaded(RunnerId),
    /// It works.
    WarmedUp(RunnerId),
    /// So many tokens of the prompt were read, of so many.
    Reading(TaskId, u32, u32),
    /// A token.
    Token(TaskId, Token),
    /// An answer went wrong; the runner goes on.
    NotAnswered(TaskId, EngineError),
    /// A runner cannot go on, whatever it did.
    Failed(RunnerId, EngineError),
    /// From whoever runs the engine: [`Engine::unload`] is done.
    Unloaded(RunnerId),
    /// From whoever runs the engine: it broke, and nothing can be asked of it any more.
    Broken(String),
}

/// What a fault means for what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// It can never be done on this device: another architecture, too large.
    Unsuitable,
    /// It may work another time: a download that broke off, a device that was lost.
    Passing,
    /// What was asked is wrong: a prompt too long, a template that fails.
    Request,
}

/// Why an engine did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineError {
    /// What it means.
    pub fault: Fault,
    /// For people: what was wrong, what was expected, what to do.
    pub message: String,
}

impl EngineError {
    /// That fault, in these words.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into() }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EngineError {}
