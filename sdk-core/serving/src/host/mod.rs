//! Models on one device, for all who want answers of them: the app's own chats, programs on this computer, the cluster.
//!
//! ```text
//!   app, program ── Lease::ask ──▶ orders ──▶ one thread ── a step of each model ──▶ exo_engine::Engine, one a model
//!   worker       ── Lease::ask ──▶                │
//!                ◀── a call for each piece ───────┘
//! ```
//! A model is loaded once, whoever wants it, and let go of with its last [`Lease`]. Nothing here waits for the device:
//! an order is taken between two steps, so that an answer that nobody wants any more ends within one token. What comes
//! of an order is told by a call on the host's thread, which must not block: it is a queue's other end.

mod board;
mod delivery;
mod hosted;
mod order;
mod work;

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use exo_engine::{
    ErrorKind, LoadOptions, MemoryPlan, Model, Relief,
    chat::{ChatRequest, Event},
};
use exo_gpu::Gpu;
use exo_wire::ModelId;

use crate::{Error, Models, Result, Settings, Supply, models::bytes_in};
use board::Board;
use delivery::Deliveries;
pub use delivery::{Delivery, FetchNews};
use order::{Asked, Order};
use work::Work;

/// A context below which a conversation is none: a model that has no room for it is refused.
const LEAST_CONTEXT: u32 = 1024;

/// Models of [`Models`] on one device. Clones are the same host; it ends with the last of them and of their leases, or
/// when it is closed.
#[derive(Clone)]
pub struct Host {
    house: Arc<House>,
    orders: Sender<Order>,
}

/// What does not change, and what everybody may read.
pub(crate) struct House {
    pub(crate) gpu: Gpu,
    pub(crate) models: Box<dyn Models>,
    pub(crate) settings: Settings,
    pub(crate) board: Board,
    deliveries: Deliveries,
    names: AtomicU64,
    /// Orders that nobody takes any more, once the host is over.
    late: Mutex<Option<Receiver<Order>>>,
}

/// A model as it lies on this device.
#[derive(Clone, Debug)]
pub struct Shelved {
    /// What it is called.
    pub model: ModelId,
    /// Bytes of its files.
    pub bytes: u64,
    /// Bytes of memory that it uses, or would use if it were loaded now; or why it cannot be.
    pub memory: Result<u64>,
    /// Whether it is loaded.
    pub is_loaded: bool,
}

/// What becomes of a model that somebody wants loaded.
#[derive(Clone, Debug)]
pub enum LoadNews {
    /// So many layers are there.
    Layers(u32),
    /// It can be asked.
    Ready(Ready),
    /// It is not there, or not any more. Nothing more is told.
    Failed(Error),
}

/// A model that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Bytes that it uses.
    pub memory: u64,
    /// Positions of all its conversations together.
    pub context: u32,
}

/// What becomes of a question.
#[derive(Clone, Debug)]
pub enum AnswerNews {
    /// More of the prompt was read.
    Reading {
        /// Tokens that were.
        done: u32,
        /// Tokens of the prompt.
        total: u32,
    },
    /// A piece of the answer. The last one says so.
    Said(Event),
    /// There is no answer, or no more of it. Nothing more is told.
    Failed(Error),
}

impl Host {
    /// Starts the thread that computes. Nothing is loaded until somebody wants it. What may be used is the device's budget:
    /// set a cap when it is opened.
    pub fn start(gpu: Gpu, models: impl Models + 'static, settings: Settings) -> Result<Self> {
        let (orders, taken) = mpsc::channel();
        let house = Arc::new(House {
            gpu,
            models: Box::new(models),
            settings,
            board: Board::default(),
            deliveries: Deliveries::default(),
            names: AtomicU64::new(0),
            late: Mutex::default(),
        });
        let work = Work::new(house.clone(), taken);
        let started = thread::Builder::new().name("exo-models".into()).spawn(|| work.run());
        started.map_err(|error| Error::System(format!("no thread for the models: {error}; try again")))?;
        Ok(Self { house, orders })
    }

    /// The device that computes.
    pub fn gpu(&self) -> &Gpu {
        &self.house.gpu
    }

    /// How models are run.
    pub fn settings(&self) -> &Settings {
        &self.house.settings
    }

    /// All models that are on this device.
    pub fn shelf(&self) -> Vec<Shelved> {
        let shelved = |model: ModelId| {
            let directory = self.house.models.directory(&model)?;
            let (memory, is_loaded) = (self.fits(&model), self.is_loaded(&model));
            Some(Shelved { bytes: bytes_in(&directory), memory, is_loaded, model })
        };
        self.house.models.at_hand().into_iter().filter_map(shelved).collect()
    }

    /// Where a model is.
    pub fn directory(&self, model: &ModelId) -> Result<PathBuf> {
        self.house.directory(model)
    }

    /// The bytes that a model uses, or would use if it were loaded now; or why it cannot be.
    pub fn fits(&self, model: &ModelId) -> Result<u64> {
        if let Some(memory) = self.house.board.memory_of(model) {
            return Ok(memory);
        }
        let directory = self.house.directory(model)?;
        Ok(self.house.fitting(&directory).map(|(_, plan)| plan.total())?)
    }

    /// Whether it is loaded.
    pub fn is_loaded(&self, model: &ModelId) -> bool {
        self.house.board.memory_of(model).is_some()
    }

    /// Whether somebody wants it: it is loaded, or will be.
    pub fn is_held(&self, model: &ModelId) -> bool {
        self.house.board.is_held(model)
    }

    /// Bytes that loaded models use.
    pub fn used(&self) -> u64 {
        self.house.board.used()
    }

    /// The largest offered model that could be loaded now, in bytes of its files. Offering more would draw models here
    /// that nobody could fetch.
    pub fn room(&self) -> u64 {
        if self.house.board.is_memory_short() {
            return 0;
        }
        let offered = self.house.models.at_hand().into_iter().filter(|model| self.is_offered(model));
        let sizes = offered.filter_map(|model| {
            self.fits(&model).ok()?;
            self.house.models.directory(&model).map(|directory| bytes_in(&directory))
        });
        sizes.max().unwrap_or(0)
    }

    /// Lets the cluster have these models and no others. Before this is said, it may have all.
    pub fn offer(&self, models: BTreeSet<ModelId>) {
        self.house.board.offer(models);
        self.stop_unwanted();
    }

    /// The models that the cluster may have, where the owner said so.
    pub fn offered(&self) -> Option<BTreeSet<ModelId>> {
        self.house.board.offered()
    }

    /// Whether the cluster may have it.
    pub fn is_offered(&self, model: &ModelId) -> bool {
        self.house.board.is_offered(model)
    }

    /// Where models come from that the cluster may have and that are not here; nowhere if there is nothing. Holds at once:
    /// what comes from elsewhere stops, and what came stays.
    pub fn supply_from(&self, supply: Option<Supply>) {
        // What begins meanwhile comes from the new one.
        self.house.board.set_supply(supply);
        self.house.deliveries.stop(|_| true, &exo_models::Error::Cancelled.into());
    }

    /// Wants a model to be on this device: it is fetched, together with whoever wants it too, unless it is here already.
    /// What is fetched is there for everybody.
    pub fn fetch(&self, model: &ModelId, tell: impl FnMut(FetchNews) + Send + 'static) -> Delivery {
        self.house.deliver(model, Box::new(tell))
    }

    /// Whether a model that is not here might be fetched and run, with so many bytes of weights; the memory that it would
    /// take, as far as that is known before its `config.json` is.
    pub fn might_fetch(&self, model: &ModelId, weights: u64) -> Result<u64> {
        let Some(supply) = self.house.board.supply() else { return self.house.directory(model).map(|_| 0) };
        let id: exo_models::ModelId = model.as_str().parse()?;
        let (memory, left) = (with_cache(weights), self.house.memory_left());
        let no_room = |needed, room, place| Err(Error::NoRoom { model: model.clone(), needed, room, place });
        if memory > left {
            return no_room(memory, left, "of memory");
        }
        let (missing, room) = (weights.saturating_sub(supply.kept(&id)), supply.disk_room());
        if missing > room {
            return no_room(missing, room, "of the disk");
        }
        Ok(memory)
    }

    /// The largest model that would be fetched for the cluster, in bytes of weights.
    pub fn fetches(&self) -> u64 {
        let board = &self.house.board;
        let Some(supply) = board.supply().filter(|_| !board.is_memory_short()) else { return 0 };
        let is_missing = |model: &ModelId| self.house.models.directory(model).is_none();
        let only = board.offered().filter(|_| !supply.is_for_any());
        if only.is_some_and(|offered| !offered.iter().any(is_missing)) {
            return 0;
        }
        without_cache(self.house.memory_left()).min(supply.disk_room())
    }

    /// Models came or went on the disk: whoever tells what is offered looks again.
    pub fn look_again(&self) {
        self.house.board.changed();
    }

    /// Whoever hears here is called whenever what is used or offered changed, on any thread, for as long as it answers that it
    /// wants to.
    pub fn on_change(&self, hear: impl Fn() -> bool + Send + Sync + 'static) {
        self.house.board.on_change(Box::new(hear));
    }

    /// Wants a model: it is loaded, or shared with whoever has it loaded.
    pub fn load(&self, model: &ModelId, tell: impl FnMut(LoadNews) + Send + 'static) -> Lease {
        let lease = self.house.name();
        self.order(Order::Load { lease, model: model.clone(), tell: Box::new(tell) });
        Lease { lease, host: self.clone() }
    }

    /// The same, for whoever may wait until it is there.
    pub fn load_and_wait(&self, model: &ModelId) -> Result<(Lease, Ready)> {
        let (tell, told) = mpsc::channel();
        let lease = self.load(model, move |news| drop(tell.send(news)));
        loop {
            match told.recv() {
                Ok(LoadNews::Layers(_)) => {}
                Ok(LoadNews::Ready(ready)) => return Ok((lease, ready)),
                Ok(LoadNews::Failed(error)) => return Err(error),
                Err(mpsc::RecvError) => return Err(Error::Closed),
            }
        }
    }

    /// Memory is short: every loaded model takes the next step of its own (drops what nobody uses, gives new chats a smaller
    /// cache, moves layers to the host where the device has memory of its own, takes no new chats), and nothing more is offered
    /// to the cluster. Say it again while it is short; a minute after the last time all of it is taken back, but for layers on
    /// the host. What each did.
    pub fn relieve(&self) -> Vec<(ModelId, Relief)> {
        let (tell, told) = mpsc::channel();
        self.order(Order::Relieve(tell));
        // A host that is gone holds nothing.
        told.recv().unwrap_or_default()
    }

    /// Waits until every order that was given before is taken: what was let go of has given its memory back.
    pub fn settle(&self) {
        let (done, settled) = mpsc::channel();
        self.order(Order::Settle(done));
        // A host that is gone has nothing to settle.
        let _ = settled.recv();
    }

    /// Lets go of everything. Whoever waits is told that it was closed.
    pub fn close(&self) {
        self.order(Order::Close);
        self.settle();
    }

    /// What the cluster may not have any more does not come for it.
    fn stop_unwanted(&self) {
        let is_unwanted = |model: &ModelId| !self.is_offered(model);
        self.house.deliveries.stop(is_unwanted, &exo_models::Error::Cancelled.into());
    }

    fn order(&self, order: Order) {
        if let Err(mpsc::SendError(order)) = self.orders.send(order) {
            order.refuse(&Error::Closed);
        }
        self.house.refuse_late();
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("settings", &self.house.settings).finish_non_exhaustive()
    }
}

/// A model that somebody wants. Dropping it lets go, and its answers end: whoever waits for one is told.
#[derive(Debug)]
pub struct Lease {
    lease: u64,
    host: Host,
}

impl Lease {
    /// Asks the model, as soon as it is there. `tell` hears of the answer until it ends.
    pub fn ask(&self, request: ChatRequest, tell: impl FnMut(AnswerNews) + Send + 'static) -> Question {
        self.put(Asked::Chat(Box::new(request)), tell)
    }

    /// Makes one token of nothing in particular, so that every kernel ran before somebody waits.
    pub fn try_out(&self, tell: impl FnMut(AnswerNews) + Send + 'static) -> Question {
        self.put(Asked::TryOut, tell)
    }

    /// Uses no more than this part of the device for its questions: 0 to 1. Those who ask the same model take each other
    /// along: the largest share counts.
    pub fn set_share(&self, share: f64) {
        self.host.order(Order::Share(self.lease, share));
    }

    fn put(&self, asked: Asked, tell: impl FnMut(AnswerNews) + Send + 'static) -> Question {
        let question = self.host.house.name();
        self.host.order(Order::Ask { lease: self.lease, question, asked, tell: Box::new(tell) });
        Question { question, host: self.host.clone() }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.host.order(Order::LetGo(self.lease));
    }
}

/// A question that was asked. Dropping it takes it back: not a token more is computed for it.
#[derive(Debug)]
pub struct Question {
    question: u64,
    host: Host,
}

impl Drop for Question {
    fn drop(&mut self) {
        self.host.order(Order::Cancel(self.question));
    }
}

impl House {
    /// Something that nobody else is called here.
    fn name(&self) -> u64 {
        self.names.fetch_add(1, Ordering::Relaxed)
    }

    /// The host is over: orders that come from now on are refused by those who give them, so that none is lost between the
    /// last look at them and their end.
    fn refuse_from_now_on(&self, orders: Receiver<Order>) {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = Some(orders);
        self.refuse_late();
    }

    fn refuse_late(&self) {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let orders: Vec<Order> = late.iter().flat_map(Receiver::try_iter).collect();
        // Whoever is told may give an order in turn.
        drop(late);
        for order in orders {
            order.refuse(&Error::Closed);
        }
    }

    /// Bytes of memory that nobody uses; none where the device does not tell.
    fn memory_left(&self) -> u64 {
        let report = self.gpu.device().memory_report().ok();
        report.and_then(|it| Some(it.budget?.saturating_sub(it.used))).unwrap_or(0)
    }

    pub(crate) fn directory(&self, model: &ModelId) -> Result<PathBuf> {
        self.models
            .directory(model)
            .ok_or_else(|| Error::NotHere { model: model.clone(), here: in_words(self.models.at_hand()) })
    }

    /// The largest context that fits, and what the model takes with it; or the refusal of the one that was wished.
    pub(crate) fn fitting(&self, directory: &Path) -> exo_engine::Result<(LoadOptions, MemoryPlan)> {
        self.fitting_by(directory, |options| Model::admit(self.gpu.device(), directory, options))
    }

    /// The same while only `config.json` is here, for a model with so many bytes of weights.
    fn fitting_ahead(&self, directory: &Path, weights: u64) -> exo_engine::Result<(LoadOptions, MemoryPlan)> {
        self.fitting_by(directory, |options| {
            Model::admit_ahead(self.gpu.device(), directory, weights, options)
        })
    }

    fn fitting_by(
        &self,
        directory: &Path,
        admit: impl Fn(&LoadOptions) -> exo_engine::Result<MemoryPlan>,
    ) -> exo_engine::Result<(LoadOptions, MemoryPlan)> {
        let most = Model::architecture_in(directory)?.context;
        let context = self.settings.context.min(most);
        let mut options = LoadOptions { context, cache: self.settings.cache, ..LoadOptions::default() };
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
}

/// What a model takes of which only its size is known: a third more, for the cache and what a step computes in. Models of
/// which that is not true are refused when their `config.json` is here, before their weights.
fn with_cache(weights: u64) -> u64 {
    weights.saturating_add(weights / 3)
}

/// The largest model that takes so much.
fn without_cache(memory: u64) -> u64 {
    memory - memory / 4
}

/// Names of models, for people.
pub(crate) fn in_words(models: impl IntoIterator<Item = ModelId>) -> String {
    let names: Vec<String> = models.into_iter().map(|model| model.to_string()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
