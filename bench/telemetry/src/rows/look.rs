//! P22: a look at everything that this machine's files tell.

use std::{
    hint::black_box,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use bench_race::{
    plan::Plan,
    race::{Contestant, Outcome, Sample, median_seconds, once},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};
use exo_node::probe::LinuxProbe;
use exo_telemetry::{
    Now, Readings, Timestamp,
    now::Moment,
    probe::Probe,
    reading::{Groups, Quantity},
};

use crate::counting;

const LOOKS: usize = 1_000;

pub fn run(plan: &Plan) -> Vec<Row> {
    [("P22.time", time as fn(&Plan) -> Row), ("P22.allocations", allocations)]
        .into_iter()
        .filter(|(id, _)| plan.wants(id))
        .map(|(_, row)| row(plan))
        .collect()
}

fn time(plan: &Plan) -> Row {
    let spec = Spec {
        id: "P22.time",
        what: "a look at all readings of this machine, p50",
        unit: Unit::Cost { name: "us", scale: 1e6 },
        goal: "<= 200 us",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let mut host = Host::new();
    let sample: Sample<'_> = Box::new(move || {
        median_seconds(LOOKS, || {
            host.look();
            Ok(())
        })
    });
    let ours = Contestant::new("ours", env!("CARGO_PKG_VERSION"), Ok(sample));
    let mut row = Field { spec, ours, limit: None, peers: Vec::new() }.run(plan.rounds(15));
    row.limit = Some(Outcome::fixed("goal", 200e-6));
    row
}

fn allocations(_: &Plan) -> Row {
    let spec = Spec {
        id: "P22.allocations",
        what: "allocations in 1,000 looks, after the first three",
        unit: Unit::Cost { name: "allocations", scale: 1.0 },
        goal: "none",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let ours = once("ours", env!("CARGO_PKG_VERSION"), || Ok(counted(Host::new()) as f64));
    Row { spec, ours, limit: Some(Outcome::fixed("goal", 0.0)), peers: Vec::new() }
}

fn counted(mut host: Host) -> usize {
    for _ in 0..3 {
        host.look();
    }
    counting::allocations(|| (0..LOOKS).for_each(|_| host.look()))
}

/// How many readings this machine has at all: a look at a phone's many sensors takes longer.
pub fn available() -> String {
    let mut host = Host::new();
    // The processor's is the difference of two looks.
    host.look();
    host.look();
    let had = Quantity::ALL.iter().filter(|quantity| host.readings.get(**quantity).value().is_some());
    format!("{} of {} are available", had.count(), Quantity::ALL.len())
}

/// This machine.
struct Host {
    probe: LinuxProbe,
    readings: Readings,
    start: Instant,
}

impl Host {
    fn new() -> Self {
        let readings = Readings::unavailable("not looked at", Timestamp(0));
        Self { probe: LinuxProbe::default(), readings, start: Instant::now() }
    }

    fn look(&mut self) {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = Now { mono: Moment::after_start(self.start.elapsed()), wall };
        self.probe.read(now, Groups::ALL, &mut self.readings);
        black_box(&self.readings);
    }
}
