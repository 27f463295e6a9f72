//! P26: four chats at once, beside one chat alone. The weights are read once for all of them.

use std::{cell::RefCell, rc::Rc};

use anyhow::{Result, anyhow};
use exo_gpu::BackendKind;

use crate::{
    maker,
    ours::{self, Ours},
    plan::Plan,
    race::{Contestant, Sample, settle},
    row::{Bar, Field, Row, Spec, Unit},
    shape::{LLAMA, QWEN},
    stats::Statistic,
    work::Work,
};

const CHATS: u32 = 4;
const CONTEXT: u32 = 128;
const TOKENS: u32 = 32;

/// P26: costs are seconds for each chat's tokens, so that rates are of all chats together.
pub fn run(plan: &Plan) -> Vec<Row> {
    let rows = [
        (&LLAMA, "P26.llama", "4 chats at once, Llama-3.2-1B's shape, CPU"),
        (&QWEN, "P26.qwen", "4 chats at once, Qwen3-0.6B's shape, CPU"),
    ];
    let wanted = rows.into_iter().filter(|(_, id, _)| plan.wants(id));
    wanted
        .map(|(shape, id, what)| {
            let models = plan.root.join("bench/target/models");
            let ours = maker::model(shape, &models).and_then(|model| Ours::load(BackendKind::Cpu, &model));
            let ours = ours.map(|ours| Rc::new(RefCell::new(ours)));
            let sample = |chats: u32| -> Result<Sample<'static>> {
                let ours = ours.as_ref().map_err(|error| anyhow!("{error:#}"))?.clone();
                Ok(Box::new(move || {
                    settle();
                    let work = Work::Chats { chats, context: CONTEXT, tokens: TOKENS };
                    Ok(ours.borrow_mut().seconds(work)? / f64::from(chats))
                }))
            };
            Field {
                spec: Spec {
                    id,
                    what,
                    unit: Unit::Rate { name: "tokens/s", work: f64::from(TOKENS) },
                    goal: ">= 2x one chat's",
                    bars: &[Bar::Limit(2.0)],
                    statistic: Statistic::Best,
                },
                ours: Contestant::new("ours", ours::VERSION, sample(CHATS)),
                limit: Some(Contestant::new("one chat", "", sample(1))),
                peers: Vec::new(),
            }
            .run(plan.rounds(10))
        })
        .collect()
}
