//! P11 and P11b: bulk bytes from other languages.

use bench_race::{
    plan::Plan,
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};

use crate::programs::Program;

const SIZE: f64 = (1 << 20) as f64;
const GB_S: Unit = Unit::Rate { name: "GB/s", work: SIZE / 1e9 };

/// P11: a direct `ByteBuffer`, beside C's copy of the same bytes and beside UniFFI's `ByteArray`.
pub fn kotlin(plan: &Plan) -> Vec<Row> {
    let program = Program::kotlin(plan);
    let row = |id, what, ours, theirs| {
        Field {
            spec: Spec {
                id,
                what,
                unit: GB_S,
                goal: ">= 0.8x memcpy, >= 50x UniFFI",
                bars: &[Bar::Limit(0.8), Bar::BestPeer(50.0)],
                statistic: Statistic::Median,
            },
            ours: program.plays("ours", ours),
            limit: Some(program.plays("memcpy", "memcpy")),
            peers: vec![program.plays("UniFFI's ByteArray", theirs)],
        }
        .run(plan.rounds(25))
    };
    [
        ("P11.write", "1 MiB, direct ByteBuffer to device", "write.ours", "write.uniffi"),
        ("P11.read", "1 MiB, device to direct ByteBuffer", "read.ours", "read.uniffi"),
    ]
    .into_iter()
    .filter(|(id, ..)| plan.wants(id))
    .map(|(id, what, ours, theirs)| row(id, what, ours, theirs))
    .collect()
}

/// P11b: the memory of a Swift program and of a numpy array.
pub fn swift_and_numpy(plan: &Plan) -> Vec<Row> {
    let (swift, numpy) = (Program::swift(plan), Program::numpy(plan));
    let row = |id, what, program: &Program, ours| {
        Field {
            spec: Spec {
                id,
                what,
                unit: GB_S,
                goal: ">= 0.8x memcpy",
                bars: &[Bar::Limit(0.8)],
                statistic: Statistic::Median,
            },
            ours: program.plays("ours", ours),
            limit: Some(program.plays("memcpy", "memcpy")),
            peers: Vec::new(),
        }
        .run(plan.rounds(25))
    };
    [
        ("P11b.swift-write", "1 MiB, Swift to device", &swift, "write.ours"),
        ("P11b.swift-read", "1 MiB, device to Swift", &swift, "read.ours"),
        ("P11b.numpy-write", "1 MiB, numpy to device", &numpy, "write.ours"),
        ("P11b.numpy-read", "1 MiB, device to numpy", &numpy, "read.ours"),
    ]
    .into_iter()
    .filter(|(id, ..)| plan.wants(id))
    .map(|(id, what, program, ours)| row(id, what, program, ours))
    .collect()
}
