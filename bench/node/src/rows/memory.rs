//! P10: what a member that does nothing keeps in memory.

use std::thread::ScopedJoinHandle;

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
    let wanted =
        [(idle, "2", 15e6), (crowd, "50", 20e6)].into_iter().filter(|(spec, ..)| plan.wants(spec.id));
    // Side by side: memory does not care, and ten minutes are long.
    std::thread::scope(|scope| {
        let measure =
            |nodes| once("ours", env!("CARGO_PKG_VERSION"), by_python(plan, &["memory", seconds, nodes]));
        let started: Vec<_> =
            wanted.map(|(spec, nodes, goal)| (spec, goal, scope.spawn(move || measure(nodes)))).collect();
        let row = |(spec, goal, measuring): (Spec, f64, ScopedJoinHandle<'_, Outcome>)| {
            let ours = measuring
                .join()
                .unwrap_or_else(|_| once("ours", "", || anyhow::bail!("the measuring broke off")));
            let peers = vec![Outcome::fixed("an exo node (given)", EXO_NODE)];
            Row { spec, ours, limit: Some(Outcome::fixed("goal", goal)), peers }
        };
        started.into_iter().map(row).collect()
    })
}
