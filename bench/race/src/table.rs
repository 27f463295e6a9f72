//! The rows as a Markdown table, which is also what the terminal shows.

use std::{collections::BTreeMap, fmt::Write};

use crate::{
    Titles,
    machine::Machine,
    race::Outcome,
    report::{reason, rounded},
    row::Row,
};

/// The table's columns.
const HEADER: &str = "| id | work | unit | ours (median) | limit | peers | x limit | x best peer | goal | met |\n\
                      |---|---|---|---:|---:|---|---:|---:|---|---|\n";

/// The whole page.
pub fn page(
    titles: Titles,
    machine: &Machine,
    quick: bool,
    rows: &[Row],
    reasons: &BTreeMap<String, String>,
) -> String {
    let mut page = format!(
        "# {}\n\nWritten by `./scripts/bench {}`{}; do not edit. Everybody ran in turns in one run. A figure \
         is the best of several samples (where the goal is a p50: the median), our median in brackets. Ratios above 1 \
         mean that we are better.\n\n\
         * Commit: `{}`\n* Date: {}\n* Machine: {}, {} cores, {:.0} GiB, {}, Linux {}\n",
        titles.page,
        titles.part,
        if quick { " --quick" } else { "" },
        machine.commit,
        machine.date,
        machine.cpu,
        machine.cores,
        machine.memory_bytes as f64 / f64::from(1 << 30),
        machine.system,
        machine.kernel,
    );
    for (name, value) in &machine.facts {
        let _ = writeln!(page, "* {}: {value}", name.replace('_', " "));
    }
    page.push('\n');
    page.push_str(HEADER);
    for row in rows {
        page.push_str(&line(row));
    }
    page.push_str(&misses(rows, reasons));
    let _ = writeln!(page, "\n![Ratios and goals]({}.svg)", titles.part);
    page
}

/// One row of the table.
fn line(row: &Row) -> String {
    let unit = row.spec.unit;
    let ours = row.ours.stats().map_or_else(
        || "error".into(),
        |stats| {
            let decisive = rounded(unit.show(stats.get(row.spec.statistic)));
            format!("**{decisive}** ({})", rounded(unit.show(stats.median)))
        },
    );
    let limit = row.limit.as_ref().map_or_else(|| "-".into(), |limit| value(row, limit));
    let peers = row.peers.iter().map(|peer| value(row, peer)).collect::<Vec<_>>().join("<br>");
    let times = |ratio: Option<f64>| ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"));
    format!(
        "| {} | {} | {} | {ours} | {limit} | {} | {} | {} | {} | {} |\n",
        row.spec.id,
        row.spec.what,
        unit.name(),
        if peers.is_empty() { "-" } else { &peers },
        times(row.ratio_to_limit()),
        times(row.ratio_to_best_peer()),
        row.spec.goal,
        if row.is_met() { "yes" } else { "**no**" },
    )
}

fn value(row: &Row, outcome: &Outcome) -> String {
    let figure = outcome.stats().map_or_else(
        || "error (below)".into(),
        |stats| rounded(row.spec.unit.show(stats.get(row.spec.statistic))).to_string(),
    );
    let version = if outcome.version.is_empty() { String::new() } else { format!(" {}", outcome.version) };
    format!("{}{version}: {figure}", outcome.name)
}

/// Every row that missed its goal, with the errors and the reason.
fn misses(rows: &[Row], reasons: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| !row.is_met()) {
        let mut why = row.errors().iter().map(|error| error.replace('\n', " ")).collect::<Vec<_>>();
        why.extend(reason(row.spec.id, reasons));
        let why =
            if why.is_empty() { "no reason is known yet: profile it".to_owned() } else { why.join("; ") };
        let _ = writeln!(text, "* {} ({}): {why}", row.spec.id, row.spec.goal);
    }
    if text.is_empty() { "\nAll goals are met.\n".into() } else { format!("\n## Not met\n\n{text}") }
}
