//! A stage for one worker: the rehearsal's engine, a cluster of a few lines, and a clock that we turn.
//!
//! Everything that the worker says is judged by the gate at once, as if it left, and put into a log which the worker
//! hears 5 ms later, as in a real cluster.

use std::{collections::VecDeque, time::Duration};

use exo_wire::{
    EventId, ForwardedCommand, LocalEvent, NodeId, SessionId, SystemId, Topic, command::DeleteInstance,
    gate::Gate, heard,
};
use serde_json::{Value, json};

use super::super::{
    Allowed, Engine, Input, Offer, Report, Say, Step, Wish, Worker,
    rehearsal::{Rehearsal, Script},
};
use crate::{Random, now::Moment};

pub(super) const PHONE: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f90";
pub(super) const MODEL: &str = "mlx-community/Qwen3-0.6B-4bit";
/// How long an event takes to the master and back.
const WIRE: Duration = Duration::from_millis(5);

/// Something that was said, and when, in milliseconds.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) at: u64,
    /// The event or command, by its tag.
    pub(super) tag: String,
    pub(super) body: Value,
    /// What exo was offered at that moment.
    pub(super) offer: Offer,
}

pub(super) struct Story {
    pub(super) worker: Worker,
    pub(super) engine: Rehearsal,
    pub(super) now: Moment,
    pub(super) said: Vec<Said>,
    /// What the engine was asked.
    pub(super) wishes: Vec<Wish>,
    /// Whether anything can be said.
    pub(super) has_room: bool,
    /// Whether what is said comes back.
    pub(super) echoes: bool,
    engine_next: Option<Moment>,
    /// What comes back, and when.
    back: VecDeque<(Moment, String)>,
    ids: u128,
}

impl Story {
    pub(super) fn new() -> Self {
        Self::of(Script::default())
    }

    pub(super) fn of(script: Script) -> Self {
        let mut story = Self {
            worker: Worker::new(NodeId::heard(PHONE), Random::seeded(5)),
            engine: Rehearsal::new(script),
            now: Moment::after_start(Duration::from_secs(100)),
            said: Vec::new(),
            wishes: Vec::new(),
            has_room: true,
            echoes: true,
            engine_next: None,
            back: VecDeque::new(),
            ids: 0,
        };
        let capacity = story.engine.capacity();
        story.tell(Input::Engine(Report::Capacity(capacity)));
        story
    }

    /// With a model that is ready to answer, and nothing said so far.
    pub(super) fn ready() -> Self {
        Self::ready_with(Script::default())
    }

    pub(super) fn ready_with(script: Script) -> Self {
        let mut story = Self::of(script);
        story.event(&instance_created("i", "r", MODEL)).run(1000);
        assert_eq!(story.runner_statuses().last().map(String::as_str), Some("RunnerReady"));
        story.said.clear();
        story
    }

    pub(super) const fn time(&self) -> Moment {
        self.now
    }

    pub(super) fn tell(&mut self, input: Input<'_>) -> &mut Self {
        let now = self.time();
        self.worker.handle(now, input);
        self.settle();
        self
    }

    pub(super) fn event(&mut self, event: &Value) -> &mut Self {
        let text = event.to_string();
        let raw: &serde_json::value::RawValue = serde_json::from_str(&text).unwrap();
        self.tell(Input::Event(&heard::Event::read(raw)))
    }

    pub(super) fn state(&mut self, state: &Value) -> &mut Self {
        let body = state.to_string();
        let snapshot = heard::snapshot(body.as_bytes()).unwrap();
        self.tell(Input::State(&snapshot))
    }

    pub(super) fn ask(&mut self, task: &str, words: &str) -> &mut Self {
        self.event(&question(task, words, &json!({})))
    }

    pub(super) fn allow(&mut self, admit: bool, finish_in: Option<u64>) -> &mut Self {
        let finish_by = finish_in.map(|wait| self.now + Duration::from_millis(wait));
        let why = if admit { String::new() } else { "the battery is at 10%, 20% is asked for".to_owned() };
        self.tell(Input::Allowed(Allowed { admit, finish_by, why, ..Allowed::default() }))
    }

    /// Lets so many milliseconds pass.
    pub(super) fn run(&mut self, milliseconds: u64) -> &mut Self {
        let end = self.now + Duration::from_millis(milliseconds);
        for _ in 0..1_000_000 {
            let speaks = self.worker.speaks_at().filter(|_| self.has_room);
            let back = self.back.front().map(|(at, _)| *at);
            let next = [self.worker.deadline(), speaks, self.engine_next, back].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= end) else { break };
            self.now = self.now.max(next);
            if back.is_some_and(|at| at <= self.now) {
                let (_, event) = self.back.pop_front().unwrap();
                self.event(&serde_json::from_str(&event).unwrap());
            }
            if self.engine_next.is_some_and(|at| at <= self.now) {
                self.step_engine();
            }
            self.tell(Input::Tick);
        }
        self.now = end;
        self.tell(Input::Tick)
    }

    fn step_engine(&mut self) {
        let mut reports = Vec::new();
        let step = self.engine.step(self.now, &mut |report| reports.push(report));
        self.engine_next = match step {
            Step::Again => Some(self.now),
            Step::After(wait) => Some(self.now + wait),
            Step::Idle => None,
        };
        reports.push(Report::Capacity(self.engine.capacity()));
        for report in reports {
            self.tell(Input::Engine(report));
        }
    }

    /// What a driver does after every input.
    fn settle(&mut self) {
        let now = self.time();
        while let Some(wish) = self.worker.wish() {
            self.wishes.push(wish.clone());
            let report = wish.put_to(&mut self.engine);
            self.engine_next = Some(self.now);
            if let Some(report) = report {
                self.worker.handle(now, Input::Engine(report));
            }
        }
        while self.has_room
            && let Some(say) = self.worker.say(now)
        {
            self.hear(say);
        }
    }

    fn hear(&mut self, say: Say) {
        self.ids += 1;
        let gate = Gate::guest().speaking_for(NodeId::heard(PHONE));
        let (sealed, key) = match say {
            Say::Event(work) => {
                let event = work.event(EventId::from_random(self.ids));
                let session = SessionId { master_node_id: NodeId::heard("a"), election_clock: 0 };
                let origin = SystemId::from_random(1);
                (
                    gate.seal(Topic::LocalEvents, &LocalEvent { origin_idx: 0, origin, session, event }),
                    "event",
                )
            }
            Say::DeleteInstance(instance_id) => {
                let command_id = exo_wire::CommandId::from_random(self.ids);
                let command = DeleteInstance { command_id, instance_id }.into();
                let origin = SystemId::from_random(2);
                (gate.seal(Topic::Commands, &ForwardedCommand { origin, command }), "command")
            }
        };
        let sealed = sealed.expect("the gate keeps back what the worker says");
        let message: Value = serde_json::from_slice(sealed.payload()).unwrap();
        let (tag, body) = message[key].as_object().unwrap().iter().next().unwrap();
        let at = self.now.since(Moment::after_start(Duration::from_secs(100))).as_millis() as u64;
        let offer = self.worker.offer(self.time());
        self.said.push(Said { at, tag: tag.clone(), body: body.clone(), offer });
        if key == "event" && self.echoes {
            self.back.push_back((self.now + WIRE, message["event"].to_string()));
        }
    }

    /// Every word, short: `RunnerReady`, `TaskRunning`, `Token`, `LoadModel`.
    pub(super) fn words(&self) -> Vec<String> {
        self.said.iter().map(Said::word).collect()
    }

    pub(super) fn count(&self, word: &str) -> usize {
        self.words().iter().filter(|it| *it == word).count()
    }

    pub(super) fn runner_statuses(&self) -> Vec<String> {
        let updates = self.said.iter().filter(|said| said.tag == "RunnerStatusUpdated");
        updates.map(Said::word).collect()
    }

    /// The chunks that answer this task, as (when, tag, body).
    pub(super) fn chunks(&self, task: &str) -> Vec<(u64, String, Value)> {
        let command = format!("command-{task}");
        let ours = self.said.iter().filter(|said| said.body["command_id"] == json!(command));
        ours.map(|said| {
            let (tag, body) = said.body["chunk"].as_object().unwrap().iter().next().unwrap();
            (said.at, tag.clone(), body.clone())
        })
        .collect()
    }

    /// The text of an answer so far.
    pub(super) fn text(&self, task: &str) -> String {
        let chunks = self.chunks(task);
        chunks.iter().filter_map(|(_, _, body)| body["text"].as_str()).collect()
    }

    /// How it ended: `stop`, `length`, `error`; nothing if it did not.
    pub(super) fn ending(&self, task: &str) -> Option<String> {
        let chunks = self.chunks(task);
        let (_, _, last) = chunks.last()?;
        last["finish_reason"].as_str().map(str::to_owned)
    }

    pub(super) fn task_statuses(&self, task: &str) -> Vec<String> {
        let updates =
            self.said.iter().filter(|said| said.tag == "TaskStatusUpdated" && said.body["task_id"] == task);
        updates.map(|said| said.body["task_status"].as_str().unwrap().to_owned()).collect()
    }
}

impl Said {
    pub(super) fn word(&self) -> String {
        let inner = |key: &str| {
            self.body[key].as_object().and_then(|it| it.keys().next().cloned()).unwrap_or_default()
        };
        match self.tag.as_str() {
            "TaskCreated" => inner("task"),
            "TaskStatusUpdated" => format!("Task{}", self.body["task_status"].as_str().unwrap()),
            "RunnerStatusUpdated" => inner("runner_status"),
            "NodeDownloadProgress" => inner("download_progress"),
            "ChunkGenerated" => inner("chunk"),
            other => other.to_owned(),
        }
    }
}

/// An instance of exo's own, with other names.
pub(super) fn instance(id: &str, runner: &str, model: &str) -> Value {
    let golden = include_str!("../../../../../tests/vectors/exo/captured_phone_inference.jsonl");
    let line = golden.lines().find(|line| line.contains("InstanceCreated")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    let message: Value = serde_json::from_str(line["json"].as_str().unwrap()).unwrap();
    let mut instance = message["event"]["InstanceCreated"]["instance"].clone();
    let ring = &mut instance["MlxRingInstance"];
    ring["instance_id"] = json!(id);
    let mut shard =
        ring["shard_assignments"]["runner_to_shard"].as_object().unwrap().values().next().unwrap().clone();
    shard["PipelineShardMetadata"]["model_card"]["model_id"] = json!(model);
    ring["shard_assignments"] = json!({ "model_id": model, "runner_to_shard": { runner: shard }, "node_to_runner": { PHONE: runner } });
    instance
}

pub(super) fn instance_created(id: &str, runner: &str, model: &str) -> Value {
    json!({ "InstanceCreated": { "event_id": "e", "instance": instance(id, runner, model) } })
}

pub(super) fn instance_deleted(id: &str) -> Value {
    json!({ "InstanceDeleted": { "event_id": "e", "instance_id": id } })
}

/// A question to instance `i`, with these parameters changed.
pub(super) fn question(task: &str, words: &str, changed: &Value) -> Value {
    json!({ "TaskCreated": { "event_id": "e", "task_id": task, "task": task_of(task, words, changed, "Pending") } })
}

pub(super) fn task_of(task: &str, words: &str, changed: &Value, status: &str) -> Value {
    let mut params =
        json!({ "model": MODEL, "input": [{ "role": "user", "content": words }], "stream": true });
    for (key, value) in changed.as_object().unwrap() {
        params[key] = value.clone();
    }
    json!({ "TextGeneration": { "task_id": task, "task_status": status, "instance_id": "i",
        "command_id": format!("command-{task}"), "task_params": params, "error_type": null, "error_message": null } })
}

pub(super) fn task_status(task: &str, status: &str) -> Value {
    json!({ "TaskStatusUpdated": { "event_id": "e", "task_id": task, "task_status": status } })
}
