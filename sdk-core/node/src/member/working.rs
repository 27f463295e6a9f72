//! The worker inside the member: it hears the log in its order, and its words go through the outbox.

use super::{Member, Output, saying::Saying, speaking, term::Term};
use crate::{
    Now,
    now::Moment,
    worker::{Input, Say, Worker},
};

impl Member {
    pub(super) fn tell_worker(&mut self, now: Moment, input: Input<'_>) {
        if let Some(worker) = &mut self.worker {
            worker.handle(now, input);
        }
    }

    /// Does what the worker wants. Its offer comes first: what is withdrawn stands in the log before the reason.
    pub(super) fn work(&mut self, now: Now) {
        let Some(worker) = &mut self.worker else { return };
        if worker.deadline().is_some_and(|due| due <= now.mono) {
            worker.handle(now.mono, Input::Tick);
        }
        self.follow_offer(now.mono);
        // Nothing is begun for a cluster that would never hear of it.
        if self.may_speak_once_linked() {
            while let Some(wish) = self.worker.as_mut().and_then(Worker::wish) {
                self.outputs.push_back(Output::Engine(wish));
            }
        }
        self.say_work(now, false);
    }

    /// Everything that the worker still has to say, because we leave.
    pub(super) fn end_work(&mut self, now: Now) {
        self.tell_worker(now.mono, Input::Leave);
        self.work(now);
        self.say_work(now, true);
    }

    /// When the worker wants something, or has something to say that could be said.
    pub(super) fn works_at(&self) -> Option<Moment> {
        let worker = self.worker.as_ref()?;
        let speaks = self.may_speak();
        let room = |term: &&Term| speaks && term.has_spoken() && term.outbox.has_room_for_work();
        let words = self.term.as_ref().filter(room).and_then(|_| worker.speaks_at());
        worker.deadline().into_iter().chain(words).min()
    }

    fn follow_offer(&mut self, now: Moment) {
        let Some(offer) = self.worker.as_ref().map(|worker| worker.offer(now)) else { return };
        let before = self.offered.replace(offer);
        if before == Some(offer) {
            return;
        }
        self.outputs.push_back(Output::Offer(offer));
        self.telemetry.offered(offer);
        let speaks = self.may_speak() && self.leaving.is_none();
        if let Some(term) = self.term.as_mut().filter(|term| speaks && term.is_registered(now)) {
            speaking::say(term, self.telemetry.changes(now));
            // Memory is told with the beat, which comes soon if it matters: each answer takes a little.
            if before.is_none_or(|before| before.differs_much_from(offer)) {
                self.cadence.hasten(now);
            }
        }
    }

    /// As much as there is room for, or `all`.
    fn say_work(&mut self, now: Now, all: bool) {
        let speaks = self.may_speak();
        let Some(term) = self.term.as_mut().filter(|term| speaks && term.has_spoken()) else { return };
        let Some(worker) = &mut self.worker else { return };
        let holes = term.outbox.holes();
        if !holes.is_empty() {
            worker.handle(now.mono, Input::Unsaid(holes));
        }
        while (all || term.outbox.has_room_for_work())
            && let Some(say) = worker.say(now.mono)
        {
            match say {
                Say::Event(work) => {
                    term.outbox.say(Saying::Work(work));
                }
                Say::DeleteInstance(instance) => match term.delete(instance, &mut self.random) {
                    Ok(sealed) => self.outputs.push_back(Output::Publish(sealed)),
                    Err(refusal) => {
                        self.stats.refused += 1;
                        self.refusal = Some(refusal);
                    }
                },
            }
        }
    }
}
