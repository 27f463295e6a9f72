//! The worker itself: what happens to it, and what it wants. The lives of runners and answers are told beside it.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use exo_wire::{
    ModelId, NodeId, RunnerId, TaskId,
    download::DownloadCompleted,
    heard::{Event, Snapshot},
    runner::RunnerStatus,
};

use super::{
    Allowed, Capacity, Input, Offer, Report, Say, Wish, Work,
    answer::Answer,
    heard,
    runner::{Runner, Stage},
};
use crate::{Random, now::Moment};

/// After a model was given back, exo is not offered anything for so long: whoever placed it can place it elsewhere.
pub(super) const WITHHELD: Duration = Duration::from_mins(1);
/// Tasks that were dealt with and are remembered, so that an older state or a repetition does not bring them back.
const REMEMBERED: usize = 512;

/// Runs what is placed on this node. See the module for the whole.
#[derive(Debug)]
pub struct Worker {
    pub(super) node: NodeId,
    pub(super) random: Random,
    /// Absent until the engine spoke, and once it broke.
    pub(super) capacity: Option<Capacity>,
    pub(super) broken: Option<String>,
    /// The most memory that the engine used.
    pub(super) peak: u64,
    pub(super) allowed: Allowed,
    /// Until then nothing is offered.
    pub(super) withheld: Option<Moment>,
    pub(super) runners: BTreeMap<RunnerId, Runner>,
    pub(super) answers: BTreeMap<TaskId, Answer>,
    pub(super) asked: u64,
    /// Weights that are here, of models that were placed here.
    pub(super) stored: BTreeMap<ModelId, DownloadCompleted>,
    dealt: VecDeque<TaskId>,
    says: VecDeque<Say>,
    wishes: VecDeque<Wish>,
    has_left: bool,
}

impl Worker {
    /// A worker of this node that was given nothing yet.
    pub fn new(node: NodeId, random: Random) -> Self {
        Self {
            node,
            random,
            capacity: None,
            broken: None,
            peak: 0,
            allowed: Allowed::default(),
            withheld: None,
            runners: BTreeMap::new(),
            answers: BTreeMap::new(),
            asked: 0,
            stored: BTreeMap::new(),
            dealt: VecDeque::new(),
            says: VecDeque::new(),
            wishes: VecDeque::new(),
            has_left: false,
        }
    }

    /// Feeds one input. Never blocks, never fails: bad input is itself an observation.
    pub fn handle(&mut self, now: Moment, input: Input<'_>) {
        if self.has_left {
            return;
        }
        match input {
            Input::Tick => {}
            Input::Session => self.follow(now),
            Input::State(snapshot) => self.restore(now, snapshot),
            Input::Event(event) => self.event(now, event),
            Input::Engine(report) => self.report(now, report),
            Input::Allowed(allowed) => self.allow(now, allowed),
            Input::Unsaid(works) => self.lost(&works),
            Input::Leave => self.leave(now),
        }
        self.step(now);
    }

    /// The next thing that the engine should do; `None` until something changes.
    pub fn wish(&mut self) -> Option<Wish> {
        self.wishes.pop_front()
    }

    /// The next thing to say, when there is room to say it. What is not asked for stays here, and the tokens of an
    /// answer grow together meanwhile: a slow network makes fewer and longer chunks.
    pub fn say(&mut self, now: Moment) -> Option<Say> {
        if self.says.is_empty() {
            self.speak(now);
        }
        self.says.pop_front()
    }

    /// What exo may count on now.
    pub fn offer(&self, now: Moment) -> Offer {
        let withheld = self.withheld.is_some_and(|until| until > now);
        match self.capacity {
            Some(capacity) if self.allowed.admit && !withheld && !self.has_left => {
                let fetches = if self.allowed.costly.is_some() { 0 } else { capacity.fetches };
                let room = capacity.room.max(fetches);
                Offer { able: room > 0, memory: Some(room) }
            }
            _ => Offer::NOTHING,
        }
    }

    /// What the engine takes of the device: whether it computes, and the bytes that it holds.
    pub fn work(&self) -> (bool, u64) {
        let computes =
            self.runners.values().any(|runner| matches!(runner.stage, Stage::Loading | Stage::WarmingUp))
                || self.answers.values().any(|answer| answer.running && !answer.has_ended());
        (computes, self.capacity.map_or(0, |capacity| capacity.used))
    }

    /// When to call [`Self::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        let runners = self.runners.values().filter_map(Runner::deadline);
        let drained = self.allowed.finish_by.filter(|_| !self.allowed.admit && self.answers_are_open());
        runners.chain(self.withheld).chain(drained).min()
    }

    /// When [`Self::say`] will have something, if there is room to say it.
    pub fn speaks_at(&self) -> Option<Moment> {
        if self.says.is_empty() {
            self.answers.values().filter_map(Answer::due).min()
        } else {
            Some(Moment::default())
        }
    }

    fn event(&mut self, now: Moment, event: &Event<'_>) {
        match event {
            Event::InstanceCreated(created) => {
                if let Some(placed) = heard::placed(&created.instance, &self.node) {
                    self.place(now, placed);
                }
            }
            Event::InstanceDeleted(deleted) => self.instance_gone(now, &deleted.instance_id),
            Event::TaskCreated(created) => {
                // Nearly all tasks are somebody else's: their bodies are not read.
                if self.runners.is_empty() {
                    return;
                }
                if let Some(asked) = heard::asked(&created.task_id, &created.task) {
                    self.ask(now, asked);
                }
            }
            Event::TaskStatusUpdated(update) if update.task_status == "Cancelled" => {
                self.cancelled(&update.task_id);
            }
            Event::TaskDeleted(deleted) => self.task_gone(&deleted.task_id),
            Event::RunnerStatusUpdated(update) if update.runner_status.tag == "RunnerFailed" => {
                // All that we said before it is in the log too: the offer is withdrawn.
                if let Some(runner) = self.runners.get_mut(&*update.runner_id)
                    && let Stage::Refused(at) = &mut runner.stage
                {
                    *at = now.min(*at);
                }
            }
            // exo forgot what we have, and is told again.
            Event::NodeTimedOut(gone) if *gone.node_id == *self.node.as_str() => self.tell_stored(),
            _ => {}
        }
    }

    fn restore(&mut self, now: Moment, snapshot: &Snapshot<'_>) {
        let placed = snapshot.instances.iter().filter_map(|(_, it)| heard::placed(it, &self.node));
        let placed: Vec<heard::Placed> = placed.collect();
        let gone = self.runners.keys().filter(|id| !placed.iter().any(|it| it.runner == **id));
        for id in gone.cloned().collect::<Vec<_>>() {
            self.runner_gone(now, &id);
        }
        for it in placed {
            let id = it.runner.clone();
            self.place(now, it);
            // A former life of ours left it behind: when it goes, that is to be said.
            if let Some(runner) = self.runners.get_mut(&id)
                && snapshot.runners.iter().any(|(known, _)| **known == *id.as_str())
            {
                runner.status.get_or_insert(RunnerStatus::Idle {});
            }
        }
        if !self.runners.is_empty() {
            for asked in snapshot.tasks.iter().filter_map(|(id, task)| heard::asked(id, task)) {
                self.find(now, asked);
            }
        }
    }

    /// A new session: what we said and were asked in the old one is unknown to it, what is on the disk is still there.
    fn follow(&mut self, now: Moment) {
        self.says.clear();
        self.dealt.clear();
        self.orphan_answers(now);
        self.orphan_runners(now);
        self.tell_stored();
    }

    fn report(&mut self, now: Moment, report: Report) {
        match report {
            Report::Capacity(capacity) => {
                self.peak = self.peak.max(capacity.used);
                self.capacity = Some(capacity).filter(|_| self.broken.is_none());
            }
            Report::Examined(runner, verdict) => self.examined(now, &runner, verdict),
            Report::Fetching(runner, so_far) => self.fetching(now, &runner, so_far),
            Report::Fetched(runner, fetched) => self.fetched(now, &runner, fetched.total),
            Report::Loading(runner, layers) => self.loading(now, &runner, layers),
            Report::Loaded(runner) => self.loaded(&runner),
            Report::WarmedUp(runner) => self.warmed_up(&runner),
            Report::Reading(task, read, of) => {
                if let Some(answer) = self.answers.get_mut(&task) {
                    answer.reads(read, of);
                }
            }
            Report::Token(task, token) => {
                if let Some(answer) = self.answers.get_mut(&task).filter(|answer| answer.running) {
                    answer.token(now, token);
                }
            }
            Report::NotAnswered(task, error) => {
                if let Some(answer) = self.answers.get_mut(&task) {
                    answer.fail(&error.message);
                }
            }
            Report::Failed(runner, error) => self.failed(now, &runner, &error),
            Report::Unloaded(runner) => self.unloaded(&runner),
            Report::Broken(why) => self.broke(now, &why),
        }
    }

    fn allow(&mut self, now: Moment, allowed: Allowed) {
        if (allowed.share - self.allowed.share).abs() > f64::EPSILON {
            self.want(Wish::SetShare(allowed.share));
        }
        self.allowed = allowed;
        if let Some(why) = self.allowed.costly.clone() {
            self.stop_fetching(now, &why);
        }
    }

    /// Parts of answers may be missing in the log. An answer with a hole is worse than none.
    fn lost(&mut self, works: &[Work]) {
        for work in works {
            let Work::Chunk(command, _) = work else { continue };
            let of = |answer: &&mut Answer| answer.command == *command && !answer.has_ended();
            let holed = self.answers.values_mut().find(of).map(|answer| answer.task.clone());
            if let Some(task) = holed {
                self.give_up(&task, "a part of the answer was lost on its way: ask again");
            }
        }
    }

    fn leave(&mut self, now: Moment) {
        let why = "the device leaves the cluster: ask again, and another will answer";
        for task in self.open_answers() {
            self.give_up(&task, why);
        }
        self.answers.values_mut().for_each(|answer| answer.hasten(now));
        self.speak(now);
        self.end_runners();
        self.has_left = true;
    }

    /// What is due, in a fixed order.
    fn step(&mut self, now: Moment) {
        self.withheld.take_if(|until| *until <= now);
        self.drain(now);
        self.tend_runners(now);
        self.begin_answers(now);
    }

    /// No work may be taken: what is under way may be finished for a while, then the models are given back.
    fn drain(&mut self, now: Moment) {
        if self.allowed.admit {
            return;
        }
        let why = match self.allowed.why.as_str() {
            "" => "this device may not work now".to_owned(),
            why => format!("this device may not work now: {why}"),
        };
        if self.allowed.finish_by.is_none_or(|by| by <= now) {
            for task in self.open_answers() {
                self.give_up(&task, &why);
            }
        }
        let idle = self.runners.values().filter(|runner| {
            let busy = self.answers.values().any(|answer| answer.runner == runner.id && !answer.has_ended());
            runner.is_open() && runner.orphaned.is_none() && !busy
        });
        for id in idle.map(|runner| runner.id.clone()).collect::<Vec<_>>() {
            self.refuse(now, &id, &why);
        }
    }

    pub(super) fn want(&mut self, wish: Wish) {
        if self.broken.is_none() {
            self.wishes.push_back(wish);
        }
    }

    pub(super) fn tell(&mut self, work: Work) {
        self.says.push_back(Say::Event(work));
    }

    pub(super) fn demand(&mut self, say: Say) {
        self.says.push_back(say);
    }

    /// Takes back what was not said yet.
    pub(super) fn unsay(&mut self, unwanted: impl Fn(&Work) -> bool) {
        self.says.retain(|say| !matches!(say, Say::Event(work) if unwanted(work)));
    }

    /// This task is not to be taken up again.
    pub(super) fn deal_with(&mut self, task: TaskId) {
        if self.dealt.len() == REMEMBERED {
            self.dealt.pop_front();
        }
        self.dealt.push_back(task);
    }

    pub(super) fn was_dealt_with(&self, task: &TaskId) -> bool {
        self.dealt.contains(task)
    }
}
