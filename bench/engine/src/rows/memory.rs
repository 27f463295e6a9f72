//! P24: what a process has at its peak beyond the weights and the cache, after loading, a prompt and some tokens.

use std::{path::Path, process::Command};

use anyhow::{Result, anyhow, ensure};
use exo_gpu::BackendKind;

use crate::{
    machine::peak_bytes,
    maker,
    ours::{self, Ours},
    plan::Plan,
    race::{Contestant, Outcome, Sample},
    row::{Bar, Field, Row, Spec, Unit},
    shape::{LLAMA, QWEN, Shape},
    stats::Statistic,
    work::Work,
};

const MIB: f64 = 1_048_576.0;
/// Positions of the cache. All of them are used, or memory would be counted that nobody touched.
const CONTEXT: u32 = 1024;

/// P24.
pub fn run(plan: &Plan) -> Vec<Row> {
    let rows = [
        (&LLAMA, "P24.llama", "peak beyond weights and cache, Llama-3.2-1B's shape, CPU"),
        (&QWEN, "P24.qwen", "peak beyond weights and cache, Qwen3-0.6B's shape, CPU"),
    ];
    let wanted = rows.into_iter().filter(|(_, id, _)| plan.wants(id));
    wanted.map(|(shape, id, what)| row(plan, shape, id, what)).collect()
}

fn row(plan: &Plan, shape: &Shape, id: &'static str, what: &'static str) -> Row {
    let model = maker::model(shape, &plan.root.join("bench/target/models"));
    let sample: Result<Sample<'static>> = model.map(|model| -> Sample<'static> {
        Box::new(move || {
            let mut command = Command::new(std::env::current_exe()?);
            let output = command.args(["child", "memory"]).arg(&model).output()?;
            let said = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "the child ended with {}: {}", output.status, said.trim());
            let text = String::from_utf8_lossy(&output.stdout);
            text.trim().parse().map_err(|_| anyhow!("the child printed no number"))
        })
    });
    let field = Field {
        spec: Spec {
            id,
            what,
            unit: Unit::Cost { name: "MiB", scale: 1.0 / MIB },
            goal: "<= 5% of them + 64 MiB",
            bars: &[Bar::Limit(1.0)],
            statistic: Statistic::Median,
        },
        ours: Contestant::new("ours", ours::VERSION, sample),
        limit: None,
        peers: Vec::new(),
    };
    let held = shape.bytes_of_a_token(CONTEXT as usize) as f64;
    let limit = Some(Outcome::fixed("budget", 0.05 * held + 64.0 * MIB));
    Row { limit, ..field.run(plan.rounds(3).min(3)) }
}

/// The child's part: the peak of the whole process, less what weights and cache take by the model's own plan.
pub fn child(model: &Path) -> Result<f64> {
    let mut ours = Ours::load_on(&ours::open(BackendKind::Cpu)?, model, CONTEXT)?;
    ours.seconds(Work::Decode { context: CONTEXT - 33, tokens: 32 })?;
    let memory = ours.model().memory();
    let beyond = peak_bytes()? - (memory.weights + memory.cache) as f64;
    ensure!(beyond > 4096.0, "the peak is below weights and cache: they were never touched");
    Ok(beyond)
}
