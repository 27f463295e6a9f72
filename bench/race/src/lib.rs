//! What all benchmarks share: contestants that take turns ([`race`]), rows with goals ([`row`]) in
//! families ([`family`]), and the reports that
//! come of them as JSON ([`report`]), a table ([`table`]) and a plot ([`plot`]). Rivals of other languages are processes
//! that answer lines ([`peer`]), or that print one number and end ([`program`]).
//!
//! A rival that cannot run stays in its row with the error, and the row is not met.

pub mod family;
pub mod light;
pub mod machine;
pub mod peer;
pub mod plan;
pub mod plot;
pub mod program;
pub mod race;
pub mod report;
pub mod row;
pub mod stats;
pub mod table;

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use anyhow::{Context, Result};

/// What a benchmark is called, in each place that names it.
#[derive(Clone, Copy, Debug)]
pub struct Titles {
    /// The part of `./scripts/bench`, which is also the name of its files.
    pub part: &'static str,
    /// The page's heading.
    pub page: &'static str,
    /// The plot's heading.
    pub plot: &'static str,
}

/// Writes the JSON, the table and the plot of a run, and shows the table.
pub fn publish(
    titles: Titles,
    plan: &plan::Plan,
    machine: machine::Machine,
    rows: &[row::Row],
) -> Result<()> {
    publish_with(titles, plan, machine, rows, "")
}

/// The same, with more in Markdown at the end of the page.
pub fn publish_with(
    titles: Titles,
    plan: &plan::Plan,
    machine: machine::Machine,
    rows: &[row::Row],
    more: &str,
) -> Result<()> {
    let reasons = reasons(&plan.root)?;
    let folder = plan.output();
    std::fs::create_dir_all(&folder)?;
    let file = |ending: &str| folder.join(format!("{}.{ending}", titles.part));
    let page = table::page(titles, &machine, plan.quick, rows, &reasons) + more;
    std::fs::write(file("md"), &page)?;
    std::fs::write(file("svg"), plot::svg(titles, &machine, rows))?;
    let report = report::Report::of(titles, machine, plan.quick, rows, &reasons);
    std::fs::write(file("json"), serde_json::to_string_pretty(&report)? + "\n")?;
    println!("{page}");
    let met = rows.iter().filter(|row| row.is_met()).count();
    println!(
        "{met} of {} goals met; written to {}/{}.{{json,md,svg}}",
        rows.len(),
        folder.display(),
        titles.part
    );
    Ok(())
}

/// How a benchmark's program ends: well, or with the reason on standard error.
pub fn ended(outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Why rows miss their goals, as people found by profiling; shown only beside a row that does.
fn reasons(root: &Path) -> Result<BTreeMap<String, String>> {
    let path = root.join("bench/reasons.json");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}
