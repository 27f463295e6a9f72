//! Models on their way here: one download each, however many wait for it.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use exo_models::{Cancel, Progress};
use exo_wire::ModelId;

use super::House;
use crate::{Error, Result, Supply};

/// How often a model is looked for that somebody else fetches.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What becomes of a model that somebody wants to be here.
#[derive(Clone, Debug)]
pub enum FetchNews {
    /// It is on its way.
    Progress(Progress),
    /// It is here. Nothing more is told.
    Here,
    /// It does not come. What came of it is kept; nothing more is told.
    Failed(Error),
}

type Tell = Box<dyn FnMut(FetchNews) + Send>;

/// A model that somebody wants to be here. Dropping it takes the wish back; with the last wish for a model its download
/// ends, and what came stays for the next.
pub struct Delivery {
    model: ModelId,
    wish: u64,
    house: Arc<House>,
}

impl Drop for Delivery {
    fn drop(&mut self) {
        let mut wanted = self.house.deliveries.wanted();
        if let Some(under_way) = wanted.get_mut(&self.model) {
            under_way.wishes.remove(&self.wish);
            if under_way.wishes.is_empty() {
                under_way.cancel.cancel();
                wanted.remove(&self.model);
            }
        }
    }
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivery").field("model", &self.model).finish_non_exhaustive()
    }
}

#[derive(Default)]
pub(super) struct Deliveries(Mutex<BTreeMap<ModelId, UnderWay>>);

struct UnderWay {
    download: u64,
    cancel: Cancel,
    wishes: BTreeMap<u64, Tell>,
}

impl Deliveries {
    /// These models are not to come any more, and whoever waits for them is told.
    pub(super) fn stop(&self, unwanted: impl Fn(&ModelId) -> bool, why: &Error) {
        let stopped: Vec<_> = self.wanted().extract_if(.., |model, _| unwanted(model)).collect();
        for (_, mut under_way) in stopped {
            under_way.cancel.cancel();
            under_way.tell(&FetchNews::Failed(why.clone()));
        }
    }

    fn progress(&self, model: &ModelId, download: u64, progress: Progress) {
        let mut wanted = self.wanted();
        if let Some(under_way) = wanted.get_mut(model).filter(|it| it.download == download) {
            under_way.tell(&FetchNews::Progress(progress));
        }
    }

    /// A download is over. One that was stopped has told so already, and another of the same model may be under way.
    fn end(&self, model: &ModelId, download: u64, news: &FetchNews) {
        let mut wanted = self.wanted();
        let is_ours = wanted.get(model).is_some_and(|it| it.download == download);
        let ended = if is_ours { wanted.remove(model) } else { None };
        drop(wanted);
        if let Some(mut ended) = ended {
            ended.tell(news);
        }
    }

    fn wanted(&self) -> MutexGuard<'_, BTreeMap<ModelId, UnderWay>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    fn tell(&mut self, news: &FetchNews) {
        for tell in self.wishes.values_mut() {
            tell(news.clone());
        }
    }
}

impl House {
    /// Somebody wants a model to be here: it is already, or comes, together with whoever waits for it too.
    pub(super) fn deliver(self: &Arc<Self>, model: &ModelId, mut tell: Tell) -> Delivery {
        let wish = self.name();
        let delivery = Delivery { model: model.clone(), wish, house: self.clone() };
        let mut wanted = self.deliveries.wanted();
        if let Some(under_way) = wanted.get_mut(model) {
            under_way.wishes.insert(wish, tell);
            return delivery;
        }
        let (download, cancel) = (self.name(), Cancel::default());
        match self.start_download(model, download, &cancel) {
            Ok(true) => {
                let wishes = BTreeMap::from([(wish, tell)]);
                wanted.insert(model.clone(), UnderWay { download, cancel, wishes });
            }
            Ok(false) => tell(FetchNews::Here),
            Err(error) => tell(FetchNews::Failed(error)),
        }
        delivery
    }

    /// Whether one is needed.
    fn start_download(self: &Arc<Self>, model: &ModelId, download: u64, cancel: &Cancel) -> Result<bool> {
        let Err(not_here) = self.directory(model) else { return Ok(false) };
        let Some(supply) = self.board.supply() else { return Err(not_here) };
        let (house, model, cancel) = (self.clone(), model.clone(), cancel.clone());
        let work = move || {
            let brought = catch_unwind(AssertUnwindSafe(|| house.bring(&model, &supply, download, &cancel)));
            let brought = brought.unwrap_or_else(|_| {
                Err(Error::System("fetching the model broke off: try again, and report it".to_owned()))
            });
            house.board.changed();
            let news = brought.map_or_else(FetchNews::Failed, |()| FetchNews::Here);
            house.deliveries.end(&model, download, &news);
        };
        let started = thread::Builder::new().name("exo-fetching".into()).spawn(work);
        started.map(|_| true).map_err(|error| Error::no_thread(&error))
    }

    /// Fetches the model, and blocks until it is here or known not to come.
    fn bring(&self, model: &ModelId, supply: &Supply, download: u64, cancel: &Cancel) -> Result<()> {
        let id: exo_models::ModelId = model.as_str().parse()?;
        let directory = supply.directory(&id);
        let (mut is_judged, mut refusal) = (false, None);
        loop {
            let outcome = supply.fetch(&id, cancel, &mut |progress| {
                // Small files come first. What cannot be run shall not cost its weights.
                if !is_judged && progress.total > 0 && directory.join("config.json").is_file() {
                    is_judged = true;
                    refusal = self.fitting_ahead(&directory, progress.total).err();
                    if refusal.is_some() {
                        cancel.cancel();
                    }
                }
                self.deliveries.progress(model, download, progress);
            });
            if let Some(refusal) = refusal {
                return Err(refusal.into());
            }
            match outcome {
                Ok(()) => return self.directory(model).map(drop),
                // Somebody else fetches it, or one that was cancelled just now has not let go of it yet.
                Err(exo_models::Error::Busy { .. }) if !cancel.is_wished() => thread::sleep(LOOK_EVERY),
                Err(error) => return Err(error.into()),
            }
            if self.directory(model).is_ok() {
                return Ok(());
            }
        }
    }
}
