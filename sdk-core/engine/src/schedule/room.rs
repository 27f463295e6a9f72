//! Memory for the next positions of a text, and who makes room for it.
//!
//! Taken in turn: what is free, what the device gives, beginnings that nobody uses, and younger texts. While memory is
//! short, beginnings go before the device is asked for more.

use super::{Scheduler, job::Stage};
use crate::{
    Error,
    cache::{Grade, PAGE, Prefixes},
};

impl Scheduler {
    /// Takes memory for `count` more positions of a text.
    pub(super) fn make_room(&mut self, at: usize, count: u32) -> bool {
        let mut youngest = self.jobs.len();
        loop {
            self.find_pages(at, count);
            self.find_states(at);
            let (sequence, pools) = (&self.jobs[at].sequence, self.model.pools());
            if sequence.can_reserve(count, pools) || youngest == at + 1 || self.model.has_lost_cache() {
                break;
            }
            // What it computed may still be known as a beginning, which is then the next to go.
            youngest -= 1;
            self.step_back(youngest);
        }
        !self.model.has_lost_cache() && self.jobs[at].sequence.reserve(count, self.model.pools())
    }

    /// Takes everything from a text; it is computed again later.
    pub(super) fn step_back(&mut self, at: usize) {
        let job = &mut self.jobs[at];
        std::mem::take(&mut job.sequence).end(self.model.pools());
        job.stage = Stage::Waiting;
    }

    /// All texts are computed again, in new memory: what steps wrote is lost.
    pub(super) fn begin_anew(&mut self) -> crate::Result<()> {
        for at in 0..self.jobs.len() {
            self.step_back(at);
        }
        self.prefixes = [Grade::Full, Grade::Small].map(Prefixes::of);
        self.model.renew()
    }

    /// What a text is told that cannot have its memory though nobody else has any.
    pub(super) fn starvation(&mut self, at: usize) -> Error {
        let sequence = &self.jobs[at].sequence;
        let position = self.model.memory().position_bytes(sequence.grade() == Grade::Small);
        let more = position * u64::from(PAGE);
        Error::OutOfMemory {
            needed: self.model.memory().total() + more,
            available: self.model.memory().total(),
            help: "the device has no memory for more of this text: ask again when other programs have ended, or for \
                   less text"
                .into(),
        }
    }

    fn find_pages(&mut self, at: usize, count: u32) {
        let sequence = &self.jobs[at].sequence;
        let (grade, missing) = (sequence.grade(), sequence.missing(count));
        let is_short = self.steps.is_relieved;
        if is_short {
            self.prefixes[grade as usize].shrink(missing, self.model.pools());
        }
        if self.model.grow_pages(grade, missing, !is_short) {
            return;
        }
        self.prefixes[grade as usize].shrink(missing, self.model.pools());
        let lacks = self.model.pools().pages(grade).free() < missing;
        if !lacks || self.model.pools().pages(grade.other()).room() == 0 {
            return;
        }
        // The other cache may have what is missing here.
        let other = &mut self.prefixes[grade.other() as usize];
        other.shrink(usize::MAX, self.model.pools());
        if self.model.give_back_pages(grade.other()).is_ok_and(|freed| freed > 0) {
            self.model.grow_pages(grade, missing, false);
        }
    }

    fn find_states(&mut self, at: usize) {
        let is_short = self.steps.is_relieved;
        for drops in [is_short, !is_short] {
            let missing = self.jobs[at].sequence.missing_states(self.model.pools());
            if drops {
                for prefixes in &mut self.prefixes {
                    prefixes.shrink_states(missing, self.model.pools());
                }
            } else {
                self.model.grow_states(missing, !is_short);
            }
        }
    }
}
