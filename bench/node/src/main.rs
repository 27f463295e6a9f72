//! `./scripts/bench node`: what a member costs, beside what it should cost.
//!
//! The rows that look at a member from outside run the release program in network namespaces (`measure.py`); the
//! others run in this process. The race, its goals and its reports are [`bench_race`]'s.

mod measured;
mod rows;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use bench_race::{Titles, ended, family, machine, plan, publish};

const TITLES: Titles =
    Titles { part: "node", page: "Node benchmarks", plot: "exo-node beside its limits and its peers" };

const HELP: &str = "\
Measures what a member of a cluster costs.

usage: ./scripts/bench node [--only ID]... [--quick]

  --only ID   one row (P10.idle) or family (P10); may be given several times
  --quick     seconds instead of minutes: shows that everything works; its figures are not for quoting

rows: P9 time to be seen, P10 memory after ten minutes, P13 put to callback, P18 events parsed and applied,
      P19 CPU of an idle member, P20 the simulation

P9, P10 and P19 run the release program beside a Python peer that plays exo, in network namespaces: that needs root.
A whole run takes about twenty minutes and writes docs/benchmarks/node.{json,md,svg}.
";

fn main() -> ExitCode {
    ended(bench(std::env::args().skip(1).collect()))
}

fn bench(arguments: Vec<String>) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(PathBuf::from);
    let Some(plan) = plan::Plan::parse(arguments, &root.context("not in the repository")?, HELP)? else {
        return Ok(());
    };
    let machine = machine::Machine::ask(&plan.root, BTreeMap::from([("zenoh".into(), "1.9.0".into())]));
    let rows = family::run(&plan, &rows::FAMILIES)?;
    publish(TITLES, &plan, machine, &rows)
}
