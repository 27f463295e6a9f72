//! The rows, by family.

use anyhow::{Result, bail};
use bench_race::{plan::Plan, row::Row};

mod alike;
mod crowd;
mod forecast;
mod links;
pub mod look;

/// A family of rows: its name, what to tell the waiting reader, and the run.
type Family = (&'static str, &'static str, fn(&Plan) -> Vec<Row>);

const FAMILIES: [Family; 5] = [
    ("P14", "placement of alike layers, beside CP-SAT and HiGHS", alike::run),
    ("P14b", "placement over general links, beside ten seconds of CP-SAT a problem", links::run),
    ("P15", "thermal forecasts", forecast::run),
    ("P21", "an aggregator of 1,000 devices", crowd::run),
    ("P22", "a look at this machine", look::run),
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
