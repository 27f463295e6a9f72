//! P10: what a member that does nothing keeps in memory.

use bench_race::{
    plan::Plan,
    race::{Outcome, once},
    row::{Bar, Row, Spec, Unit},
    stats::Statistic,
};

use crate::measured::by_python;

/// An exo node without MLX, after its start. Measured once, on exo b5375f8.
const EXO_NODE: f64 = 138e6;

pub fn run(plan: &Plan) -> Vec<Row> {
    let seconds = if plan.quick { "5" } else { "600" };
    let spec = |id, what, goal| Spec {
        id,
        what,
        unit: Unit::Cost { name: "MB", scale: 1e-6 },
        goal,
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let idle = spec("P10.idle", "resident memory of an idle member after 10 minutes", "<= 15 MB");
    let crowd = spec("P10.crowd", "the same, in a cluster of 50 nodes", "<= 20 MB");
    [(idle, "2", 15e6), (crowd, "50", 20e6)]
        .into_iter()
        .filter(|(spec, ..)| plan.wants(spec.id))
        .map(|(spec, nodes, goal)| Row {
            spec,
            ours: once("ours", env!("CARGO_PKG_VERSION"), by_python(plan, &["memory", seconds, nodes])),
            limit: Some(Outcome::fixed("goal", goal)),
            peers: vec![Outcome::fixed("an exo node (given)", EXO_NODE)],
        })
        .collect()
}
