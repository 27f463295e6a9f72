//! When a member speaks, and when it must not.
//!
//! Nothing leaves but through [`Member::may_speak`]: there is a link, on it a session that we heard, a build that we know
//! (or the app's leave to go without), and nobody asked us to be silent.

use std::time::Duration;

use super::{
    Member, Output, cadence::Due, leaving::Leaving, recognition::Build, saying::Saying, sequencer::Want,
    telemetry::News, term::Term,
};
use crate::{Now, now::Moment};

/// How long a registration waits for the first answer of the probe.
pub(super) const PROBE: Duration = Duration::from_secs(1);
/// After that long without an acknowledgement a master counts as deaf, if another one talks.
pub(super) const DEAF: Duration = Duration::from_secs(15);
const DEAFEST: Duration = Duration::from_mins(4);

impl Member {
    /// Whether anything may be published now.
    pub(super) fn may_speak(&self) -> bool {
        self.link.is_up() && self.vouched && self.may_speak_once_linked()
    }

    pub(super) fn may_speak_once_linked(&self) -> bool {
        let known = |term: &Term| match term.recognition.build() {
            Build::Known => true,
            Build::Undecided | Build::Unknown(_) => self.config.allow_unknown_build,
        };
        !self.config.listen_only && self.term.as_ref().is_some_and(known)
    }

    /// The probe answered: what changed is said at once, and the beat if one waited for it.
    pub(super) fn report(&mut self, now: Moment) {
        if !self.may_speak() || self.leaving.is_some() {
            return;
        }
        let Some(term) = self.term.as_mut().filter(|term| term.is_registered(now)) else { return };
        let mut news = self.telemetry.changes(now);
        if self.cadence.awaits_probe() {
            if news.is_empty() {
                news.push(self.telemetry.beat(now, true));
            }
            self.cadence.beaten(now);
        }
        say(term, news);
    }

    /// Tells a session all about us, once, and again when it forgot.
    pub(super) fn register(&mut self, now: Now) {
        let speaks = self.may_speak();
        let Some(term) = self.term.as_mut().filter(|term| speaks && !term.is_registered(now.mono)) else {
            return;
        };
        if !self.telemetry.has_readings() && now.mono.since(term.started) < PROBE {
            return;
        }
        say(term, self.telemetry.registration(now.mono));
        term.registered(now.mono);
        for saying in self.unsaid.drain(..) {
            term.outbox.say(saying);
        }
        self.cadence.start(now.mono, &mut self.random);
    }

    pub(super) fn beat(&mut self, now: Moment) {
        if !self.may_speak() {
            return;
        }
        let Some(term) = self.term.as_mut().filter(|term| term.is_registered(now)) else { return };
        if let Some(left) = term.leftovers() {
            // A worker looks at the state itself, and takes up again what it can.
            for saying in left.sayings.into_iter().filter(|_| self.worker.is_none()) {
                term.outbox.say(saying);
            }
            if left.memory && !self.telemetry.offers_memory() {
                say(term, [self.telemetry.withdrawal()]);
            }
        }
        if term.outbox.takes_doubt() {
            self.cadence.hasten(now);
        }
        match self.cadence.due(now) {
            Some(Due::Measure) => self.outputs.push_back(Output::Measure),
            Some(Due::Beat) => {
                let news = self.telemetry.beat(now, false);
                self.cadence.beaten(now);
                say(term, [news]);
            }
            None => {}
        }
    }

    /// Holes in the log.
    pub(super) fn heal(&mut self, now: Moment) {
        let (up, speaks) = (self.link.is_up(), self.may_speak());
        let Some(term) = self.term.as_mut().filter(|_| up) else { return };
        match term.sequencer.due(now, &mut self.random) {
            Some(Want::Replay(since)) if speaks => match term.nack(since, &mut self.random) {
                Ok(sealed) => {
                    self.stats.nacks += 1;
                    self.outputs.push_back(Output::Publish(sealed));
                }
                Err(refusal) => {
                    self.stats.refused += 1;
                    self.refusal = Some(refusal);
                }
            },
            // One who may not speak cannot ask for a replay; a state needs no word.
            Some(Want::Replay(_) | Want::Snapshot) => term.snapshots.want(now),
            None => {}
        }
    }

    pub(super) fn say(&mut self, now: Now) {
        let speaks = self.may_speak();
        let Some(term) = &mut self.term else { return };
        if speaks {
            let sealed = term.outbox.send(now, &mut self.random, &mut self.stats);
            self.outputs.extend(sealed.into_iter().map(Output::Publish));
            self.refusal = term.outbox.refusal().or(self.refusal.take());
        } else {
            term.outbox.close();
        }
    }

    pub(super) fn leave(&mut self, now: Now) {
        if self.leaving.is_some() {
            return;
        }
        self.end_work(now);
        self.cadence.stop();
        let speaks = self.may_speak_once_linked();
        let term = self.term.as_mut().filter(|term| speaks && term.has_spoken());
        self.leaving = Some(Leaving::begin(now.mono, term, self.worker.is_some()));
    }

    /// Who is owed a goodbye is dialled until the time for it is over.
    pub(super) fn end_when_said(&mut self, now: Moment) {
        let said =
            !self.may_speak_once_linked() || self.term.as_ref().is_none_or(|term| term.outbox.is_empty());
        let heard = match &self.term {
            Some(term) if term.has_spoken() => self.may_speak_once_linked() && term.outbox.is_empty(),
            _ => true,
        };
        if self.leaving.as_mut().is_some_and(|leaving| leaving.is_over(now, said, heard)) {
            self.outputs.push_back(Output::HangUp);
        }
    }

    pub(super) fn notice_deafness(&mut self, now: Moment) {
        let waits = self.term.as_ref().and_then(|term| term.outbox.oldest());
        if self.may_speak() && waits.is_some_and(|since| now.since(since) >= self.deaf_after) {
            self.deaf_after = (self.deaf_after * 2).min(DEAFEST);
            self.tracker.deaf(now);
        }
    }
}

pub(super) fn say(term: &mut Term, news: impl IntoIterator<Item = News>) {
    for (kind, info) in news {
        term.outbox.say(Saying::News(kind, info));
    }
}
