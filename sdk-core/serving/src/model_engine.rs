//! The engine that the worker is given.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use exo_engine::{CacheType, ErrorKind, LoadOptions, MemoryPlan, Model, text};
use exo_gpu::Gpu;
use exo_node::{
    now::Moment,
    worker::{Capacity, Engine, EngineError, Fault, Fetched, Report, Step, Suitable},
};
use exo_wire::{
    ModelId, RunnerId, TaskId, gathered::Backend, shard::ShardMetadata, text::TextGenerationTaskParams,
};

use crate::{
    Models, fault,
    loading::Loading,
    models::bytes_in,
    pace::Pace,
    request,
    runner::{Loaded, Runner},
};

/// A context below which a conversation is none: a model that has no room for it is refused.
const LEAST_CONTEXT: u32 = 1024;
/// How often a load is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How models are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Positions of all conversations of a model together. Halved, and halved again, where memory is short.
    pub context: u32,
    /// How keys and values are kept.
    pub cache: CacheType,
    /// How many answers a model makes at once. More wait.
    pub at_once: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { context: 4096, cache: CacheType::default(), at_once: 4 }
    }
}

/// Models of [`Models`] on one device.
pub struct ModelEngine {
    gpu: Gpu,
    models: Box<dyn Models>,
    settings: Settings,
    runners: BTreeMap<RunnerId, Runner>,
    told: VecDeque<Report>,
    pace: Pace,
    capacity: Capacity,
}

impl ModelEngine {
    /// Nothing is loaded until the worker wants it. What may be used is the device's budget: set a cap when it is opened.
    pub fn new(gpu: Gpu, models: impl Models + 'static, settings: Settings) -> Self {
        let mut engine = Self {
            gpu,
            models: Box::new(models),
            settings,
            runners: BTreeMap::new(),
            told: VecDeque::new(),
            pace: Pace::full(),
            capacity: Capacity::default(),
        };
        engine.measure();
        engine
    }

    /// Whether a model at hand could be loaded now: the bytes that it would use, or the refusal.
    pub fn fits(&self, model: &ModelId) -> Result<u64, EngineError> {
        let directory = self.directory(model)?;
        self.fitting(&directory).map(|(_, plan)| plan.total()).map_err(|error| fault::of_model(&error))
    }

    /// The largest context that fits, and what the model takes with it; or the refusal of the one that was wished.
    fn fitting(&self, directory: &Path) -> exo_engine::Result<(LoadOptions, MemoryPlan)> {
        let most = Model::architecture_in(directory)?.context;
        let context = self.settings.context.min(most);
        let mut options = LoadOptions { context, cache: self.settings.cache, ..LoadOptions::default() };
        let admit = |options: &LoadOptions| Model::admit(self.gpu.device(), directory, options);
        let refusal = match admit(&options) {
            Ok(plan) => return Ok((options, plan)),
            Err(refusal) => refusal,
        };
        while refusal.kind() == ErrorKind::OutOfMemory && options.context / 2 >= LEAST_CONTEXT {
            options.context /= 2;
            if let Ok(plan) = admit(&options) {
                return Ok((options, plan));
            }
        }
        Err(refusal)
    }

    /// What is used, and the largest model at hand that would fit besides. Offering more would draw models here that
    /// nobody could fetch.
    fn measure(&mut self) {
        let used = self.runners.values().map(|runner| match runner {
            Runner::Loaded(loaded) => loaded.memory(),
            _ => 0,
        });
        let size = |model: &ModelId| {
            let directory = self.models.directory(model)?;
            self.fitting(&directory).ok().map(|_| bytes_in(&directory))
        };
        let room = self.models.at_hand().iter().filter_map(size).max().unwrap_or(0);
        let at_once = self.settings.at_once.clamp(1, Model::MOST_WANTED as usize - 1);
        self.capacity = Capacity { used: used.sum(), room, at_once };
    }

    fn directory(&self, model: &ModelId) -> Result<PathBuf, EngineError> {
        self.models.directory(model).ok_or_else(|| {
            let here: Vec<String> = self.models.at_hand().iter().map(ToString::to_string).collect();
            let here = if here.is_empty() { "none".to_owned() } else { here.join(", ") };
            let why = format!(
                "{model} is not on this device, which fetches no models: put it there, or place one that it has ({here})"
            );
            EngineError::new(Fault::Unsuitable, why)
        })
    }

    fn fail(&mut self, runner: &RunnerId, error: EngineError) {
        self.runners.insert(runner.clone(), Runner::Failed);
        self.told.push_back(Report::Failed(runner.clone(), error));
        self.measure();
    }

    /// Looks after the model that is being loaded, and begins with the next. Whether there is one.
    fn load_on(&mut self, tell: &mut dyn FnMut(Report)) -> bool {
        let loading = self.runners.iter_mut().find(|(_, runner)| matches!(runner, Runner::Loading(_)));
        if let Some((id, runner)) = loading {
            let Runner::Loading(loading) = runner else { return false };
            if let Some(layers) = loading.progress() {
                tell(Report::Loading(id.clone(), layers));
            }
            if !loading.is_over() {
                return true;
            }
            let id = id.clone();
            if let Some(Runner::Loading(loading)) = self.runners.remove(&id) {
                match loading.end() {
                    Ok(engine) => {
                        self.runners.insert(id.clone(), Runner::Loaded(Box::new(Loaded::new(engine))));
                        self.measure();
                        self.told.push_back(Report::Loaded(id));
                    }
                    Err(error) => self.fail(&id, error),
                }
            }
        }
        let queued = self.runners.iter_mut().find(|(_, runner)| matches!(runner, Runner::Queued(..)));
        let Some((id, runner)) = queued else { return false };
        let id = id.clone();
        if let Runner::Queued(directory, options) = std::mem::replace(runner, Runner::Failed) {
            match Loading::start(self.gpu.device().clone(), directory, options) {
                Ok(loading) => *runner = Runner::Loading(loading),
                Err(error) => {
                    let why = format!("no thread to load the model on: {error}; it is tried again");
                    self.fail(&id, EngineError::new(Fault::Passing, why));
                }
            }
        }
        true
    }

    /// A step of every model that has something to do. When the next may come; nothing if there is none to come.
    fn compute(&mut self, now: Moment, tell: &mut dyn FnMut(Report)) -> Option<Duration> {
        let is_busy = |runner: &Runner| matches!(runner, Runner::Loaded(loaded) if !loaded.is_idle());
        // A device that may do nothing hears of its next share as a wish.
        if self.pace.is_halted() || !self.runners.values().any(is_busy) {
            return None;
        }
        if let Some(wait) = self.pace.wait(now) {
            return Some(wait);
        }
        let (began, mut lost) = (Instant::now(), Vec::new());
        for (id, runner) in &mut self.runners {
            if let Runner::Loaded(loaded) = runner
                && !loaded.is_idle()
                && let Err(error) = loaded.step(id, tell)
            {
                lost.push((id.clone(), error));
            }
        }
        for (id, error) in lost {
            self.fail(&id, error);
        }
        let busy = began.elapsed();
        self.pace.worked(now, busy);
        Some(self.pace.wait(now + busy).unwrap_or_default())
    }
}

impl Engine for ModelEngine {
    fn backends(&self) -> Vec<Backend> {
        // exo has no name for what is not MLX. This is the one that promises least.
        vec![Backend::MlxCpu]
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn examine(&mut self, shard: &ShardMetadata) -> Result<Suitable, EngineError> {
        self.measure();
        let card = shard.model_card();
        let directory = self.directory(&card.model_id)?;
        let layers = Model::layers_in(&directory).map_err(|error| fault::of_model(&error))?;
        if layers as u64 != u64::from(card.n_layers.get()) {
            let why = format!(
                "{} has {} layers by its card and {layers} in its files on this device: download it again",
                card.model_id, card.n_layers
            );
            return Err(EngineError::new(Fault::Unsuitable, why));
        }
        Ok(Suitable { memory: self.fits(&card.model_id)?, stored: Some(bytes_in(&directory)) })
    }

    fn fetch(&mut self, runner: &RunnerId, shard: &ShardMetadata) {
        self.told.push_back(match self.directory(&shard.model_card().model_id) {
            Ok(directory) => Report::Fetched(runner.clone(), Fetched { total: bytes_in(&directory) }),
            Err(error) => Report::Failed(runner.clone(), error),
        });
    }

    fn load(&mut self, runner: &RunnerId, shard: &ShardMetadata) {
        let planned = self.directory(&shard.model_card().model_id).and_then(|directory| {
            let (options, _) = self.fitting(&directory).map_err(|error| fault::of_model(&error))?;
            Ok(Runner::Queued(directory, options))
        });
        match planned {
            Ok(queued) => {
                self.runners.insert(runner.clone(), queued);
            }
            Err(error) => self.fail(runner, error),
        }
    }

    fn warm_up(&mut self, runner: &RunnerId) {
        let begun = match self.runners.get_mut(runner) {
            Some(Runner::Loaded(loaded)) => loaded.warm_up().map_err(|error| fault::of_model(&error)),
            _ => Err(not_loaded()),
        };
        if let Err(error) = begun {
            self.fail(runner, error);
        }
    }

    fn generate(&mut self, runner: &RunnerId, task: &TaskId, request: &Arc<TextGenerationTaskParams>) {
        let begun = match self.runners.get_mut(runner) {
            Some(Runner::Loaded(loaded)) => request::of(request)
                .and_then(|request| loaded.answer(task.clone(), &request, today()))
                .map_err(|error| fault::of_question(&error)),
            _ => Err(not_loaded()),
        };
        if let Err(error) = begun {
            self.told.push_back(Report::NotAnswered(task.clone(), error));
        }
    }

    fn cancel(&mut self, task: &TaskId) {
        self.told.retain(|report| !matches!(report, Report::NotAnswered(of, _) if of == task));
        for runner in self.runners.values_mut() {
            if let Runner::Loaded(loaded) = runner
                && loaded.cancel(task)
            {
                return;
            }
        }
    }

    fn unload(&mut self, runner: &RunnerId) {
        self.told.retain(|report| !concerns(report, runner));
        if let Some(Runner::Loading(loading)) = self.runners.remove(runner) {
            loading.stop();
        }
        // What no buffer uses goes back to the system: others on this device may need it.
        let _ = self.gpu.device().trim();
        self.measure();
    }

    fn set_share(&mut self, share: f64) {
        self.pace.set_share(share);
    }

    fn step(&mut self, now: Moment, tell: &mut dyn FnMut(Report)) -> Step {
        while let Some(report) = self.told.pop_front() {
            tell(report);
        }
        let loads = self.load_on(tell);
        let computes = self.compute(now, tell);
        while let Some(report) = self.told.pop_front() {
            tell(report);
        }
        match (computes, loads) {
            (Some(wait), _) if wait.is_zero() => Step::Again,
            (Some(wait), true) => Step::After(wait.min(LOOK_EVERY)),
            (Some(wait), false) => Step::After(wait),
            (None, true) => Step::After(LOOK_EVERY),
            (None, false) => Step::Idle,
        }
    }
}

impl fmt::Debug for ModelEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelEngine")
            .field("settings", &self.settings)
            .field("runners", &self.runners)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

fn concerns(report: &Report, runner: &RunnerId) -> bool {
    match report {
        Report::Fetched(of, _) | Report::Loaded(of) | Report::WarmedUp(of) | Report::Failed(of, _) => {
            of == runner
        }
        _ => false,
    }
}

fn not_loaded() -> EngineError {
    EngineError::new(Fault::Passing, "the model is not loaded on this device any more: ask again")
}

/// The date, for templates that tell it.
fn today() -> text::Moment {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    text::Moment::from_unix(since.as_secs().cast_signed())
}
