//! What `measure.py` measures.

use std::process::Command;

use bench_race::{plan::Plan, program::number, race::Sample};

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
