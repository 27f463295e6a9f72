//! P25: what the way through a cluster adds to the time to the first token.
//!
//! The same model answers twice in each round: in this process, and as a phone in a network namespace that is asked through
//! exo's own interface (`first_token.py`). The difference is discovery-free: task event, worker, chunks, and back.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use exo_engine::tiny;
use exo_gpu::BackendKind;

use crate::{
    maker,
    ours::{self, Ours},
    peer::Peer,
    plan::Plan,
    race::{Contestant, Outcome, Sample, settle},
    row::{Bar, Field, Row, Spec, Unit},
    shape::{QWEN, Shape},
    stats::Statistic,
    work::Work,
};

/// Of the question; its tokenizer makes a token of each. Longer than exo's interface takes until it listens.
const BYTES: u32 = 96;
const GOAL_SECONDS: f64 = 0.030;

/// P25.
pub fn run(plan: &Plan) -> Vec<Row> {
    let field = Field {
        spec: Spec {
            id: "P25",
            what: "first token through a cluster, beyond the engine's own time, Qwen3-0.6B's layers, CPU",
            unit: Unit::Cost { name: "ms", scale: 1e3 },
            goal: "<= 30 ms",
            bars: &[Bar::Limit(1.0)],
            statistic: Statistic::Median,
        },
        ours: Contestant::new("ours", ours::VERSION, sample(plan)),
        limit: None,
        peers: Vec::new(),
    };
    let limit = Some(Outcome::fixed("goal", GOAL_SECONDS));
    vec![Row { limit, ..field.run(plan.rounds(10)) }]
}

fn sample(plan: &Plan) -> Result<Sample<'static>> {
    let model = talking_model(&plan.root.join("bench/target/models"))?;
    let mut alone = Ours::load(BackendKind::Cpu, &model)?;
    let mut phone = Command::new(plan.root.join(".tools/python/bin/python"));
    phone.arg(plan.root.join("bench/engine/first_token.py")).arg(&model);
    phone.env("EXO_PHONE", plan.root.join("target/release/exo-phone"));
    let mut phone = Peer::start("phone", &mut phone, &plan.peers())?;
    Ok(Box::new(move || {
        let answer = phone.ask(&format!("first {BYTES}"))?;
        let (seconds, tokens) = answer.split_once(' ').context("two numbers were expected")?;
        let (seconds, tokens): (f64, u32) = (seconds.parse()?, tokens.parse()?);
        settle();
        Ok(seconds - alone.seconds(Work::Prefill { tokens })?)
    }))
}

/// A model of real layers with a tokenizer: that of the tiny model, whose words are the whole vocabulary.
fn talking_model(models: &Path) -> Result<std::path::PathBuf> {
    let tiny = models.join("tiny");
    tiny::write(&tiny, 1)?;
    let config: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(tiny.join("config.json"))?)?;
    let vocabulary = config["vocab_size"].as_u64().context("the tiny model has a vocabulary")? as usize;
    let model = maker::model(&Shape { key: "talking", vocabulary, ..QWEN }, models)?;
    for name in ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"] {
        let copied = std::fs::copy(tiny.join(name), model.join(name))?;
        ensure!(copied > 0, "{name} is empty");
    }
    Ok(model)
}
