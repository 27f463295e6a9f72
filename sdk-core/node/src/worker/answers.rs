//! Questions that come, answers that go.

use exo_wire::{
    CommandId, RunnerId, TaskId,
    runner::RunnerStatus,
    task::{CancelTask, Task, TaskStatus},
    text::TextGenerationTaskParams,
};

use super::{
    Wish, Work, Worker,
    answer::Answer,
    heard::{Asked, What},
    runner::{Stage, ready},
};
use crate::now::Moment;

/// Questions that may wait for a runner. More are turned away, so that somebody else can answer them.
const WAITING: usize = 64;

impl Worker {
    /// A question in the log.
    pub(super) fn ask(&mut self, now: Moment, asked: Asked) {
        if self.answers.contains_key(&asked.task) || self.was_dealt_with(&asked.task) || !asked.open {
            return;
        }
        let Some(runner) = self.runners.values().find(|runner| runner.instance == asked.instance) else {
            return;
        };
        let (runner, is_open) = (runner.id.clone(), runner.is_open());
        match asked.what {
            What::Answer(command, request) => {
                self.take(now, (asked.task, command, runner), is_open, *request);
            }
            What::Image => self.refuse_image(asked.task),
            // Ours, come back.
            What::Step => {}
        }
    }

    /// A question or a step in a state. What is not pending was begun by a former life of this node, which left it.
    pub(super) fn find(&mut self, now: Moment, asked: Asked) {
        if asked.pending && !matches!(asked.what, What::Step) {
            return self.ask(now, asked);
        }
        let known = self.answers.contains_key(&asked.task) || self.was_dealt_with(&asked.task);
        let ours =
            self.runners.values().find(|runner| runner.instance == asked.instance && runner.is_alone());
        if known || !asked.open || ours.is_none() {
            return;
        }
        match asked.what {
            What::Answer(..) => {
                let task = asked.task.clone();
                self.ask(now, asked);
                self.give_up(&task, "the device was restarted while it answered: ask again");
            }
            What::Image => self.refuse_image(asked.task),
            What::Step => {
                self.tell(Work::TaskIs(asked.task.clone(), TaskStatus::Failed));
                self.deal_with(asked.task);
            }
        }
    }

    fn take(
        &mut self,
        now: Moment,
        (task, command, runner): (TaskId, CommandId, RunnerId),
        is_open: bool,
        request: Result<TextGenerationTaskParams, String>,
    ) {
        let Some(plan) = self.runners.get(&runner).and_then(|runner| runner.plan.as_ref()) else { return };
        let model = plan.model().clone();
        let waiting = self.answers.values().filter(|answer| !answer.running).count();
        let obstacle = match &request {
            _ if !is_open => Some("this device does not run the model any more: ask again".to_owned()),
            _ if !self.allowed.admit => Some(format!("this device may not work now: {}", self.allowed.why)),
            _ if waiting >= WAITING => Some(format!("{waiting} questions wait for this device already")),
            Ok(request) if !request.images.is_empty() || !request.image_hashes.is_empty() => {
                Some("this device reads no images: ask without them".to_owned())
            }
            Ok(_) => None,
            Err(why) => Some(format!("the question cannot be read: {why}")),
        };
        let request = request.unwrap_or_else(|_| TextGenerationTaskParams::new(model.clone(), Vec::new()));
        self.asked += 1;
        let mut answer = Answer::new((task.clone(), command, runner), (self.asked, now), model, request);
        if let Some(obstacle) = obstacle {
            answer.fail(&obstacle);
        }
        self.answers.insert(task, answer);
    }

    /// No chunk says so: one that is no image, in answer to a command that asked for one, ends exo's interface.
    fn refuse_image(&mut self, task: TaskId) {
        let why = "this device makes no images".to_owned();
        self.tell(Work::TaskFailed(task.clone(), "UnsupportedTask".to_owned(), why));
        self.tell(Work::TaskIs(task.clone(), TaskStatus::Failed));
        self.deal_with(task);
    }

    /// Hands waiting questions to the engine, in their order, as many as it takes at once.
    pub(super) fn begin_answers(&mut self, now: Moment) {
        let at_once = self.capacity.map_or(0, |capacity| capacity.at_once.max(1));
        let running = self.answers.values().filter(|answer| answer.running && !answer.has_ended()).count();
        let mut waiting: Vec<(u64, TaskId)> = self
            .answers
            .values()
            .filter(|answer| !answer.running && !answer.has_ended())
            .filter(|answer| self.runners.get(&answer.runner).is_some_and(|it| it.stage == Stage::Ready))
            .map(|answer| (answer.number, answer.task.clone()))
            .collect();
        waiting.sort_unstable();
        for (_, task) in waiting.into_iter().take(at_once.saturating_sub(running)) {
            let Some(answer) = self.answers.get_mut(&task) else { continue };
            answer.begin(now);
            let wish = Wish::Generate(answer.runner.clone(), task.clone(), answer.request.clone());
            let runner = answer.runner.clone();
            self.tell(Work::TaskIs(task, TaskStatus::Running));
            if self.runners.get(&runner).is_some_and(|it| it.status != Some(RunnerStatus::Running {})) {
                self.tell_runner(&runner, RunnerStatus::Running {});
            }
            self.want(wish);
        }
    }

    /// Puts what is due into words; with its last word an answer is over.
    pub(super) fn speak(&mut self, now: Moment) {
        let mut due: Vec<(u64, TaskId)> = self
            .answers
            .values()
            .filter(|answer| answer.due().is_some_and(|due| due <= now))
            .map(|answer| (answer.number, answer.task.clone()))
            .collect();
        due.sort_unstable();
        for (_, task) in due {
            let Some(answer) = self.answers.get_mut(&task) else { continue };
            let (chunks, command, ended) =
                (answer.chunks(now, self.peak), answer.command.clone(), answer.has_ended());
            for chunk in chunks {
                self.tell(Work::Chunk(command.clone(), Box::new(chunk)));
            }
            if ended {
                self.close(&task);
            }
        }
    }

    fn close(&mut self, task: &TaskId) {
        let Some(answer) = self.answers.remove(task) else { return };
        self.deal_with(task.clone());
        if answer.orphaned {
            return;
        }
        let status = if answer.has_failed() { TaskStatus::Failed } else { TaskStatus::Complete };
        self.tell(Work::TaskIs(task.clone(), status));
        self.rest(&answer.runner);
        if status == TaskStatus::Complete
            && let Some(runner) = self.runners.get_mut(&answer.runner)
        {
            runner.failures = 0;
        }
    }

    /// A runner that answers nobody any more is ready.
    fn rest(&mut self, id: &RunnerId) {
        let busy = self.answers.values().any(|answer| answer.runner == *id && answer.running);
        let runner = self.runners.get(id);
        let ran =
            runner.is_some_and(|it| it.stage == Stage::Ready && it.status == Some(RunnerStatus::Running {}));
        if ran && !busy {
            self.tell_runner(id, ready());
        }
    }

    /// Whoever asked hung up.
    pub(super) fn cancelled(&mut self, task: &str) {
        let Some(answer) = self.drop_answer(task) else { return };
        if !answer.running {
            return;
        }
        if let Some(runner) = self.runners.get(&answer.runner) {
            let (instance_id, runner_id) = (runner.instance.clone(), runner.id.clone());
            let (task_id, cancelled_task_id) = (self.new_task(), answer.task.clone());
            let task_status = TaskStatus::Pending;
            let step = CancelTask {
                task_id: task_id.clone(),
                task_status,
                instance_id,
                cancelled_task_id,
                runner_id,
            };
            self.tell(Work::Step(Box::new(Task::CancelTask(step))));
            self.tell(Work::TaskIs(task_id, TaskStatus::Complete));
        }
        self.rest(&answer.runner);
    }

    /// The task is forgotten: nobody waits for it.
    pub(super) fn task_gone(&mut self, task: &str) {
        if let Some(answer) = self.drop_answer(task) {
            self.rest(&answer.runner);
        }
    }

    /// Lets go of an answer, with every word of it that was not said yet.
    pub(super) fn drop_answer(&mut self, task: &str) -> Option<Answer> {
        let answer = self.answers.remove(task)?;
        if answer.running && !answer.has_ended() {
            self.want(Wish::Cancel(answer.task.clone()));
        }
        self.unsay(|work| matches!(work, Work::Chunk(command, _) if *command == answer.command));
        self.deal_with(answer.task.clone());
        Some(answer)
    }

    /// Ends an answer with a fault.
    pub(super) fn give_up(&mut self, task: &TaskId, why: &str) {
        let Some(answer) = self.answers.get_mut(task).filter(|answer| !answer.has_ended()) else { return };
        answer.fail(why);
        if answer.running {
            self.want(Wish::Cancel(task.clone()));
        }
    }

    /// Whoever asked in the old session may still listen: its answer ends with a word, not in silence.
    pub(super) fn orphan_answers(&mut self, now: Moment) {
        let running = self.answers.values().filter(|answer| answer.running && !answer.has_ended());
        for task in running.map(|answer| answer.task.clone()).collect::<Vec<_>>() {
            self.want(Wish::Cancel(task));
        }
        for answer in self.answers.values_mut() {
            answer.fail("the cluster got another master while this was answered: ask again");
            answer.hasten(now);
            answer.orphaned = true;
        }
    }

    pub(super) fn open_answers(&self) -> Vec<TaskId> {
        self.answers.values().filter(|answer| !answer.has_ended()).map(|answer| answer.task.clone()).collect()
    }

    pub(super) fn answers_are_open(&self) -> bool {
        self.answers.values().any(|answer| !answer.has_ended())
    }

    pub(super) fn answers_of(&self, runner: &RunnerId) -> Vec<TaskId> {
        self.answers.values().filter(|it| it.runner == *runner).map(|it| it.task.clone()).collect()
    }

    pub(super) fn new_task(&mut self) -> TaskId {
        let task = TaskId::from_random(self.random.wide());
        self.deal_with(task.clone());
        task
    }
}
