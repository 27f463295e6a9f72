//! A tiny model on the CPU behind the worker's trait, and somebody who has wishes.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use exo_engine::tiny;
use exo_gpu::{BackendKind, Gpu, OpenOptions};
use exo_node::{
    now::Moment,
    worker::{Engine, Report, Step, Token, Wish},
};
use exo_serving::{Host, ModelEngine, Settings, Shelf};
use exo_wire::{ModelId, RunnerId, TaskId, shard::ShardMetadata, text::TextGenerationTaskParams};
use serde_json::{Value, json};

use crate::server::Server;

pub(crate) const MODEL: &str = "exo-mobile/tiny-random";
pub(crate) const LAYERS: u32 = 3;
/// A test that waits longer has found a fault.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Stage {
    pub(crate) engine: ModelEngine,
    pub(crate) host: Host,
    pub(crate) told: Vec<Report>,
    asked: u32,
}

/// A directory of the test's own.
pub(crate) fn own_directory(of: &str) -> PathBuf {
    let test = std::thread::current().name().unwrap_or("main").replace(':', "-");
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(of).join(test)
}

/// One with the tiny model in it.
pub(crate) fn directory() -> PathBuf {
    let path = own_directory("serving");
    tiny::write(&path, 7).unwrap();
    path
}

pub(crate) fn shard(model: &str, layers: u32) -> ShardMetadata {
    let card = json!({
        "model_id": model, "storage_size": {"in_bytes": 1 << 20}, "n_layers": layers, "hidden_size": 64,
        "supports_tensor": false, "num_key_value_heads": 2, "tasks": ["TextGeneration"], "components": null,
        "backends": ["MlxCpu"], "vision": null,
    });
    let shard = json!({"PipelineShardMetadata": {
        "model_card": card, "device_rank": 0, "world_size": 1, "should_timeout": null,
        "start_layer": 0, "end_layer": layers, "n_layers": layers,
    }});
    serde_json::from_value(shard).unwrap()
}

pub(crate) fn runner() -> RunnerId {
    RunnerId::heard("runner")
}

/// A question in exo's words, answered by the likeliest tokens.
pub(crate) fn question(words: &str, tokens: u32, more: &Value) -> TextGenerationTaskParams {
    let mut question = json!({
        "model": MODEL, "input": [{"role": "user", "content": words}], "max_output_tokens": tokens, "temperature": 0,
        "bench": true, "use_prefix_cache": true,
    });
    for (key, value) in more.as_object().unwrap() {
        question[key] = value.clone();
    }
    serde_json::from_str(&question.to_string()).unwrap()
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(OpenOptions::new())
    }

    pub(crate) fn with(open: OpenOptions) -> Self {
        let gpu = Gpu::open(open.remember_nothing().backend(BackendKind::Cpu)).unwrap();
        let shelf = Shelf::default().with(ModelId::parse(MODEL).unwrap(), directory());
        Self::of(gpu, shelf)
    }

    /// With an empty directory, and somebody who brings models into it.
    pub(crate) fn supplied(server: &Arc<Server>) -> Self {
        Self::supplied_with(OpenOptions::new(), server)
    }

    pub(crate) fn supplied_with(open: OpenOptions, server: &Arc<Server>) -> Self {
        let gpu = Gpu::open(open.remember_nothing().backend(BackendKind::Cpu)).unwrap();
        let mut stage = Self::of(gpu, Shelf::in_directory(&server.root));
        stage.host.supply_from(Some(server.supply()));
        stage.step();
        stage
    }

    fn of(gpu: Gpu, shelf: Shelf) -> Self {
        let host = Host::start(gpu, shelf, Settings::default()).unwrap();
        Self { engine: ModelEngine::new(host.clone()), host, told: Vec::new(), asked: 0 }
    }

    /// With a model that is loaded and was tried out.
    pub(crate) fn ready() -> Self {
        let mut stage = Self::new();
        stage.wish(Wish::Load(runner(), shard(MODEL, LAYERS)));
        stage.until("it is loaded", |told| told.contains(&Report::Loaded(runner())));
        stage.wish(Wish::WarmUp(runner()));
        stage.until("it is warm", |told| told.contains(&Report::WarmedUp(runner())));
        stage.told.clear();
        stage
    }

    pub(crate) fn wish(&mut self, wish: Wish) {
        self.told.extend(wish.put_to(&mut self.engine));
    }

    pub(crate) fn ask(&mut self, question: TextGenerationTaskParams) -> TaskId {
        self.asked += 1;
        let task = TaskId::heard(&format!("task {}", self.asked));
        self.wish(Wish::Generate(runner(), task.clone(), Arc::new(question)));
        task
    }

    /// One step, as the driver does it.
    pub(crate) fn step(&mut self) -> Step {
        let told = &mut self.told;
        self.engine.step(Moment::default(), &mut |report| told.push(report))
    }

    pub(crate) fn until(&mut self, what: &str, holds: impl Fn(&[Report]) -> bool) {
        let began = Instant::now();
        while !holds(&self.told) {
            assert!(began.elapsed() < PATIENCE, "{what}: {:?}", self.told);
            self.step();
            std::thread::yield_now();
        }
    }

    /// Gives the host the time for some steps that it should not do.
    pub(crate) fn rest(&mut self) {
        self.host.settle();
        std::thread::sleep(Duration::from_millis(50));
        self.step();
    }

    /// Asks, and waits for the whole answer.
    pub(crate) fn answer(&mut self, question: TextGenerationTaskParams) -> Vec<Token> {
        let task = self.ask(question);
        self.until("an answer", |told| {
            tokens(told, &task).last().is_some_and(|token| token.finish.is_some())
        });
        tokens(&self.told, &task)
    }

    /// Why a question was not answered.
    pub(crate) fn refusal(&mut self, question: TextGenerationTaskParams) -> String {
        let task = self.ask(question);
        let why = |told: &[Report]| {
            told.iter().find_map(|report| match report {
                Report::NotAnswered(of, error) if *of == task => Some(error.to_string()),
                _ => None,
            })
        };
        self.until("a refusal", |told| why(told).is_some());
        why(&self.told).unwrap()
    }
}

pub(crate) fn tokens(told: &[Report], task: &TaskId) -> Vec<Token> {
    let of = |report: &Report| match report {
        Report::Token(of, token) if of == task => Some(token.clone()),
        _ => None,
    };
    told.iter().filter_map(of).collect()
}

pub(crate) fn text(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect()
}
