//! llama.cpp as a peer process: `bench-llama cpu|vulkan MODEL THREADS`, or `bench-llama quantise FROM TO`.
//!
//! Loads a GGUF file once and then answers `fa decode 128 32`, `plain prefill 512` and the like with seconds: with flash
//! attention or without, which are contexts of their own over one model. The protocol is in bench/race/src/peer.rs.

mod model;

use std::{env, io::BufRead, time::Instant};

use anyhow::{Context, Result, bail};
use model::{Model, Text};

fn main() {
    if let Err(error) = run() {
        println!("error {}", format!("{error:#}").replace('\n', " "));
        std::process::exit(1);
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    model::be_quiet();
    let (model, threads) = match words.as_slice() {
        ["quantise", from, to] => return model::quantise(from, to),
        ["cpu", file, threads] => (Model::load(file, false)?, threads.parse()?),
        ["vulkan", file, threads] => (Model::load(file, true)?, threads.parse()?),
        _ => bail!("usage: bench-llama cpu|vulkan MODEL THREADS | quantise FROM TO"),
    };
    let mut texts = [("fa", model.text(threads, true)?), ("plain", model.text(threads, false)?)];
    println!("variant fa\nvariant plain\nversion {}\nready", model::version());

    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let (way, work) = words.split_first().context("an empty line")?;
        let (_, text) = texts.iter_mut().find(|(name, _)| name == way).context("no such variant")?;
        println!("{}", seconds(text, work)?);
    }
    Ok(())
}

fn seconds(text: &mut Text, work: &[&str]) -> Result<f64> {
    match work {
        ["decode", context, tokens] => {
            let mut token = text.after(context.parse()?)?;
            let start = Instant::now();
            for _ in 0..tokens.parse::<u32>()? {
                token = text.add(&[token])?;
            }
            Ok(start.elapsed().as_secs_f64())
        }
        ["prefill", tokens] => {
            text.empty();
            let start = Instant::now();
            text.after(tokens.parse()?)?;
            Ok(start.elapsed().as_secs_f64())
        }
        other => bail!("unknown work: {}", other.join(" ")),
    }
}
