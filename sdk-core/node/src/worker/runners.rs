//! Models that are placed here: made, fetched, loaded, tried out, given back, ended.

use std::time::Duration;

use exo_wire::{
    RunnerId,
    instance::{BoundInstance, Instance},
    runner::RunnerStatus,
    shard::ShardMetadata,
    task::{CreateRunner, DownloadModel, Shutdown, Step, Task, TaskStatus},
};

use super::{
    EngineError, Fault, Say, Suitable, Wish, Work, Worker,
    downloads::not_fetched,
    heard::Placed,
    machine::WITHHELD,
    runner::{Plan, Runner, Stage, TRIES, failed, loading, ready},
};
use crate::now::Moment;

/// More models than any device runs. What is placed beyond is not looked at.
const MOST_RUNNERS: usize = 16;
/// Downloads and loading are told no more often.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// An instance is asked to go when our refusal came back in the log, at the latest after this,
const HEARD_WITHIN: Duration = Duration::from_secs(10);
/// and again each time that this passed and it is still there.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// How long an engine may take to let go of a model before its runner is called gone.
const UNLOAD_WITHIN: Duration = Duration::from_secs(5);
/// How long the state of a new session is waited for before runners of the old one go.
const STATE_WITHIN: Duration = Duration::from_secs(10);

impl Worker {
    /// A model is placed here, or is found to be.
    pub(super) fn place(&mut self, now: Moment, placed: Placed) {
        if let Some(known) = self.runners.get_mut(&placed.runner) {
            // Ours from an earlier session, and the new one knows it: it hears how it is.
            if known.orphaned.take().is_some()
                && let Some(status) = known.status.take()
            {
                self.tell_runner(&placed.runner, status);
            }
            return;
        }
        if self.runners.len() >= MOST_RUNNERS {
            return;
        }
        let (plan, unread) = match placed.plan {
            Ok((instance, shard)) => (Some(Plan { instance, shard }), None),
            Err(why) => (None, Some(format!("the instance cannot be read: {why}"))),
        };
        let obstacle = unread
            .or_else(|| self.broken.as_ref().map(|why| format!("this device's engine broke: {why}")))
            .or_else(|| {
                (!self.allowed.admit).then(|| format!("this device may not work now: {}", self.allowed.why))
            })
            .or_else(|| plan.as_ref().and_then(unsupported));
        let id = placed.runner.clone();
        self.runners.insert(id.clone(), Runner::new(placed.runner, placed.instance, plan, now));
        match obstacle {
            Some(why) => self.refuse(now, &id, &why),
            None => self.examine(&id),
        }
    }

    fn examine(&mut self, id: &RunnerId) {
        let Some(runner) = self.runners.get_mut(id) else { return };
        runner.stage = Stage::Examining;
        if let Some(plan) = &runner.plan {
            let wish = Wish::Examine(id.clone(), plan.shard.clone());
            self.want(wish);
        }
    }

    pub(super) fn examined(&mut self, now: Moment, id: &RunnerId, verdict: Result<Suitable, EngineError>) {
        if !self.is_at(id, &Stage::Examining) {
            return;
        }
        match verdict {
            Ok(suitable) if self.is_beyond_the_cap(suitable.memory) => {
                let (needed, cap) = (suitable.memory, self.allowed.memory.unwrap_or_default());
                let why = format!(
                    "the model needs {needed} bytes, and the owner of this device allows {cap} to all models"
                );
                self.refuse(now, id, &why);
            }
            Ok(suitable) => self.create(now, id, suitable),
            Err(error) => self.failed(now, id, &error),
        }
    }

    fn is_beyond_the_cap(&self, needed: u64) -> bool {
        let used = self.capacity.map_or(0, |capacity| capacity.used);
        self.allowed.memory.is_some_and(|cap| used.saturating_add(needed) > cap)
    }

    fn create(&mut self, now: Moment, id: &RunnerId, suitable: Suitable) {
        let Some(runner) = self.runners.get(id) else { return };
        let (Some(plan), instance_id) = (runner.plan.clone(), runner.instance.clone()) else { return };
        if let (None, Some(costly)) = (suitable.stored, &self.allowed.costly) {
            let why = not_fetched(&plan, costly);
            return self.refuse(now, id, &why);
        }
        let bound_instance = match BoundInstance::new(plan.instance.clone(), id.clone(), self.node.clone()) {
            Ok(bound) => bound,
            Err(why) => return self.refuse(now, id, &why.to_string()),
        };
        let (task_id, task_status) = (self.new_task(), TaskStatus::Pending);
        let instance = instance_id.clone();
        let task = CreateRunner { task_id, task_status, instance_id: instance, bound_instance };
        self.begin_step(id, Task::CreateRunner(Box::new(task)));
        self.tell_runner(id, RunnerStatus::Idle {});
        self.end_step(id, TaskStatus::Complete);

        let (task_id, shard_metadata) = (self.new_task(), plan.shard.clone());
        let task = DownloadModel { task_id, task_status, instance_id, shard_metadata };
        self.begin_step(id, Task::DownloadModel(Box::new(task)));
        self.set_stage(id, Stage::Fetching);
        if let Some(total) = suitable.stored {
            self.fetched(now, id, total);
        } else {
            self.stored.remove(plan.model());
            self.fetch(id, plan);
        }
    }

    pub(super) fn load(&mut self, now: Moment, id: &RunnerId, plan: Plan) {
        let step = self.plain_step(id);
        self.begin_step(id, Task::LoadModel(step));
        self.update_step(id, TaskStatus::Running);
        self.tell_runner(id, loading(0, plan.layers()));
        self.set_stage(id, Stage::Loading);
        if let Some(runner) = self.runners.get_mut(id) {
            runner.told = now;
        }
        self.hold(id);
        self.want(Wish::Load(id.clone(), plan.shard));
    }

    pub(super) fn loading(&mut self, now: Moment, id: &RunnerId, layers: u32) {
        if self.is_at(id, &Stage::Loading) && self.may_tell_progress(now, id) {
            let total = self.layers(id);
            self.tell_runner(id, loading(layers, total));
        }
    }

    pub(super) fn loaded(&mut self, id: &RunnerId) {
        if !self.is_at(id, &Stage::Loading) {
            return;
        }
        let total = self.layers(id);
        self.tell_runner(id, loading(total, total));
        self.end_step(id, TaskStatus::Complete);
        self.tell_runner(id, RunnerStatus::Loaded {});
        let step = self.plain_step(id);
        self.begin_step(id, Task::StartWarmup(step));
        self.update_step(id, TaskStatus::Running);
        self.tell_runner(id, RunnerStatus::WarmingUp {});
        self.set_stage(id, Stage::WarmingUp);
        self.want(Wish::WarmUp(id.clone()));
    }

    pub(super) fn warmed_up(&mut self, id: &RunnerId) {
        if self.is_at(id, &Stage::WarmingUp) {
            self.end_step(id, TaskStatus::Complete);
            self.tell_runner(id, ready());
            self.set_stage(id, Stage::Ready);
        }
    }

    /// A runner cannot go on. Those who were being answered hear of it; those who wait may be lucky.
    pub(super) fn failed(&mut self, now: Moment, id: &RunnerId, error: &EngineError) {
        let Some(runner) = self.runners.get_mut(id).filter(|runner| runner.is_open()) else { return };
        runner.failures += 1;
        if error.fault == Fault::Unsuitable || runner.failures > TRIES {
            return self.refuse(now, id, &error.message);
        }
        let stage = Stage::Failed(now + runner.pause());
        self.download_failed(id, &error.message);
        self.set_stage(id, stage);
        self.end_step(id, TaskStatus::Failed);
        for task in self.answers_of(id) {
            if let Some(answer) =
                self.answers.get_mut(&task).filter(|answer| answer.running && !answer.has_ended())
            {
                answer.fail(&error.message);
            }
        }
        self.tell_runner(id, failed(&error.message));
        self.unload(id);
    }

    /// Gives a model back: it will not run here. The offer is withdrawn before this is heard.
    pub(super) fn refuse(&mut self, now: Moment, id: &RunnerId, why: &str) {
        if self.allowed.admit {
            self.withheld = Some(now + WITHHELD);
        }
        self.download_failed(id, why);
        self.set_stage(id, Stage::Refused(now + HEARD_WITHIN));
        self.end_step(id, TaskStatus::Failed);
        for task in self.answers_of(id) {
            self.give_up(&task, why);
        }
        self.tell_runner(id, failed(why));
        self.unload(id);
    }

    pub(super) fn unloaded(&mut self, id: &RunnerId) {
        let Some(runner) = self.runners.get_mut(id) else { return };
        (runner.unloading, runner.held) = (false, false);
        if matches!(runner.stage, Stage::Ending(_)) {
            self.end(id);
        }
    }

    /// Nothing can be asked of the engine any more.
    pub(super) fn broke(&mut self, now: Moment, why: &str) {
        (self.capacity, self.broken) = (None, Some(why.to_owned()));
        let all: Vec<RunnerId> = self.runners.keys().cloned().collect();
        for id in all {
            if self.runners.get(&id).is_some_and(Runner::is_open) {
                self.refuse(now, &id, &format!("this device's engine broke: {why}"));
            }
            self.unloaded(&id);
        }
    }

    pub(super) fn instance_gone(&mut self, now: Moment, instance: &str) {
        let of = |runner: &&Runner| runner.instance.as_str() == instance;
        let ids: Vec<RunnerId> = self.runners.values().filter(of).map(|runner| runner.id.clone()).collect();
        for id in ids {
            self.runner_gone(now, &id);
        }
    }

    /// The cluster does not know the instance of this runner any more. exo's interface closes the streams by itself.
    pub(super) fn runner_gone(&mut self, now: Moment, id: &RunnerId) {
        for task in self.answers_of(id) {
            // Whoever asked in another session is still owed the last word.
            if self.answers.get(&task).is_some_and(|answer| answer.orphaned) {
                continue;
            }
            if let Some(answer) = self.drop_answer(task.as_str()) {
                self.tell(Work::TaskIs(answer.task, TaskStatus::Cancelled));
            }
        }
        let Some(runner) = self.runners.get(id) else { return };
        if matches!(runner.stage, Stage::Ending(_)) {
            return;
        }
        if runner.orphaned.is_some() || runner.status.is_none() {
            self.unload(id);
            self.runners.remove(id);
            return;
        }
        if matches!(runner.stage, Stage::Refused(_)) {
            self.tell_runner(id, RunnerStatus::Shutdown {});
            self.runners.remove(id);
            return;
        }
        let (instance_id, runner_id) = (runner.instance.clone(), id.clone());
        self.download_rests(id);
        self.end_step(id, TaskStatus::Cancelled);
        let (task_id, task_status) = (self.new_task(), TaskStatus::Pending);
        self.begin_step(id, Task::Shutdown(Shutdown { task_id, task_status, instance_id, runner_id }));
        self.tell_runner(id, RunnerStatus::ShuttingDown {});
        self.set_stage(id, Stage::Ending(now + UNLOAD_WITHIN));
        self.unload(id);
        if self.runners.get(id).is_some_and(|runner| !runner.unloading) {
            self.end(id);
        }
    }

    fn end(&mut self, id: &RunnerId) {
        self.end_step(id, TaskStatus::Complete);
        self.tell_runner(id, RunnerStatus::Shutdown {});
        self.runners.remove(id);
    }

    /// All at once, because the member leaves.
    pub(super) fn end_runners(&mut self) {
        let all: Vec<RunnerId> = self.runners.keys().cloned().collect();
        for id in all {
            self.unload(&id);
            if self.runners.get(&id).is_some_and(|runner| runner.status.is_some()) {
                self.download_rests(&id);
                self.end_step(&id, TaskStatus::Cancelled);
                self.tell_runner(&id, RunnerStatus::Shutdown {});
            }
        }
        self.runners.clear();
    }

    pub(super) fn orphan_runners(&mut self, now: Moment) {
        self.runners.retain(|_, runner| runner.is_open());
        for runner in self.runners.values_mut() {
            (runner.orphaned, runner.step) = (Some(now + STATE_WITHIN), None);
        }
    }

    /// What runners want though nothing happened.
    pub(super) fn tend_runners(&mut self, now: Moment) {
        let due = |runner: &&Runner| runner.deadline().is_some_and(|due| due <= now);
        let ids: Vec<RunnerId> = self.runners.values().filter(due).map(|runner| runner.id.clone()).collect();
        for id in ids {
            let Some(runner) = self.runners.get_mut(&id) else { continue };
            if runner.orphaned.is_some_and(|until| until <= now) {
                self.runner_gone(now, &id);
                continue;
            }
            match &mut runner.stage {
                Stage::Failed(_) => self.examine(&id),
                Stage::Refused(at) => {
                    *at = now + ASK_AGAIN;
                    let instance = runner.instance.clone();
                    self.demand(Say::DeleteInstance(instance));
                }
                Stage::Ending(_) => self.end(&id),
                _ => {}
            }
        }
    }

    /// How a runner is. One of a session that is over is remembered for a session that knows it.
    pub(super) fn tell_runner(&mut self, id: &RunnerId, status: RunnerStatus) {
        if let Some(runner) = self.runners.get_mut(id) {
            runner.status = Some(status.clone());
        }
        self.tell_of(id, Work::Runner(id.clone(), status));
    }

    pub(super) fn tell_of(&mut self, id: &RunnerId, work: Work) {
        if self.runners.get(id).is_some_and(|runner| runner.orphaned.is_none()) {
            self.tell(work);
        }
    }

    fn begin_step(&mut self, id: &RunnerId, task: Task) {
        if let Some(runner) = self.runners.get_mut(id).filter(|runner| runner.orphaned.is_none()) {
            runner.step = Some(task.task_id().clone());
            self.tell(Work::Step(Box::new(task)));
        }
    }

    fn update_step(&mut self, id: &RunnerId, status: TaskStatus) {
        if let Some(task) = self.runners.get(id).and_then(|runner| runner.step.clone()) {
            self.tell(Work::TaskIs(task, status));
        }
    }

    pub(super) fn end_step(&mut self, id: &RunnerId, status: TaskStatus) {
        self.update_step(id, status);
        if let Some(runner) = self.runners.get_mut(id) {
            runner.step = None;
        }
    }

    fn plain_step(&mut self, id: &RunnerId) -> Step {
        let instance = self.runners.get(id).map(|runner| runner.instance.clone());
        let instance_id = instance.unwrap_or_else(|| exo_wire::InstanceId::heard(id.as_str()));
        Step { task_id: self.new_task(), task_status: TaskStatus::Pending, instance_id }
    }

    fn unload(&mut self, id: &RunnerId) {
        let broken = self.broken.is_some();
        if let Some(runner) =
            self.runners.get_mut(id).filter(|runner| runner.held && !runner.unloading && !broken)
        {
            runner.unloading = true;
            self.want(Wish::Unload(id.clone()));
        }
    }

    pub(super) fn hold(&mut self, id: &RunnerId) {
        if let Some(runner) = self.runners.get_mut(id) {
            runner.held = true;
        }
    }

    fn set_stage(&mut self, id: &RunnerId, stage: Stage) {
        if let Some(runner) = self.runners.get_mut(id) {
            runner.stage = stage;
        }
    }

    pub(super) fn is_at(&self, id: &RunnerId, stage: &Stage) -> bool {
        self.runners.get(id).is_some_and(|runner| runner.stage == *stage)
    }

    fn layers(&self, id: &RunnerId) -> u32 {
        self.runners.get(id).and_then(|runner| runner.plan.as_ref()).map_or(0, Plan::layers)
    }

    pub(super) fn may_tell_progress(&mut self, now: Moment, id: &RunnerId) -> bool {
        let Some(runner) = self.runners.get_mut(id) else { return false };
        let due = now.since(runner.told) >= PROGRESS_EVERY;
        if due {
            runner.told = now;
        }
        due
    }
}

/// Why we do not even ask the engine.
fn unsupported(plan: &Plan) -> Option<String> {
    let shard = match &plan.shard {
        ShardMetadata::Pipeline(shard) => shard,
        ShardMetadata::Tensor(_) => return Some("this device runs whole layers, not slices of them".into()),
        ShardMetadata::Cfg(_) => return Some("this device runs no image models".into()),
    };
    let alone = shard.world_size == 1 && plan.instance.shard_assignments().node_to_runner().len() == 1;
    match plan.instance {
        Instance::MlxJaccl(_) => Some("this device has no RDMA".into()),
        Instance::MlxRing(_) if !alone => {
            Some(format!("this device runs models alone, not as one of a group of {}", shard.world_size))
        }
        Instance::MlxRing(_) if shard.start_layer != 0 || shard.end_layer != shard.n_layers => {
            Some(format!("layers {} to {} are a part of a model", shard.start_layer, shard.end_layer))
        }
        Instance::MlxRing(_) => None,
    }
}
