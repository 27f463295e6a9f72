//! The rows, by family.

use anyhow::{Result, bail};
use bench_race::{plan::Plan, row::Row};

mod idle;
mod latency;
mod memory;
mod replica;
mod simulation;
mod visible;

/// A family of rows: its name, what to tell the waiting reader, and the run.
type Family = (&'static str, &'static str, fn(&Plan) -> Vec<Row>);

const FAMILIES: [Family; 6] = [
    ("P9", "from process start to the peer's /state", visible::run),
    ("P10", "resident memory, ten minutes each", memory::run),
    ("P13", "put to callback", latency::run),
    ("P18", "events parsed and applied", replica::run),
    ("P19", "CPU of an idle member, two minutes", idle::run),
    ("P20", "the simulation", simulation::run),
];

/// Runs what the plan wants.
pub fn run(plan: &Plan) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, what, family) in FAMILIES {
        if plan.wants(name) {
            eprintln!("{name}  {what} ...");
            rows.extend(family(plan));
        }
    }
    rows.retain(|row| plan.wants(row.spec.id));
    if rows.is_empty() {
        bail!("no such row; --help lists them");
    }
    Ok(rows)
}
