//! `./scripts/bench gpu`: exo-gpu beside its rivals, everybody in turns in one run.
//!
//! The race, its goals and its reports are [`bench_race`]'s; here is the work.

mod data;
mod ours;
mod rivals;
mod rows;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use bench_race::{Titles, ended, family, light, machine, peer, plan, publish, race, row, stats};

const TITLES: Titles = Titles { part: "gpu", page: "GPU benchmarks", plot: "exo-gpu beside its rivals" };

const HELP: &str = "\
Races exo-gpu against wgpu, raw ash, memcpy, numpy, ncnn and ggml, everybody in turns in one run.

usage: ./scripts/bench gpu [--only ID]... [--quick]

  --only ID   one row (P1.up) or family (P1); may be given several times
  --quick     few rounds: shows that everything works; its figures are not for quoting

rows: P0 open, P1 transfers of 16 MiB, P2 upload of 1 MiB, P3 allocate and free, P4 one dispatch, P5 matmul on
      lavapipe, P6 matmul on the CPU, P7 4-bit matvec on the CPU, P8 4-bit matvec on lavapipe, P9 attention on
      the CPU, M1 peak memory

A whole run writes docs/benchmarks/gpu.{json,md,svg}; a partial or quick one writes to bench/target/partial/.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    ended(match words.as_slice() {
        ["child", rest @ ..] => child(rest),
        _ => bench(arguments),
    })
}

/// What a fresh process measures for its parent.
fn child(words: &[&str]) -> Result<()> {
    let number = match words {
        ["open", who] => rows::open::child(who, None)?,
        ["open", who, folder] => rows::open::child(who, Some(Path::new(folder)))?,
        ["upload", who] => rows::upload::child(who)?,
        _ => bail!("this is for the benchmark itself"),
    };
    println!("{number}");
    Ok(())
}

fn bench(arguments: Vec<String>) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(PathBuf::from);
    let Some(plan) = plan::Plan::parse(arguments, &root.context("not in the repository")?, HELP)? else {
        return Ok(());
    };
    let machine = machine::Machine::ask(&plan.root, vulkan());
    let rows = family::run(&plan, &rows::FAMILIES)?;
    publish(TITLES, &plan, machine, &rows)
}

/// The Vulkan that the lavapipe rows run on.
fn vulkan() -> BTreeMap<String, String> {
    let (device, driver) = match rivals::raw::Raw::open() {
        Ok(raw) => (raw.name.clone(), raw.driver.clone()),
        Err(error) => (format!("unavailable: {error:#}"), "unavailable".into()),
    };
    BTreeMap::from([("vulkan_device".into(), device), ("vulkan_driver".into(), driver)])
}
