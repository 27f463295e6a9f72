//! What everybody may read of a host: which models are loaded, and which the cluster may have.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use exo_wire::ModelId;

use crate::Supply;

/// Whether it wants to hear more.
type Hear = Box<dyn Fn() -> bool + Send + Sync>;

#[derive(Default)]
pub(crate) struct Board {
    facts: Mutex<Facts>,
    hearers: Mutex<Vec<Hear>>,
}

#[derive(Default)]
struct Facts {
    /// Bytes that each loaded model uses.
    loaded: BTreeMap<ModelId, u64>,
    /// Models that somebody wants, loaded or not yet.
    held: BTreeSet<ModelId>,
    offered: Option<BTreeSet<ModelId>>,
    is_memory_short: bool,
    /// Where models come from that are not here.
    supply: Option<Supply>,
}

impl Board {
    pub(crate) fn memory_of(&self, model: &ModelId) -> Option<u64> {
        self.facts().loaded.get(model).copied()
    }

    pub(crate) fn is_held(&self, model: &ModelId) -> bool {
        self.facts().held.contains(model)
    }

    pub(crate) fn used(&self) -> u64 {
        self.facts().loaded.values().sum()
    }

    pub(crate) fn offered(&self) -> Option<BTreeSet<ModelId>> {
        self.facts().offered.clone()
    }

    pub(crate) fn offer(&self, models: BTreeSet<ModelId>) {
        self.facts().offered = Some(models);
        self.changed();
    }

    pub(crate) fn supply(&self) -> Option<Supply> {
        self.facts().supply.clone()
    }

    pub(crate) fn set_supply(&self, supply: Option<Supply>) {
        self.facts().supply = supply;
        self.changed();
    }

    pub(crate) fn is_offered(&self, model: &ModelId) -> bool {
        let facts = self.facts();
        let is_for_any = facts.supply.as_ref().is_some_and(Supply::is_for_any);
        is_for_any || facts.offered.as_ref().is_none_or(|offered| offered.contains(model))
    }

    pub(crate) fn is_memory_short(&self) -> bool {
        self.facts().is_memory_short
    }

    pub(super) fn memory_is_short(&self, is_short: bool) {
        let was_short = std::mem::replace(&mut self.facts().is_memory_short, is_short);
        if was_short != is_short {
            self.changed();
        }
    }

    pub(crate) fn on_change(&self, hear: Hear) {
        self.hearers.lock().unwrap_or_else(PoisonError::into_inner).push(hear);
    }

    pub(super) fn held(&self, model: &ModelId) {
        self.facts().held.insert(model.clone());
    }

    pub(super) fn loaded(&self, model: &ModelId, memory: u64) {
        self.facts().loaded.insert(model.clone(), memory);
        self.changed();
    }

    pub(super) fn gone(&self, model: &ModelId) {
        let mut facts = self.facts();
        facts.held.remove(model);
        let was_loaded = facts.loaded.remove(model).is_some();
        drop(facts);
        if was_loaded {
            self.changed();
        }
    }

    pub(crate) fn changed(&self) {
        self.hearers.lock().unwrap_or_else(PoisonError::into_inner).retain(|hear| hear());
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
