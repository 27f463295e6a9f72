//! `./scripts/bench engine`: exo-engine beside its rivals, everybody in turns in one run.
//!
//! The race, its goals and its reports are [`bench_race`]'s; here is the work. Every contestant runs the same random
//! model ([`maker`]), each in the form that it reads ([`rivals`]).

mod maker;
mod ours;
mod rivals;
mod rows;
mod shape;
mod work;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use bench_race::{Titles, ended, family, light, machine, peer, plan, publish, race, row, stats};

const TITLES: Titles =
    Titles { part: "engine", page: "Engine benchmarks", plot: "exo-engine beside its rivals" };

const HELP: &str = "\
Races exo-engine against llama.cpp, onnxruntime, OpenVINO GenAI, candle and MLX, everybody in turns in one run.

usage: ./scripts/bench engine [--only ID]... [--quick]

  --only ID   one row (P16.llama-128) or family (P16); may be given several times
  --quick     few rounds: shows that everything works; its figures are not for quoting

rows: P16 decoding on the CPU, P16b prompts on the CPU, P16c decoding on lavapipe, P23 loading, P24 memory beyond
      weights and cache, P25 the first token through a cluster (needs root), P26 four chats at once

A whole run writes docs/benchmarks/engine.{json,md,svg}; a partial or quick one writes to bench/target/partial/.
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
        ["memory", folder] => rows::memory::child(Path::new(folder))?,
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
    let facts = BTreeMap::from([
        (
            "weights".into(),
            "random, of the shapes that rows name; 4 bits in groups of 64, as MLX packs them".into(),
        ),
        ("threads".into(), light::THREADS.to_string()),
    ]);
    let machine = machine::Machine::ask(&plan.root, facts);
    let rows = family::run(&plan, &rows::FAMILIES)?;
    publish(TITLES, &plan, machine, &rows)
}
