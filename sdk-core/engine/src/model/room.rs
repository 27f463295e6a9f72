//! Memory of the cache that is given back, and taken again when there is use for it.
//!
//! What is held moves to the front of its slabs, and the slabs end behind it. They grow again up to what was planned when
//! the model was loaded, both grades together. A device that refuses leaves everything as it was.

use exo_gpu::Tensor;

use super::{
    CacheType, Inputs, MemoryPlan, Model, Scratch,
    resize::{Refused, move_rows, resize, row_count},
    slabs::Slabs,
    states::States,
};
use crate::{
    Error, Result,
    cache::{Grade, PAGE, Pools},
    config::Layer,
};

impl Model {
    /// Gives back the memory of pages that nobody holds. Returns how many bytes.
    pub(crate) fn give_back_pages(&mut self, grade: Grade) -> Result<u64> {
        let before = self.plan.cache;
        let pool = self.pools.pages_mut(grade);
        // Tensors have at least one row.
        let (held, kept) = (pool.held() as u32, pool.held().max(1) as u32);
        let slabs = match grade {
            Grade::Full => Some(&mut self.slabs),
            Grade::Small if held == 0 => {
                self.small_slabs = None;
                pool.set_room(0);
                None
            }
            Grade::Small => self.small_slabs.as_mut(),
        };
        let mut result = Ok(());
        if let Some(slabs) = slabs
            && let Some(longest) = rows(slabs.tensors()).max()
            && kept * PAGE < longest
        {
            let moves = pool.compaction();
            move_rows(&self.device, slabs.tensors(), PAGE, &moves)?;
            pool.moved(&moves);
            result = resize(&self.device, slabs.tensors(), kept * PAGE, held * PAGE, true);
            pool.set_room(rows(slabs.tensors()).min().unwrap_or(0) / PAGE);
        }
        self.freed(before, |plan| plan.cache, result)
    }

    /// Gives back the memory of states that nobody holds. Returns how many bytes.
    pub(crate) fn give_back_states(&mut self) -> Result<u64> {
        let before = self.plan.states;
        let Some(pool) = &mut self.pools.states else { return Ok(0) };
        let (held, kept) = (pool.held() as u32, pool.held().max(1) as u32);
        let mut result = Ok(());
        if rows(self.states.tensors()).max().is_some_and(|longest| kept < longest) {
            let moves = pool.compaction();
            move_rows(&self.device, self.states.tensors(), 1, &moves)?;
            pool.moved(&moves);
            result = resize(&self.device, self.states.tensors(), kept, held, true);
            pool.set_room(rows(self.states.tensors()).min().unwrap_or(0));
        }
        self.freed(before, |plan| plan.states, result)
    }

    /// Takes memory so that `wanted` pages are free; all that was planned where it `is_generous`. Whether they are.
    pub(crate) fn grow_pages(&mut self, grade: Grade, wanted: usize, is_generous: bool) -> bool {
        let pool = self.pools.pages(grade);
        if wanted <= pool.free() {
            return true;
        }
        let (least, most) = (pool.held() + wanted, self.most_pages(grade));
        if least > most {
            return false;
        }
        let more = if is_generous { most } else { (pool.room() + pool.room() / 4).clamp(least, most) };
        self.set_pages(grade, more as u32) || self.set_pages(grade, least as u32)
    }

    /// Takes memory so that `wanted` states are free; for all of them where it `is_generous`. Whether they are.
    pub(crate) fn grow_states(&mut self, wanted: usize, is_generous: bool) -> bool {
        let Some(pool) = &self.pools.states else { return true };
        let (least, most) = (pool.held() + wanted, pool.count());
        wanted <= pool.free()
            || least <= most && (is_generous && self.set_states(most as u32) || self.set_states(least as u32))
    }

    /// Whether sequences can begin with a smaller cache than the model was loaded with.
    pub(crate) fn has_smaller_cache(&self) -> bool {
        self.cache != CacheType::Q8 && self.planned.cache > 0
    }

    /// Whether what sequences hold is gone, and [`renew`](Self::renew) has to make place for it anew.
    pub(crate) fn has_lost_cache(&self) -> bool {
        self.has_lost_cache
    }

    /// What a model takes that was just loaded.
    pub(crate) fn planned(&self) -> &MemoryPlan {
        &self.planned
    }

    /// New memory for all that steps write: little at first, it grows with its use. Nobody holds anything of it.
    pub(crate) fn renew(&mut self) -> Result<()> {
        self.has_lost_cache = true;
        let here = &self.architecture.layers[self.layers.clone()];
        let pages = self.pools.pages(Grade::Full).count() as u32;
        let chats = self.pools.states.as_ref().map(|states| states.count() as u32);
        let chunk = self.inputs.rows();
        self.small_slabs = None;
        self.slabs = Slabs::new(&self.device, here, PAGE, self.cache)?;
        self.states = States::new(&self.device, here, 1)?;
        self.scratch = Scratch::new(&self.device, &self.architecture, chunk)?;
        self.inputs = Inputs::new(&self.device, &self.architecture, chunk, pages * PAGE)?;
        self.pools = Pools::new(pages, chats);
        if self.slabs.tensors().next().is_some() {
            self.pools.pages_mut(Grade::Full).set_room(1);
        }
        if let Some(states) = &mut self.pools.states {
            states.set_room(1);
        }
        self.count_memory();
        self.has_lost_cache = false;
        Ok(())
    }

    /// How many pages there may be of a grade beside what the other one has.
    fn most_pages(&self, grade: Grade) -> usize {
        let page = |grade| Slabs::bytes(self.layers_here(), PAGE, self.kind(grade)).max(1);
        let others = self.pools.pages(grade.other()).room() as u64 * page(grade.other());
        let most = self.planned.cache.saturating_sub(others) / page(grade);
        usize::try_from(most).unwrap_or(usize::MAX).min(self.pools.pages(grade).count())
    }

    fn kind(&self, grade: Grade) -> CacheType {
        match grade {
            Grade::Full => self.cache,
            Grade::Small => CacheType::Q8,
        }
    }

    fn set_pages(&mut self, grade: Grade, pages: u32) -> bool {
        let old = self.pools.pages(grade).room() as u32;
        let more = Slabs::bytes(self.layers_here(), pages.saturating_sub(old) * PAGE, self.kind(grade));
        if !self.may_take(more) {
            return false;
        }
        let here = &self.architecture.layers[self.layers.clone()];
        let (rows, old) = (pages * PAGE, old * PAGE);
        let slabs = match (grade, &mut self.small_slabs) {
            (Grade::Full, _) => &mut self.slabs,
            (Grade::Small, Some(small)) => small,
            (Grade::Small, none) => {
                let Ok(slabs) = Slabs::new(&self.device, here, rows, CacheType::Q8) else { return false };
                none.insert(slabs)
            }
        };
        let mut result = resize(&self.device, slabs.tensors(), rows, old, false);
        if let Err(Refused::Unchanged(_)) = result {
            // Some may have grown in vain. One that stays longer than the others does no harm, and is counted.
            result = resize(&self.device, slabs.tensors(), old, old, true).and(result);
        }
        if result.is_ok() {
            self.pools.pages_mut(grade).set_room(pages);
        }
        self.has_grown(&result)
    }

    fn set_states(&mut self, count: u32) -> bool {
        let old = self.pools.states.as_ref().map_or(0, |states| states.room() as u32);
        if !self.may_take(States::bytes(self.layers_here(), count.saturating_sub(old))) {
            return false;
        }
        let mut result = resize(&self.device, self.states.tensors(), count, old, false);
        if let Err(Refused::Unchanged(_)) = result {
            result = resize(&self.device, self.states.tensors(), old, old, true).and(result);
        }
        if let (Ok(()), Some(states)) = (&result, &mut self.pools.states) {
            states.set_room(count);
        }
        self.has_grown(&result)
    }

    /// Whether the device has so many bytes left, as far as it knows: what cannot be had is not tried.
    fn may_take(&self, bytes: u64) -> bool {
        self.device.memory_report().is_ok_and(|report| {
            report.budget.is_none_or(|budget| budget.saturating_sub(report.used) >= bytes)
        })
    }

    fn has_grown(&mut self, result: &Result<(), Refused>) -> bool {
        self.has_lost_cache |= matches!(result, Err(Refused::Lost(_)));
        self.count_memory();
        result.is_ok()
    }

    /// Counts what came back. For want of memory some tensors may have stayed as they were, which is no error.
    fn freed(
        &mut self,
        before: u64,
        part: fn(&MemoryPlan) -> u64,
        result: Result<(), Refused>,
    ) -> Result<u64> {
        self.count_memory();
        let freed = before.saturating_sub(part(&self.plan));
        match result {
            Err(Refused::Lost(error)) => {
                self.has_lost_cache = true;
                Err(error)
            }
            Err(Refused::Unchanged(error)) if freed == 0 && !is_short_of_memory(&error) => Err(error),
            _ => Ok(freed),
        }
    }

    pub(super) fn count_memory(&mut self) {
        self.plan.weights = self.planned.weights.saturating_sub(self.weights_on_host());
        let small = self.small_slabs.iter_mut().flat_map(Slabs::tensors);
        self.plan.cache = self.slabs.tensors().chain(small).map(|tensor| tensor.bytes()).sum();
        self.plan.states = self.states.tensors().map(|tensor| tensor.bytes()).sum();
    }

    fn layers_here(&self) -> &[Layer] {
        &self.architecture.layers[self.layers.clone()]
    }
}

fn rows<'a>(tensors: impl Iterator<Item = &'a mut Tensor>) -> impl Iterator<Item = u32> {
    tensors.map(|tensor| row_count(tensor))
}

pub(super) fn is_short_of_memory(error: &Error) -> bool {
    match error {
        Error::OutOfMemory { .. } => true,
        Error::Gpu(error) => error.kind() == exo_gpu::ErrorKind::OutOfMemory,
        _ => false,
    }
}
