//! What is done when memory is short, one step at a time, the gentlest first.
//!
//! Beginnings that nobody uses are dropped and their memory goes back to the system; then texts begin with a cache of 8
//! bits; then layers move to the host, where the device has memory of its own; then no more texts are taken. Texts that run
//! go on through all of it, with the very tokens that they would have had. Whoever watches the memory says when: nothing in
//! here does so by itself.

use std::fmt;

use super::Scheduler;
use crate::{Error, Result, cache::Grade};

/// The step that was taken against a shortage of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReliefStep {
    /// Beginnings that nobody uses are forgotten, the longest unused first, and memory without use is given back.
    DroppedPrefixes,
    /// Texts that begin from now on keep their keys and values in 8 bits.
    SmallerCache,
    /// The weights of some more layers lie in the host's memory, where the device has memory of its own. All texts are slower.
    OffloadedLayers,
    /// No more texts are taken.
    RefusesWork,
    /// All of that was done before. What is left is what texts that run need; unloading the model frees the rest.
    NothingLeft,
}

/// What was done against a shortage of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relief {
    /// The step.
    pub step: ReliefStep,
    /// Bytes of the device that went back to the system. The last steps save memory that is not taken later, so it may be none.
    pub freed: u64,
}

impl fmt::Display for Relief {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.step {
            ReliefStep::DroppedPrefixes => "forgot beginnings that nobody uses",
            ReliefStep::SmallerCache => "new chats use an 8-bit cache from now on",
            ReliefStep::OffloadedLayers => "moved layers to the host's memory: chats are slower from now on",
            ReliefStep::RefusesWork => "no new chats are taken for now, those that run go on",
            ReliefStep::NothingLeft => {
                "nothing is left to give but the model itself: unload it, or end chats"
            }
        };
        write!(f, "{what}; {} bytes freed", self.freed)
    }
}

/// How far relief has come, and what it saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pressure {
    /// Whether there was relief since the model was loaded or since the last recovery.
    pub is_relieved: bool,
    /// Whether texts that begin now keep their keys and values in 8 bits.
    pub uses_smaller_cache: bool,
    /// Layers whose weights lie in the host's memory. Recovery leaves them there.
    pub layers_on_host: usize,
    /// Whether no more texts are taken.
    pub refuses_work: bool,
    /// Bytes of cache and states that the model takes now.
    pub held: u64,
    /// Bytes of cache and states that it took when it was loaded, and may take again.
    pub planned: u64,
}

/// The steps that were taken and not taken back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steps {
    pub(super) is_relieved: bool,
    pub(super) uses_smaller_cache: bool,
    pub(super) refuses_work: bool,
}

impl Scheduler {
    /// Takes the next step against a shortage of memory that gains anything. To be called again while memory is short.
    ///
    /// An error is the device's. Texts that run are still there.
    pub fn relieve(&mut self) -> Result<Relief> {
        let is_first = !std::mem::replace(&mut self.steps.is_relieved, true);
        let mut dropped = 0;
        for prefixes in &mut self.prefixes {
            let pools = self.model.pools();
            // Half of them, so that what was used last has a chance to stay.
            let half = prefixes.unused(pools).div_ceil(2);
            dropped += prefixes.shrink(pools.pages(prefixes.grade()).free() + half, pools);
        }
        let mut freed = self.give_back()?;
        // Texts leave some room behind wherever they are. That alone is no step, or no other would ever be taken.
        let step = if dropped > 0 || is_first && freed > 0 {
            ReliefStep::DroppedPrefixes
        } else if self.model.has_smaller_cache() && !self.steps.uses_smaller_cache {
            self.steps.uses_smaller_cache = true;
            ReliefStep::SmallerCache
        } else if let moved @ 1.. = self.offload_layers()? {
            freed += moved;
            ReliefStep::OffloadedLayers
        } else if !self.steps.refuses_work {
            self.steps.refuses_work = true;
            ReliefStep::RefusesWork
        } else {
            ReliefStep::NothingLeft
        };
        Ok(Relief { step, freed })
    }

    /// The shortage is over: texts that begin have the full cache again, and all are taken. Memory is taken again when
    /// there is use for it. Layers that were moved to the host stay there.
    pub fn recover(&mut self) -> Result<()> {
        self.steps = Steps::default();
        self.retire_small_cache()
    }

    /// How far relief has come.
    pub fn pressure(&self) -> Pressure {
        let Steps { is_relieved, uses_smaller_cache, refuses_work } = self.steps;
        let [now, planned] = [self.model.memory(), self.model.planned()];
        Pressure {
            is_relieved,
            uses_smaller_cache,
            layers_on_host: self.model.layers_on_host(),
            refuses_work,
            held: now.cache + now.states,
            planned: planned.cache + planned.states,
        }
    }

    /// The refusal of a text, while there is one.
    pub(super) fn admit(&self) -> Result<()> {
        if self.steps.refuses_work { Err(Error::UnderPressure { running: self.jobs.len() }) } else { Ok(()) }
    }

    /// How a text that begins now keeps its keys and values.
    pub(super) fn grade(&self) -> Grade {
        if self.steps.uses_smaller_cache { Grade::Small } else { Grade::Full }
    }

    /// Gives the small cache back when nobody uses it any more.
    pub(super) fn retire_small_cache(&mut self) -> Result<()> {
        let is_used = self.jobs.iter().any(|job| job.grade == Some(Grade::Small));
        if self.steps.uses_smaller_cache || is_used || self.model.pools().pages(Grade::Small).room() == 0 {
            return Ok(());
        }
        self.prefixes[Grade::Small as usize].clear(self.model.pools());
        self.model.give_back_pages(Grade::Small).map(drop)
    }

    /// Moves some layers to the host. Returns how many bytes of the device came back.
    fn offload_layers(&mut self) -> Result<u64> {
        let moved = self.model.offload_layers()?;
        if moved > 0 {
            self.model.trim()?;
        }
        Ok(moved)
    }

    /// Gives all memory back that holds nothing.
    fn give_back(&mut self) -> Result<u64> {
        let given = self
            .model
            .give_back_pages(Grade::Full)
            .and_then(|full| Ok(full + self.model.give_back_pages(Grade::Small)?))
            .and_then(|pages| Ok(pages + self.model.give_back_states()?));
        if self.model.has_lost_cache() {
            self.begin_anew()?;
        }
        self.model.trim()?;
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relief_tells_people_what_was_done_and_how_much_it_freed() {
        let relief = Relief { step: ReliefStep::SmallerCache, freed: 4096 };
        assert_eq!(relief.to_string(), "new chats use an 8-bit cache from now on; 4096 bytes freed");
    }
}
