//! P28: one small call from Kotlin, in two shapes.
//!
//! The least that UniFFI can do is a function of nothing. The call that apps make most often, a number into a device's
//! buffer, goes beside UniFFI and must not cost more than that. A method that gives a text takes several of UniFFI's
//! calls by its nature: its measure is UniFFI's own method of the same shape, without a layer and without a node behind it.

use bench_race::{
    plan::Plan,
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

use crate::programs::Program;

pub fn run(plan: &Plan) -> Vec<Row> {
    let program = Program::kotlin(plan);
    [
        (
            "P28.bytes",
            "4 bytes into a device's buffer",
            "call.bytes",
            "an empty UniFFI function",
            "call.uniffi",
        ),
        ("P28.method", "`node.id`, a text of 32 letters", "call.id", "UniFFI's own method", "call.uniffi.id"),
    ]
    .into_iter()
    .filter(|(id, ..)| plan.wants(id))
    .map(|(id, what, ours, rival, theirs)| {
        let spec = Spec {
            id,
            what,
            unit: Unit::Cost { name: "us", scale: 1e6 },
            goal: "<= 1.2x UniFFI's",
            bars: &[Bar::BestPeer(1.0 / 1.2)],
            statistic: Statistic::Median,
        };
        let (ours, peers) = (program.plays("ours", ours), vec![program.plays(rival, theirs)]);
        Field { spec, ours, limit: None, peers }.run(plan.rounds(25))
    })
    .collect()
}
