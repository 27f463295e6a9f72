//! P16 and P16c: one chat's tokens a second, after a short and after a long context.
//!
//! The limit is reading, at this machine's own pace, what a token has to read: all weights and its context. So the ratio
//! to it is the fraction of the memory's bandwidth that was reached.

use std::{cell::RefCell, path::Path, rc::Rc};

use anyhow::{Result, anyhow};
use exo_gpu::BackendKind;

use crate::{
    light, maker,
    ours::{self, Ours},
    plan::Plan,
    race::{Contestant, Sample, settle},
    rivals::{self, Rival},
    row::{Bar, Field, Row, Spec, Unit},
    shape::{LLAMA, QWEN, Shape},
    stats::Statistic,
    work::Work,
};

const TOKENS: u32 = 32;
/// A token on lavapipe takes a rival seconds.
const TOKENS_ON_LAVAPIPE: u32 = 4;

const ROWS: [(&Shape, u32, &str, &str); 4] = [
    (&LLAMA, 128, "P16.llama-128", "decode, Llama-3.2-1B's shape, context 128, CPU"),
    (&LLAMA, 2048, "P16.llama-2048", "decode, Llama-3.2-1B's shape, context 2048, CPU"),
    (&QWEN, 128, "P16.qwen-128", "decode, Qwen3-0.6B's shape, context 128, CPU"),
    (&QWEN, 2048, "P16.qwen-2048", "decode, Qwen3-0.6B's shape, context 2048, CPU"),
];

/// P16: on the CPU.
pub fn run_cpu(plan: &Plan) -> Vec<Row> {
    let mut rows = Vec::new();
    for shape in [&LLAMA, &QWEN] {
        let of_shape = || ROWS.iter().filter(|row| row.0.key == shape.key && plan.wants(row.2));
        if of_shape().next().is_none() {
            continue;
        }
        let field = Runners::new(plan, shape, BackendKind::Cpu);
        for &(_, context, id, what) in of_shape() {
            let spec = spec(id, what, TOKENS, ">= 1.1x the best peer", &[Bar::BestPeer(1.1)]);
            rows.push(field.row(spec, context, TOKENS, plan.rounds(10)));
        }
    }
    rows
}

/// P16c: on lavapipe.
pub fn run_vulkan(plan: &Plan) -> Vec<Row> {
    let field = Runners::new(plan, &QWEN, BackendKind::Vulkan);
    let spec = spec(
        "P16c",
        "decode, Qwen3-0.6B's shape, context 128, lavapipe",
        TOKENS_ON_LAVAPIPE,
        ">= 1.5x ggml-vulkan",
        &[Bar::BestPeer(1.5)],
    );
    vec![field.row(spec, 128, TOKENS_ON_LAVAPIPE, plan.rounds(3))]
}

fn spec(id: &'static str, what: &'static str, tokens: u32, goal: &'static str, bars: &'static [Bar]) -> Spec {
    let unit = Unit::Rate { name: "tokens/s", work: f64::from(tokens) };
    Spec { id, what, unit, goal, bars, statistic: Statistic::Best }
}

/// Everybody with the model of one shape loaded: loading takes longer than any sample.
struct Runners {
    shape: &'static Shape,
    ours: Result<Rc<RefCell<Ours>>>,
    rivals: Vec<Rival>,
}

impl Runners {
    fn new(plan: &Plan, shape: &'static Shape, backend: BackendKind) -> Self {
        let loaded = |model: &Path| -> Result<_> { Ok(Rc::new(RefCell::new(Ours::load(backend, model)?))) };
        match maker::model(shape, &plan.root.join("bench/target/models")) {
            Ok(model) => {
                let rivals = match backend {
                    BackendKind::Vulkan => rivals::on_vulkan(plan, &model),
                    _ => rivals::on_cpu(plan, &model),
                };
                Self { shape, ours: loaded(&model), rivals }
            }
            Err(error) => Self { shape, ours: Err(error), rivals: Vec::new() },
        }
    }

    fn row(&self, spec: Spec, context: u32, tokens: u32, rounds: usize) -> Row {
        let work = Work::Decode { context, tokens };
        let words = vec![1u64; self.shape.bytes_of_a_token(context as usize) / 8];
        let limit: Sample<'static> = Box::new(move || Ok(light::reading(&words)? * f64::from(tokens)));
        Field {
            spec,
            ours: Contestant::new("ours", ours::VERSION, self.sample(work)),
            limit: Some(Contestant::new("reading weights and context", "", Ok(limit))),
            peers: self.rivals.iter().map(|rival| rival.contestant(work)).collect(),
        }
        .run(rounds)
    }

    fn sample(&self, work: Work) -> Result<Sample<'static>> {
        let ours = self.ours.as_ref().map_err(|error| anyhow!("{error:#}"))?.clone();
        Ok(Box::new(move || {
            settle();
            ours.borrow_mut().seconds(work)
        }))
    }
}
