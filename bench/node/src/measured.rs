//! Programs that measure for us and print one number.

use std::process::Command;

use anyhow::{Context, Result, bail};
use bench_race::{plan::Plan, race::Sample};

/// A sample of `measure.py` with these words.
pub fn by_python<'a>(plan: &'a Plan, words: &[&str]) -> Sample<'a> {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    Box::new(move || {
        let mut command = Command::new(plan.root.join(".tools/python/bin/python"));
        command.arg(plan.root.join("bench/node/measure.py")).args(&words);
        command.env("EXO_PHONE", plan.root.join("target/release/exo-phone"));
        number(&mut command)
    })
}

/// The last line that the command prints, as a number.
pub fn number(command: &mut Command) -> Result<f64> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .last()
        .and_then(|line| line.trim().parse().ok())
        .with_context(|| format!("no number in {text:?}"))
}
