//! P27: what an app waits for when it uses the library for the first time, each time in a JVM of its own.

use bench_race::{
    plan::Plan,
    race::Contestant,
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

use crate::programs::first_use;

pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P27",
        what: "first use on a fresh JVM: library loaded, node opened, p50",
        unit: Unit::Cost { name: "ms", scale: 1e3 },
        goal: "<= 50 ms more than JNA with an empty UniFFI library",
        bars: &[Bar::OverLimit(0.050)],
        statistic: Statistic::Median,
    };
    let ours = Contestant::new("ours", env!("CARGO_PKG_VERSION"), Ok(first_use(plan, "ours")));
    let empty = Contestant::new("JNA and an empty UniFFI library", "", Ok(first_use(plan, "uniffi")));
    vec![Field { spec, ours, limit: Some(empty), peers: Vec::new() }.run(plan.rounds(25))]
}
