//! candle as a peer process: `bench-candle MODEL CONFIG`, a GGUF file and the `config.json` that names its family.
//!
//! Loads once and then answers `decode 128 32` and `prefill 512` with seconds (the protocol is in
//! bench/race/src/peer.rs). Threads are set by the environment.

use std::{env, fs::File, io::BufRead, time::Instant};

use anyhow::{Context, Result, bail};
use candle_core::{Device, Tensor, quantized::gguf_file::Content};
use candle_transformers::models::{quantized_llama, quantized_qwen3};

fn main() {
    if let Err(error) = run() {
        println!("error {}", format!("{error:#}").replace('\n', " "));
        std::process::exit(1);
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, config] = arguments.as_slice() else { bail!("usage: bench-candle MODEL CONFIG") };
    let is_qwen = std::fs::read_to_string(config)?.contains("\"qwen3\"");
    let mut file = File::open(file)?;
    let content = Content::read(&mut file)?;
    let empty = if is_qwen {
        Model::Qwen(Box::new(quantized_qwen3::ModelWeights::from_gguf(content, &mut file, &Device::Cpu)?))
    } else {
        Model::Llama(Box::new(quantized_llama::ModelWeights::from_gguf(content, &mut file, &Device::Cpu)?))
    };
    let version = version()?;
    println!("version {version}\nready");

    let mut text = Text { model: empty.clone(), length: 0 };
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let seconds = match words.as_slice() {
            ["decode", context, tokens] => {
                let before: usize = context.parse::<usize>()? - 1;
                if text.length != before {
                    text = Text { model: empty.clone(), length: 0 };
                    text.extend(before)?;
                }
                // A model is its weights, which clones share, and its cache: what is decoded on the clone is forgotten.
                let mut longer = text.clone();
                let mut token = longer.extend(before + 1)?;
                let start = Instant::now();
                for _ in 0..tokens.parse::<usize>()? {
                    token = longer.add(&[token])?;
                }
                start.elapsed()
            }
            ["prefill", tokens] => {
                let mut fresh = Text { model: empty.clone(), length: 0 };
                let start = Instant::now();
                fresh.extend(tokens.parse()?)?;
                start.elapsed()
            }
            other => bail!("unknown work: {}", other.join(" ")),
        };
        println!("{}", seconds.as_secs_f64());
    }
    Ok(())
}

#[derive(Clone)]
enum Model {
    Llama(Box<quantized_llama::ModelWeights>),
    Qwen(Box<quantized_qwen3::ModelWeights>),
}

/// A model with a text in its cache.
#[derive(Clone)]
struct Text {
    model: Model,
    length: usize,
}

impl Text {
    /// Lets the common prompt grow to so many tokens, all at once as candle's own examples do. The token that follows it.
    fn extend(&mut self, tokens: usize) -> Result<u32> {
        let prompt: Vec<u32> = (self.length..tokens).map(|i| (i * 7919 % 1000) as u32).collect();
        self.add(&prompt)
    }

    /// Adds tokens. The likeliest to follow.
    fn add(&mut self, tokens: &[u32]) -> Result<u32> {
        let input = Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?;
        let logits = match &mut self.model {
            Model::Llama(model) => model.forward(&input, self.length)?,
            Model::Qwen(model) => model.forward(&input, self.length)?,
        };
        self.length += tokens.len();
        let logits: Vec<f32> = logits.flatten_all()?.to_vec1()?;
        let best = logits.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.map(|(token, _)| token as u32).context("there are no logits")
    }
}

/// The version that the lock file chose.
fn version() -> Result<&'static str> {
    let lock = include_str!("../../Cargo.lock");
    let (_, after) =
        lock.split_once("name = \"candle-core\"\nversion = \"").context("candle is not in the lock file")?;
    after.split('"').next().context("candle has no version")
}
