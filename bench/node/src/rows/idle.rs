//! P19: what a member that does nothing costs in CPU, in a cluster of four.

use bench_race::{
    plan::Plan,
    race::{Outcome, once},
    row::{Bar, Row, Spec, Unit},
    stats::Statistic,
};

use crate::measured::by_python;

pub fn run(plan: &Plan) -> Vec<Row> {
    let seconds = if plan.quick { "5" } else { "120" };
    let spec = Spec {
        id: "P19",
        what: "CPU of an idle member in a cluster of 4",
        unit: Unit::Cost { name: "% of one core", scale: 100.0 },
        goal: "<= 0.5%",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let ours = once("ours", env!("CARGO_PKG_VERSION"), by_python(plan, &["idle", seconds, "4"]));
    vec![Row { spec, ours, limit: Some(Outcome::fixed("goal", 0.005)), peers: Vec::new() }]
}
