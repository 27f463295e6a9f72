//! P12: what the library adds to an app on an arm64 phone, and which crates it comes of.

use std::{cmp::Reverse, fmt::Write};

use anyhow::{Context, Result};
use bench_race::{
    plan::Plan,
    race::{Outcome, once},
    row::{Bar, Row, Spec, Unit},
    stats::Statistic,
};

use crate::weights::Weights;

/// With the engine in it. `./scripts/test ffi` fails above 6.5 MB.
const GOAL: f64 = 5.0e6;
/// Crates with a line of their own in the table.
const SHOWN: usize = 25;

pub fn run(plan: &Plan) -> Vec<Row> {
    let library = plan.root.join("target/small/aarch64-linux-android/phone/libexo_mobile.so");
    let spec = Spec {
        id: "P12",
        what: "the library for arm64 phones, stripped",
        unit: Unit::Cost { name: "MB", scale: 1e-6 },
        goal: "<= 5 MB",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let size =
        || Ok(std::fs::metadata(&library).context("the library for arm64 was not built")?.len() as f64);
    let ours = once("ours", env!("CARGO_PKG_VERSION"), size);
    vec![Row { spec, ours, limit: Some(Outcome::fixed("goal", GOAL)), peers: Vec::new() }]
}

/// What that library is made of, by section and by crate.
pub fn table(plan: &Plan) -> Result<String> {
    let phone = plan.root.join("target/small/aarch64-linux-android/phone");
    Ok(tables(&Weights::of(&phone.join("deps/libexo_mobile.so.symbols"))?))
}

fn heaviest_first<'a>(parts: impl Iterator<Item = (&'a str, u64)>) -> Vec<(&'a str, u64)> {
    let mut parts: Vec<_> = parts.collect();
    parts.sort_by_key(|&(name, size)| (Reverse(size), name));
    parts
}

fn tables(weights: &Weights) -> String {
    let mut page =
        String::from("\n## What the library for arm64 is made of\n\n| part of the file | kB |\n|---|---:|\n");
    for (name, size) in heaviest_first(weights.sections.iter().map(|(&name, &size)| (name, size))) {
        let _ = writeln!(page, "| {name} | {} |", kb(size));
    }
    let mut crates = heaviest_first(weights.crates.iter().map(|(name, &size)| (name.as_str(), size)));
    let rest = crates.split_off(crates.len().min(SHOWN));
    page += "\nA function counts for the first crate in its name that is not Rust's own; generic ones have several there, so a \
             few kB either way mean nothing.\n\n| crate | kB of code |\n|---|---:|\n";
    for (name, size) in crates {
        let _ = writeln!(page, "| {name} | {} |", kb(size));
    }
    let _ = writeln!(page, "| {} others | {} |", rest.len(), kb(rest.iter().map(|&(_, size)| size).sum()));
    page
}

fn kb(bytes: u64) -> u64 {
    (bytes + 500) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_crates_come_first_and_the_rest_is_one_line() {
        let crates = (1..=27).map(|index: u64| (format!("c{index}"), index * 1000)).collect();
        let page = tables(&Weights { sections: [("code", 4000), ("constants", 9000)].into(), crates });
        assert!(page.contains("| constants | 9 |\n| code | 4 |"), "{page}");
        assert!(page.contains("| c27 | 27 |\n| c26 | 26 |"), "{page}");
        assert!(page.ends_with("| c3 | 3 |\n| 2 others | 3 |\n"), "{page}");
    }
}
