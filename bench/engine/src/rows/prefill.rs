//! P16b: a prompt of 512 tokens, up to the first token of its answer.

use anyhow::Result;
use exo_gpu::BackendKind;

use crate::{
    maker,
    ours::{self, Ours},
    plan::Plan,
    race::{Contestant, Sample, settle},
    rivals,
    row::{Bar, Field, Row, Spec, Unit},
    shape::{LLAMA, QWEN, Shape},
    stats::Statistic,
    work::Work,
};

const TOKENS: u32 = 512;

/// P16b: on the CPU.
pub fn run(plan: &Plan) -> Vec<Row> {
    let rows = [
        (&LLAMA, "P16b.llama", "prompt of 512, Llama-3.2-1B's shape, CPU"),
        (&QWEN, "P16b.qwen", "prompt of 512, Qwen3-0.6B's shape, CPU"),
    ];
    let wanted = rows.into_iter().filter(|(_, id, _)| plan.wants(id));
    wanted.map(|(shape, id, what)| row(plan, shape, id, what)).collect()
}

fn row(plan: &Plan, shape: &Shape, id: &'static str, what: &'static str) -> Row {
    let work = Work::Prefill { tokens: TOKENS };
    let model = maker::model(shape, &plan.root.join("bench/target/models"));
    let sample = model.as_ref().map_err(|error| anyhow::anyhow!("{error:#}")).and_then(|model| {
        let mut ours = Ours::load(BackendKind::Cpu, model)?;
        let sample: Sample<'static> = Box::new(move || -> Result<f64> {
            settle();
            ours.seconds(work)
        });
        Ok(sample)
    });
    let rivals = model.map(|model| rivals::on_cpu(plan, &model)).unwrap_or_default();
    Field {
        spec: Spec {
            id,
            what,
            unit: Unit::Rate { name: "tokens/s", work: f64::from(TOKENS) },
            goal: ">= 1x the best peer",
            bars: &[Bar::BestPeer(1.0)],
            statistic: Statistic::Best,
        },
        ours: Contestant::new("ours", ours::VERSION, sample),
        limit: None,
        peers: rivals.iter().map(|rival| rival.contestant(work)).collect(),
    }
    .run(plan.rounds(5))
}
