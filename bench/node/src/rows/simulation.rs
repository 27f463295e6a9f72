//! P20: how fast virtual time runs.

use std::{process::Command, time::Instant};

use bench_race::{
    plan::Plan,
    race::{Outcome, once},
    row::{Bar, Row, Spec, Unit},
    stats::Statistic,
};

pub fn run(plan: &Plan) -> Vec<Row> {
    let spec = Spec {
        id: "P20",
        what: "simulation of 1,000 phones for 10 virtual minutes, one event a phone each 15 s",
        unit: Unit::Cost { name: "s", scale: 1.0 },
        goal: "<= 60 s",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let minutes = if plan.quick { "2" } else { "10" };
    let simulate = || {
        let mut command = Command::new(plan.root.join("target/sim/exo-sim"));
        command.args(["--seeds", "1", "--phones", "1000", "--minutes", minutes]);
        let start = Instant::now();
        let output = command.output()?;
        anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(start.elapsed().as_secs_f64())
    };
    let ours = once("ours", env!("CARGO_PKG_VERSION"), simulate);
    vec![Row { spec, ours, limit: Some(Outcome::fixed("goal", 60.0)), peers: Vec::new() }]
}
