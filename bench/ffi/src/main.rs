//! `./scripts/bench ffi`: what lies between an app and the library. Bytes and calls from Kotlin, Swift and numpy, the start
//! of an app on the JVM, and the weight of the library for arm64.
//!
//! The programs that measure are written in those languages (`kotlin/`, `swift/`, `numpy_copy.py`) and use the release
//! library as apps do; `scripts/lib/bench_ffi.sh` builds them. What UniFFI does by itself is `empty/` and `plain/`. The race,
//! its goals and its reports are [`bench_race`]'s.

mod programs;
mod rows;
mod weights;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use bench_race::{Titles, ended, family, machine, plan, publish_with};

const TITLES: Titles = Titles {
    part: "ffi",
    page: "Benchmarks of the way into the library",
    plot: "Kotlin, Swift and numpy beside memcpy and beside UniFFI itself",
};

const HELP: &str = "\
Measures what lies between an app and the library.

usage: ./scripts/bench ffi [--only ID]... [--quick]

  --only ID   one row (P11.write) or family (P11); may be given several times
  --quick     few rounds: shows that everything works; its figures are not for quoting

rows: P11 1 MiB between Kotlin and a device's buffer, P11b the same from Swift and numpy, P12 the library for arm64,
      P27 the start of an app on the JVM, P28 one small call from Kotlin

A whole run takes about three minutes beside the builds, which are long the first time, and writes
docs/benchmarks/ffi.{json,md,svg}; a partial or quick one writes to bench/target/partial/.
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
    let weights = if plan.wants("P12") { rows::size::table(&plan)? } else { String::new() };
    publish_with(TITLES, &plan, machine, &rows, &weights)
}

/// What must be known to read the table.
fn facts() -> BTreeMap<String, String> {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unavailable");
    BTreeMap::from([
        ("load_average_at_the_start".into(), load.into()),
        ("bindings".into(), "UniFFI's, on the JVM over JNA".into()),
        ("devices".into(), "lavapipe for Kotlin and numpy, the CPU's memory for Swift".into()),
    ])
}
