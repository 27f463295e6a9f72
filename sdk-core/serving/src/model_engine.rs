//! The engine that the worker is given: a [`Host`], in the worker's words.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
};

use exo_engine::{Model, chat::Event};
use exo_models::Progress;
use exo_node::{
    now::Moment,
    worker::{Capacity, Engine, EngineError, Fetched, Fetching, Report, Step, Suitable, Wake},
};
use exo_wire::{
    ModelId, RunnerId, TaskId, gathered::Backend, shard::ShardMetadata, text::TextGenerationTaskParams,
};

use crate::{
    AnswerNews, Delivery, Error, FetchNews, Host, Lease, LoadNews, Question, fault, host::in_words,
    models::bytes_in, request, said,
};

/// A host's models, for exo.
///
/// What the host tells comes on its thread and waits in an inbox until the worker's thread, which was woken, looks. So
/// it is stamped: what was told of something that is over by then is passed over.
pub struct ModelEngine {
    host: Host,
    /// Models that are on their way here.
    awaited: BTreeMap<RunnerId, Awaited>,
    runners: BTreeMap<RunnerId, Held>,
    answers: BTreeMap<TaskId, Asked>,
    inbox: Receiver<(Stamp, News)>,
    post: Post,
    /// What was known at once, for the next step.
    told: Vec<Report>,
    stamps: Stamp,
    share: f64,
    capacity: Capacity,
}

type Stamp = u64;

/// A model that exo wants here and that comes. It is not waited for any more when this is dropped.
#[derive(Debug)]
struct Awaited {
    stamp: Stamp,
    shard: ShardMetadata,
    _delivery: Delivery,
}

/// A model that exo wants here.
#[derive(Debug)]
struct Held {
    stamp: Stamp,
    model: ModelId,
    lease: Lease,
    /// While it is tried out.
    trial: Option<(Stamp, Question)>,
}

/// A question of exo's. It is taken back when this is dropped.
#[derive(Debug)]
struct Asked {
    stamp: Stamp,
    runner: RunnerId,
    _question: Option<Question>,
}

#[derive(Debug)]
enum News {
    Fetch(RunnerId, FetchNews),
    Load(RunnerId, LoadNews),
    Trial(RunnerId, AnswerNews),
    Answer(TaskId, AnswerNews),
    /// What is used or offered changed.
    Change,
}

/// Puts news into the inbox, and wakes who reads them.
#[derive(Clone)]
struct Post {
    sender: Sender<(Stamp, News)>,
    wake: Arc<Mutex<Option<Wake>>>,
}

impl Post {
    fn send(&self, stamp: Stamp, news: News) {
        // Whoever reads it may be gone.
        let _ = self.put(stamp, news);
    }

    /// Whether somebody will read it.
    fn put(&self, stamp: Stamp, news: News) -> bool {
        let is_read = self.sender.send((stamp, news)).is_ok();
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
        is_read
    }
}

impl ModelEngine {
    /// Nothing is loaded until the worker wants it.
    pub fn new(host: Host) -> Self {
        let (sender, inbox) = mpsc::channel();
        let post = Post { sender, wake: Arc::default() };
        let told = post.clone();
        host.on_change(move || told.put(0, News::Change));
        let mut engine = Self {
            host,
            awaited: BTreeMap::new(),
            runners: BTreeMap::new(),
            answers: BTreeMap::new(),
            inbox,
            post,
            told: Vec::new(),
            stamps: 0,
            share: 1.0,
            capacity: Capacity::default(),
        };
        engine.measure();
        engine
    }

    fn measure(&mut self) {
        let at_once = self.host.settings().at_once.clamp(1, Model::MOST_WANTED as usize - 1);
        let (used, room, fetches) = (self.host.used(), self.host.room(), self.host.fetches());
        self.capacity = Capacity { used, room, fetches, at_once };
    }

    fn stamp(&mut self) -> Stamp {
        self.stamps += 1;
        self.stamps
    }

    /// Whether the cluster may have it.
    fn wanted(&self, model: &ModelId) -> Result<(), Error> {
        if self.host.is_offered(model) {
            return Ok(());
        }
        let offered = in_words(self.host.offered().unwrap_or_default());
        Err(Error::NotOffered { model: model.clone(), offered })
    }

    fn examined(&self, shard: &ShardMetadata) -> Result<Suitable, Error> {
        let card = shard.model_card();
        self.wanted(&card.model_id)?;
        let Ok(directory) = self.host.directory(&card.model_id) else {
            let memory = self.host.might_fetch(&card.model_id, card.storage_size.in_bytes())?;
            return Ok(Suitable { memory, stored: None });
        };
        let (layers, told) = (Model::layers_in(&directory)?, card.n_layers.get());
        if layers as u64 != u64::from(told) {
            let what = format!("it has {layers} layers, and {told} by the model's card");
            return Err(exo_engine::Error::InvalidModel { file: "config.json".into(), what }.into());
        }
        // One that is loaded is shared: it takes nothing more.
        let is_loaded = self.host.is_loaded(&card.model_id);
        let memory = if is_loaded { 0 } else { self.host.fits(&card.model_id)? };
        Ok(Suitable { memory, stored: Some(bytes_in(&directory)) })
    }

    fn fail(&mut self, runner: &RunnerId, error: &EngineError, tell: &mut dyn FnMut(Report)) {
        self.runners.remove(runner);
        tell(Report::Failed(runner.clone(), error.clone()));
    }

    /// The owner may have taken back what the cluster has here.
    fn give_back_unoffered(&mut self, tell: &mut dyn FnMut(Report)) {
        let refused =
            |(runner, held): (&RunnerId, &Held)| Some((runner.clone(), self.wanted(&held.model).err()?));
        let refused: Vec<_> = self.runners.iter().filter_map(refused).collect();
        for (runner, error) in refused {
            self.fail(&runner, &fault::of_model(&error), tell);
        }
    }

    fn read(&mut self, stamp: Stamp, news: News, tell: &mut dyn FnMut(Report)) {
        match news {
            News::Change => {
                self.measure();
                self.give_back_unoffered(tell);
            }
            News::Fetch(runner, news) => {
                if self.awaited.get(&runner).is_some_and(|awaited| awaited.stamp == stamp) {
                    self.delivered(runner, news, tell);
                }
            }
            News::Load(runner, news) => {
                if self.runners.get(&runner).is_none_or(|held| held.stamp != stamp) {
                    return;
                }
                match news {
                    LoadNews::Layers(layers) => tell(Report::Loading(runner, layers)),
                    LoadNews::Ready(_) => tell(Report::Loaded(runner)),
                    LoadNews::Failed(error) => self.fail(&runner, &fault::of_model(&error), tell),
                }
            }
            News::Trial(runner, news) => {
                let Some(held) = self.runners.get_mut(&runner) else { return };
                if held.trial.as_ref().is_none_or(|(of, _)| *of != stamp) {
                    return;
                }
                match news {
                    AnswerNews::Reading { .. } => {}
                    AnswerNews::Said(_) => {
                        held.trial = None;
                        tell(Report::WarmedUp(runner));
                    }
                    AnswerNews::Failed(error) => self.fail(&runner, &fault::of_model(&error), tell),
                }
            }
            News::Answer(task, news) => {
                if self.answers.get(&task).is_some_and(|asked| asked.stamp == stamp) {
                    self.answer(task, news, tell);
                }
            }
        }
    }

    fn delivered(&mut self, runner: RunnerId, news: FetchNews, tell: &mut dyn FnMut(Report)) {
        let outcome = match news {
            FetchNews::Progress(progress) => return tell(Report::Fetching(runner, so_far(progress))),
            FetchNews::Here => Ok(()),
            FetchNews::Failed(error) => Err(error),
        };
        let Some(Awaited { shard, .. }) = self.awaited.remove(&runner) else { return };
        // What could be known before it was here may not have been true.
        tell(match outcome.and_then(|()| self.examined(&shard)) {
            Ok(suitable) => Report::Fetched(runner, Fetched { total: suitable.stored.unwrap_or_default() }),
            Err(error) => Report::Failed(runner, fault::of_model(&error)),
        });
    }

    fn answer(&mut self, task: TaskId, news: AnswerNews, tell: &mut dyn FnMut(Report)) {
        let token = match news {
            AnswerNews::Reading { done, total } => return tell(Report::Reading(task, done, total)),
            AnswerNews::Said(Event::Said(said)) => said::token(said),
            AnswerNews::Said(Event::ToolCalls { calls, usage }) => said::tool_calls(calls, usage),
            AnswerNews::Failed(error) => {
                self.answers.remove(&task);
                return tell(Report::NotAnswered(task, fault::of_question(&error)));
            }
        };
        if token.finish.is_some() {
            self.answers.remove(&task);
        }
        tell(Report::Token(task, token));
    }
}

impl Engine for ModelEngine {
    fn backends(&self) -> Vec<Backend> {
        // exo has no name for what is not MLX. This is the one that promises least.
        vec![Backend::MlxCpu]
    }

    fn wake_with(&mut self, wake: Wake) {
        let mut kept = self.post.wake.lock().unwrap_or_else(PoisonError::into_inner);
        // What was told before lies in the inbox.
        kept.insert(wake)();
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn examine(&mut self, shard: &ShardMetadata) -> Result<Suitable, EngineError> {
        self.measure();
        self.examined(shard).map_err(|error| fault::of_model(&error))
    }

    fn fetch(&mut self, runner: &RunnerId, shard: &ShardMetadata) {
        if let Err(error) = self.wanted(&shard.model_card().model_id) {
            return self.told.push(Report::Failed(runner.clone(), fault::of_model(&error)));
        }
        let stamp = self.stamp();
        let (post, of) = (self.post.clone(), runner.clone());
        let tell = move |news| post.send(stamp, News::Fetch(of.clone(), news));
        let delivery = self.host.fetch(&shard.model_card().model_id, tell);
        let awaited = Awaited { stamp, shard: shard.clone(), _delivery: delivery };
        self.awaited.insert(runner.clone(), awaited);
    }

    fn load(&mut self, runner: &RunnerId, shard: &ShardMetadata) {
        let model = shard.model_card().model_id.clone();
        if let Err(error) = self.wanted(&model) {
            return self.told.push(Report::Failed(runner.clone(), fault::of_model(&error)));
        }
        let stamp = self.stamp();
        let (post, of) = (self.post.clone(), runner.clone());
        let tell = move |news| post.send(stamp, News::Load(of.clone(), news));
        let lease = self.host.load(&model, tell);
        lease.set_share(self.share);
        self.runners.insert(runner.clone(), Held { stamp, model, lease, trial: None });
    }

    fn warm_up(&mut self, runner: &RunnerId) {
        let stamp = self.stamp();
        let (post, of) = (self.post.clone(), runner.clone());
        match self.runners.get_mut(runner) {
            Some(held) => {
                let tell = move |news| post.send(stamp, News::Trial(of.clone(), news));
                held.trial = Some((stamp, held.lease.try_out(tell)));
            }
            None => self.told.push(Report::Failed(of, fault::of_model(&Error::NotLoaded))),
        }
    }

    fn generate(&mut self, runner: &RunnerId, task: &TaskId, request: &Arc<TextGenerationTaskParams>) {
        let stamp = self.stamp();
        let (post, of) = (self.post.clone(), task.clone());
        let tell = move |news| post.send(stamp, News::Answer(of.clone(), news));
        let question = match (self.runners.get(runner), request::of(request)) {
            (Some(held), Ok(request)) => Some(held.lease.ask(request, tell)),
            (None, _) => {
                tell(AnswerNews::Failed(Error::NotLoaded));
                None
            }
            (_, Err(error)) => {
                tell(AnswerNews::Failed(error.into()));
                None
            }
        };
        self.answers.insert(task.clone(), Asked { stamp, runner: runner.clone(), _question: question });
    }

    fn cancel(&mut self, task: &TaskId) {
        self.answers.remove(task);
    }

    fn unload(&mut self, runner: &RunnerId) {
        self.told.retain(|report| !concerns(report, runner));
        self.answers.retain(|_, asked| asked.runner != *runner);
        self.awaited.remove(runner);
        self.runners.remove(runner);
        self.host.settle();
        self.measure();
    }

    fn set_share(&mut self, share: f64) {
        self.share = share;
        for held in self.runners.values() {
            held.lease.set_share(share);
        }
    }

    fn step(&mut self, _: Moment, tell: &mut dyn FnMut(Report)) -> Step {
        for report in self.told.drain(..) {
            tell(report);
        }
        while let Ok((stamp, news)) = self.inbox.try_recv() {
            self.read(stamp, news, tell);
        }
        // The host computes, and wakes us.
        Step::Idle
    }
}

impl fmt::Debug for ModelEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelEngine")
            .field("awaited", &self.awaited)
            .field("runners", &self.runners)
            .field("answers", &self.answers.len())
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

fn so_far(progress: Progress) -> Fetching {
    let Progress { done, total, fresh, files_done, files, speed } = progress;
    Fetching { done, total, fresh, files_done, files, speed }
}

fn concerns(report: &Report, runner: &RunnerId) -> bool {
    matches!(report, Report::Failed(of, _) if of == runner)
}
