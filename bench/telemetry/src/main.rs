//! `./scripts/bench telemetry`: placements beside CP-SAT and `HiGHS`, forecasts beside what came, and what listening to
//! a thousand phones and looking at this machine cost.
//!
//! The race, its goals and its reports are [`bench_race`]'s. The problems, the phones and the traces are those of the
//! tests, so that what is fast is also what was proved right.

mod counting;
mod rows;
mod solvers;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use bench_race::{Titles, ended, family, machine, plan, publish};

/// The clock and the phones of exo-telemetry's own tests, which may unwrap.
#[allow(clippy::unwrap_used, reason = "they are written as tests")]
#[path = "../../../sdk-core/telemetry/tests/common/mod.rs"]
mod common;
#[allow(clippy::unwrap_used, reason = "they are written as tests")]
#[path = "../../../sdk-core/telemetry/tests/common/crowd.rs"]
mod crowd;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

const TITLES: Titles = Titles {
    part: "telemetry",
    page: "Telemetry benchmarks",
    plot: "exo-telemetry beside its limits and its rivals",
};

const HELP: &str = "\
Measures placements beside CP-SAT and HiGHS, forecasts, and what listening and looking cost.

usage: ./scripts/bench telemetry [--only ID]... [--quick]

  --only ID   one row (P14.latency) or family (P14); may be given several times
  --quick     fewer problems and rounds: shows that everything works; its figures are not for quoting

rows: P14 placement of 128 alike layers on 64 devices, P14b of 48 layers on 12 devices with general links,
      P14c a first plan for the largest problem, P15 thermal forecasts, P21 an aggregator of 1,000 devices,
      P22 a look at this machine

A whole run takes about five minutes and writes docs/benchmarks/telemetry.{json,md,svg}; a partial or quick one
writes to bench/target/partial/.
";

fn main() -> ExitCode {
    ended(bench(std::env::args().skip(1).collect()))
}

fn bench(arguments: Vec<String>) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(PathBuf::from);
    let Some(plan) = plan::Plan::parse(arguments, &root.context("not in the repository")?, HELP)? else {
        return Ok(());
    };
    let machine = machine::Machine::ask(&plan.root, facts());
    let rows = family::run(&plan, &rows::FAMILIES)?;
    publish(TITLES, &plan, machine, &rows)
}

/// What must be known to read the table.
fn facts() -> BTreeMap<String, String> {
    let solvers = "CP-SAT with 2 workers, HiGHS as it comes, ours on one core; theirs is the time in the solver alone, \
                   without the start of Python and the building of the model, ours the whole call from checking the \
                   problem to the plan, without explanations";
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unavailable");
    BTreeMap::from([
        // A busy machine slows those most that want both cores for long.
        ("load_average_at_the_start".into(), load.into()),
        ("solvers".into(), solvers.into()),
        ("readings_of_this_machine".into(), rows::look::available()),
    ])
}
