//! `./scripts/bench gpu`: exo-gpu beside its rivals, everybody in turns in one run.
//!
//! Each row has contestants ([`race`]) and a goal ([`row`]); the figures go to JSON ([`report`]), a table
//! ([`table`]) and a plot ([`plot`]). A rival that cannot run stays in its row with the error, and the row is not
//! met.

mod data;
mod light;
mod machine;
mod ours;
mod peer;
mod plan;
mod plot;
mod race;
mod report;
mod rivals;
mod row;
mod rows;
mod stats;
mod table;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["child", rest @ ..] => child(rest),
        _ => bench(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
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
    let Some(plan) = plan::Plan::parse(arguments, &root.context("not in the repository")?)? else {
        return Ok(());
    };
    let vulkan = rivals::raw::Raw::open().map(|raw| (raw.name.clone(), raw.driver.clone()));
    let machine = machine::Machine::ask(&plan.root, vulkan.map_err(|error| format!("{error:#}")));
    let rows = rows::run(&plan)?;
    let reasons = reasons(&plan.root)?;
    let folder = plan.output();
    std::fs::create_dir_all(&folder)?;
    let page = table::page(&machine, plan.quick, &rows, &reasons);
    std::fs::write(folder.join("gpu.md"), &page)?;
    std::fs::write(folder.join("gpu.svg"), plot::svg(&machine, &rows))?;
    let report = report::Report::of(machine, plan.quick, &rows, &reasons);
    std::fs::write(folder.join("gpu.json"), serde_json::to_string_pretty(&report)? + "\n")?;
    println!("{page}");
    let met = rows.iter().filter(|row| row.is_met()).count();
    println!("{met} of {} goals met; written to {}/gpu.{{json,md,svg}}", rows.len(), folder.display());
    Ok(())
}

/// Why rows miss their goals, as people found by profiling; shown only beside a row that does.
fn reasons(root: &Path) -> Result<BTreeMap<String, String>> {
    let path = root.join("bench/reasons.json");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}
