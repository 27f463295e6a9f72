//! The thread of a host: it takes orders, has models loaded, and computes.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    },
    time::{Duration, Instant},
};

use exo_engine::Relief;
use exo_node::now::Moment;
use exo_wire::ModelId;

use super::{
    AnswerNews, House, LoadNews,
    hosted::{Hosted, Loaded},
    order::{Asked, Order, TellAnswer, TellLoad},
};
use crate::{Error, loading::Loading};

/// How often a load is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// So long after the last word of a shortage of memory there is none any more.
const SHORT_FOR: Duration = Duration::from_mins(1);

pub(super) struct Work {
    house: Arc<House>,
    orders: Receiver<Order>,
    models: BTreeMap<ModelId, Hosted>,
    leases: BTreeMap<u64, Holder>,
    /// Questions for models that are still being loaded, in their order.
    early: Vec<(u64, u64, Asked, TellAnswer)>,
    began: Instant,
    /// When memory was last said to be short, until it is not any more.
    short_since: Option<Instant>,
}

/// Who wants a model.
struct Holder {
    model: ModelId,
    share: f64,
    tell: TellLoad,
}

/// Nobody wants the host any more.
struct Over;

/// When the next piece of work is due.
enum Next {
    Now,
    After(Duration),
    Never,
}

impl Work {
    pub(super) fn new(house: Arc<House>, orders: Receiver<Order>) -> Self {
        let (models, leases, early) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self { house, orders, models, leases, early, began: Instant::now(), short_since: None }
    }

    pub(super) fn run(mut self) {
        let lived = catch_unwind(AssertUnwindSafe(|| while self.turn().is_ok() {}));
        let why = match lived {
            Ok(()) => Error::Closed,
            Err(_) => Error::System("what computes broke off: open the host anew, and report it".to_owned()),
        };
        self.end(&why);
    }

    fn turn(&mut self) -> Result<(), Over> {
        // A model that is there now may have been asked already.
        let is_loading = self.load_on();
        let next = match (self.compute(), is_loading) {
            (Next::Now, _) => Next::Now,
            (Next::After(wait), true) => Next::After(wait.min(LOOK_EVERY)),
            (Next::Never, true) => Next::After(LOOK_EVERY),
            (next, false) => next,
        };
        let next = match (self.recovers_in(), next) {
            (Some(wait), Next::After(other)) => Next::After(wait.min(other)),
            (Some(wait), Next::Never) => Next::After(wait),
            (_, next) => next,
        };
        if let Some(order) = self.wait(&next)? {
            self.obey(order)?;
            while let Some(order) = self.wait(&Next::Now)? {
                self.obey(order)?;
            }
        }
        Ok(())
    }

    /// The next order, waited for as long as there is nothing to do.
    fn wait(&self, next: &Next) -> Result<Option<Order>, Over> {
        match next {
            Next::Now => match self.orders.try_recv() {
                Ok(order) => Ok(Some(order)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(Over),
            },
            Next::After(wait) => match self.orders.recv_timeout(*wait) {
                Ok(order) => Ok(Some(order)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(Over),
            },
            Next::Never => self.orders.recv().map(Some).map_err(|_| Over),
        }
    }

    fn obey(&mut self, order: Order) -> Result<(), Over> {
        match order {
            Order::Load { lease, model, tell } => self.load(lease, model, tell),
            Order::Share(lease, share) => {
                if let Some(holder) = self.leases.get_mut(&lease) {
                    holder.share = share;
                    let model = holder.model.clone();
                    self.set_pace(&model);
                }
            }
            Order::Ask { lease, question, asked, tell } => self.ask(lease, question, asked, tell),
            Order::Cancel(question) => self.cancel(question),
            Order::LetGo(lease) => self.let_go(lease),
            Order::Relieve(told) => drop(told.send(self.relieve())),
            Order::Settle(done) => drop(done.send(())),
            Order::Close => return Err(Over),
        }
        Ok(())
    }

    fn load(&mut self, lease: u64, model: ModelId, mut tell: TellLoad) {
        match self.models.get(&model) {
            Some(Hosted::Loaded(loaded)) => tell(LoadNews::Ready(loaded.ready())),
            Some(Hosted::Queued(_) | Hosted::Loading(..)) => {}
            None => match self.house.directory(&model) {
                Ok(directory) => {
                    self.house.board.held(&model);
                    self.models.insert(model.clone(), Hosted::Queued(directory));
                }
                Err(error) => return tell(LoadNews::Failed(error)),
            },
        }
        self.leases.insert(lease, Holder { model, share: 1.0, tell });
    }

    fn ask(&mut self, lease: u64, question: u64, asked: Asked, mut tell: TellAnswer) {
        let model = self.leases.get(&lease).map(|holder| holder.model.clone());
        match model.as_ref().and_then(|model| self.models.get_mut(model)) {
            Some(Hosted::Loaded(loaded)) => loaded.ask(lease, question, &asked, tell),
            Some(_) => self.early.push((lease, question, asked, tell)),
            None => tell(AnswerNews::Failed(Error::NotLoaded)),
        }
        if let Some(model) = model {
            self.set_pace(&model);
        }
    }

    fn cancel(&mut self, question: u64) {
        self.early.retain(|(_, of, ..)| *of != question);
        let mut models = self.models.iter_mut();
        let of = models.find_map(|(model, hosted)| match hosted {
            Hosted::Loaded(loaded) => loaded.cancel(question).then(|| model.clone()),
            Hosted::Queued(_) | Hosted::Loading(..) => None,
        });
        if let Some(model) = of {
            self.set_pace(&model);
        }
    }

    fn let_go(&mut self, lease: u64) {
        for (.., mut tell) in self.early.extract_if(.., |(of, ..)| *of == lease) {
            tell(AnswerNews::Failed(Error::NotLoaded));
        }
        let Some(Holder { model, .. }) = self.leases.remove(&lease) else { return };
        if let Some(Hosted::Loaded(loaded)) = self.models.get_mut(&model) {
            loaded.let_go(lease);
        }
        if self.leases.values().any(|holder| holder.model == model) {
            self.set_pace(&model);
        } else {
            self.unload(&model, None);
        }
    }

    /// Whatever it is doing ends here. Those who wait for its answers are told why, if there is a reason.
    fn unload(&mut self, model: &ModelId, why: Option<&Error>) {
        match (self.models.remove(model), why) {
            (Some(Hosted::Loaded(loaded)), Some(error)) => loaded.refuse(error),
            (Some(Hosted::Loading(loading, _)), _) => loading.stop(),
            _ => {}
        }
        // What no buffer uses goes back to the system: others on this device may need it.
        let _ = self.house.gpu.device().trim();
        self.house.board.gone(model);
    }

    /// Memory is short: every model takes the next step of its own.
    fn relieve(&mut self) -> Vec<(ModelId, Relief)> {
        self.short_since = Some(Instant::now());
        self.house.board.memory_is_short(true);
        let mut reliefs = Vec::new();
        for (model, hosted) in &mut self.models {
            if let Hosted::Loaded(loaded) = hosted {
                reliefs.extend(loaded.relieve().map(|relief| (model.clone(), relief)));
                self.house.board.loaded(model, loaded.ready().memory);
            }
        }
        reliefs
    }

    /// When the shortage of memory will be over; nothing if there is none.
    fn recovers_in(&mut self) -> Option<Duration> {
        let left = SHORT_FOR.saturating_sub(self.short_since?.elapsed());
        if !left.is_zero() {
            return Some(left);
        }
        self.short_since = None;
        for hosted in self.models.values_mut() {
            if let Hosted::Loaded(loaded) = hosted {
                loaded.recover();
            }
        }
        self.house.board.memory_is_short(false);
        None
    }

    /// The model is gone, and everybody who wanted something of it is told.
    fn fail(&mut self, model: &ModelId, error: &Error) {
        self.unload(model, Some(error));
        let lost: BTreeMap<_, _> = self.leases.extract_if(.., |_, holder| holder.model == *model).collect();
        for (.., mut tell) in self.early.extract_if(.., |(lease, ..)| lost.contains_key(lease)) {
            tell(AnswerNews::Failed(error.clone()));
        }
        for (_, mut holder) in lost {
            (holder.tell)(LoadNews::Failed(error.clone()));
        }
    }

    /// Looks after the model that is being loaded, and begins with the next. Whether there is one.
    fn load_on(&mut self) -> bool {
        let loading = self.models.iter_mut().find_map(|(model, hosted)| match hosted {
            Hosted::Loading(loading, _) => Some((model.clone(), loading)),
            _ => None,
        });
        if let Some((model, loading)) = loading {
            let (progress, is_over) = (loading.progress(), loading.is_over());
            if let Some(layers) = progress {
                self.tell_holders(&model, &LoadNews::Layers(layers));
            }
            if !is_over {
                return true;
            }
            self.loaded(&model);
        }
        let queued = self.models.iter().find_map(|(model, hosted)| match hosted {
            Hosted::Queued(directory) => Some((model.clone(), directory.clone())),
            Hosted::Loading(..) | Hosted::Loaded(_) => None,
        });
        let Some((model, directory)) = queued else { return false };
        match self.begin_loading(directory) {
            Ok(loading) => drop(self.models.insert(model, loading)),
            Err(error) => self.fail(&model, &error),
        }
        true
    }

    /// Planned only now: whoever was loaded before has taken its memory.
    fn begin_loading(&self, directory: PathBuf) -> Result<Hosted, Error> {
        let (options, _) = self.house.fitting(&directory)?;
        let context = options.context;
        let loading = Loading::start(self.house.gpu.device().clone(), directory, options);
        Ok(Hosted::Loading(loading.map_err(|error| Error::no_thread(&error))?, context))
    }

    /// A load is over: the model is there, or why it is not.
    fn loaded(&mut self, model: &ModelId) {
        let Some(Hosted::Loading(loading, context)) = self.models.remove(model) else { return };
        let mut loaded = match loading.end() {
            Ok(engine) => Box::new(Loaded::new(engine, context)),
            Err(error) => return self.fail(model, &error),
        };
        let ready = loaded.ready();
        let holders = &self.leases;
        let is_of_it = |lease: &u64| holders.get(lease).is_some_and(|holder| holder.model == *model);
        let early: Vec<_> = self.early.extract_if(.., |(lease, ..)| is_of_it(lease)).collect();
        self.house.board.loaded(model, ready.memory);
        self.tell_holders(model, &LoadNews::Ready(ready));
        for (lease, question, asked, tell) in early {
            loaded.ask(lease, question, &asked, tell);
        }
        self.models.insert(model.clone(), Hosted::Loaded(loaded));
        self.set_pace(model);
    }

    fn tell_holders(&mut self, model: &ModelId, news: &LoadNews) {
        for holder in self.leases.values_mut().filter(|holder| holder.model == *model) {
            (holder.tell)(news.clone());
        }
    }

    /// Those who ask the same model take each other along: the largest share counts.
    fn set_pace(&mut self, model: &ModelId) {
        let Some(Hosted::Loaded(loaded)) = self.models.get_mut(model) else { return };
        let asking = self.leases.iter().filter(|(lease, _)| loaded.answers(**lease));
        if let Some(share) = asking.map(|(_, holder)| holder.share).reduce(f64::max) {
            loaded.pace.set_share(share);
        }
    }

    /// A step of every model that has something to do, and may.
    fn compute(&mut self) -> Next {
        let (mut next, mut lost, mut answered) = (Next::Never, Vec::new(), Vec::new());
        for (model, hosted) in &mut self.models {
            let Hosted::Loaded(loaded) = hosted else { continue };
            // A model that may do nothing hears of its next share as an order.
            if loaded.is_idle() || loaded.pace.is_halted() {
                continue;
            }
            let now = Moment::after_start(self.began.elapsed());
            let wait = loaded.pace.wait(now).or_else(|| {
                let (waiting, memory) = (loaded.waiting(), loaded.ready().memory);
                if let Err(error) = loaded.step() {
                    lost.push((model.clone(), error));
                }
                if loaded.waiting() < waiting {
                    answered.push(model.clone());
                }
                // A cache that was given back is taken again when there is use for it.
                if loaded.ready().memory != memory {
                    self.house.board.loaded(model, loaded.ready().memory);
                }
                let over = Moment::after_start(self.began.elapsed());
                loaded.pace.worked(now, over.since(now));
                loaded.pace.wait(over)
            });
            next = match (next, wait) {
                (Next::Now, _) | (_, None) => Next::Now,
                (Next::After(other), Some(wait)) => Next::After(other.min(wait)),
                (Next::Never, Some(wait)) => Next::After(wait),
            };
        }
        // Whoever was answered does not take the others along any more.
        for model in answered {
            self.set_pace(&model);
        }
        for (model, error) in lost {
            self.fail(&model, &error);
        }
        next
    }

    /// Lets go of everything. Whatever ends the host, nobody is left waiting.
    fn end(mut self, why: &Error) {
        self.house.board.set_supply(None);
        self.house.deliveries.stop(|_| true, why);
        let models: Vec<ModelId> = self.models.keys().cloned().collect();
        for model in models {
            self.fail(&model, why);
        }
        // Of models that were lost on the way here.
        for (.., mut tell) in self.early {
            tell(AnswerNews::Failed(why.clone()));
        }
        for (_, mut holder) in self.leases {
            (holder.tell)(LoadNews::Failed(why.clone()));
        }
        // The cluster hears why before it hears that it may have nothing any more.
        self.house.board.offer(BTreeSet::new());
        self.house.refuse_from_now_on(self.orders);
    }
}
