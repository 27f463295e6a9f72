//! P9: how soon a phone that was started is seen by the cluster.
//!
//! From the start of the process, through discovery by multicast, the zenoh session and the first event of the
//! master, to our node id in the peer's `/state`. Most of it is waiting for that first event: exo's master emits at
//! least one a second.

use bench_race::{
    plan::Plan,
    race::{Contestant, Outcome},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

use crate::measured::by_python;

/// A second exo node on the same LAN: 5.3 s of start, then discovery, election and first telemetry. Measured once, on
/// exo b5375f8.
const EXO_NODE: f64 = 9.25;

pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P9",
        what: "process start to visible in the peer's /state",
        unit: Unit::Cost { name: "s", scale: 1.0 },
        goal: "<= 1.5 s",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let ours = Contestant::new("ours", env!("CARGO_PKG_VERSION"), Ok(by_python(plan, &["visible"])));
    let mut row = Field { spec, ours, limit: None, peers: Vec::new() }.run(plan.rounds(10));
    row.limit = Some(Outcome::fixed("goal", 1.5));
    row.peers = vec![Outcome::fixed("an exo node (given)", EXO_NODE)];
    vec![row]
}
