//! P23: from a directory to a model that can compute, beside reading its file into memory once.
//!
//! The file is in the page cache after the round that does not count. The limit reads into memory that it has to ask
//! for, as a model does.

use std::{hint::black_box, path::Path, time::Instant};

use anyhow::{Result, anyhow};
use exo_gpu::BackendKind;

use crate::{
    maker,
    ours::{self, Ours},
    plan::Plan,
    race::{Contestant, Sample},
    row::{Bar, Field, Row, Spec, Unit},
    shape::{LLAMA, QWEN},
    stats::Statistic,
};

/// Positions of the cache: a chat's.
const CONTEXT: u32 = 2048;

/// P23.
pub fn run(plan: &Plan) -> Vec<Row> {
    let rows = [
        (&LLAMA, "P23.llama", "load, Llama-3.2-1B's shape, warm page cache, CPU"),
        (&QWEN, "P23.qwen", "load, Qwen3-0.6B's shape, warm page cache, CPU"),
    ];
    let wanted = rows.into_iter().filter(|(_, id, _)| plan.wants(id));
    wanted
        .map(|(shape, id, what)| {
            let model = maker::model(shape, &plan.root.join("bench/target/models"));
            let sample = |timed: fn(&Path) -> Result<f64>| -> Result<Sample<'static>> {
                let model = model.as_ref().map_err(|error| anyhow!("{error:#}"))?.clone();
                Ok(Box::new(move || timed(&model)))
            };
            Field {
                spec: Spec {
                    id,
                    what,
                    unit: Unit::Cost { name: "ms", scale: 1e3 },
                    goal: "<= 1.2x reading the file",
                    bars: &[Bar::Limit(1.0 / 1.2)],
                    statistic: Statistic::Best,
                },
                ours: Contestant::new("ours", ours::VERSION, sample(loading)),
                limit: Some(Contestant::new("reading the file into memory", "", sample(reading))),
                peers: Vec::new(),
            }
            .run(plan.rounds(10))
        })
        .collect()
}

fn loading(model: &Path) -> Result<f64> {
    let device = ours::open(BackendKind::Cpu)?;
    let start = Instant::now();
    let ours = Ours::load_on(&device, model, CONTEXT)?;
    let seconds = start.elapsed().as_secs_f64();
    drop(ours);
    Ok(seconds)
}

fn reading(model: &Path) -> Result<f64> {
    let start = Instant::now();
    black_box(std::fs::read(model.join("model.safetensors"))?);
    Ok(start.elapsed().as_secs_f64())
}
