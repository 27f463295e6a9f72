//! `exo-phone generate`: a model from a directory answers one prompt, alone, with no cluster and no network.

mod bar;
mod reply;
mod rows;

use std::{
    num::NonZeroU32,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::ExitCode,
    time::SystemTime,
};

use clap::{Args as ClapArgs, ValueEnum};
use exo_engine::{CacheType, LoadOptions, Progress, text::Moment};
use exo_gpu::{Gpu, OpenOptions};

use crate::{backend::Backend, exit};
use bar::Bar;

/// Let a model from a directory answer a prompt
///
/// The directory is in the Hugging Face layout with MLX weights, as exo downloads it: config.json, model*.safetensors,
/// tokenizer.json. The reply goes to standard output as it grows; how long everything took goes to standard error.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  exo-phone generate --model ~/.exo/models/mlx-community--Qwen3-0.6B-4bit --prompt 'Why is the sky blue?'
  exo-phone generate --tiny --prompt hello                   random weights, where no model is at hand
  exo-phone generate --model DIR --prompt TEXT --backend vulkan
  exo-phone generate --model DIR --prompt TEXT --logits F    every logit, for comparisons (F and F.json)")]
pub(crate) struct Args {
    /// The model's directory
    #[arg(long, value_name = "DIR", required_unless_present = "tiny")]
    model: Option<PathBuf>,
    /// A tiny model with random weights, made on the spot: it talks nonsense
    #[arg(long, conflicts_with = "model")]
    tiny: bool,
    /// What is said to the model
    #[arg(long, value_name = "TEXT")]
    prompt: String,
    /// Give the prompt to the model as it is, without the model's chat template
    #[arg(long)]
    raw: bool,
    /// Tokens of the reply at most
    #[arg(long, value_name = "N", default_value = "256")]
    max_tokens: NonZeroU32,
    /// How freely tokens are chosen; 0 takes the likeliest
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    temperature: f32,
    /// The same seed gives the same reply
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: i64,
    /// Positions of the cache: prompt and reply together
    #[arg(long, value_name = "N", default_value = "4096")]
    context: NonZeroU32,
    /// How keys and values are kept
    #[arg(long, value_enum, default_value_t = Cache::F16)]
    cache: Cache,
    /// Compute on this backend, or not at all
    #[arg(long, value_enum)]
    backend: Option<Backend>,
    /// Write the logits of every token of the prompt and the reply: rows of f32, little-endian; FILE.json tells the tokens
    #[arg(long, value_name = "FILE")]
    logits: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Cache {
    F32,
    F16,
    Q8,
}

impl From<Cache> for CacheType {
    fn from(cache: Cache) -> Self {
        match cache {
            Cache::F32 => Self::F32,
            Cache::F16 => Self::F16,
            Cache::Q8 => Self::Q8,
        }
    }
}

/// Loads the model and answers.
pub(crate) fn run(args: &Args) -> ExitCode {
    match answer(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failure(&error.to_string()),
    }
}

fn answer(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    let temporary = std::env::temp_dir().join(format!("exo-phone-tiny-{}", std::process::id()));
    let directory = if let Some(directory) = &args.model {
        directory.as_path()
    } else {
        exo_engine::tiny::write(&temporary, 1)?;
        &temporary
    };
    let outcome = answer_from(args, directory);
    if args.tiny {
        // What is left behind is small, and in the system's own folder for that.
        let _ = std::fs::remove_dir_all(&temporary);
    }
    outcome
}

fn answer_from(args: &Args, directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let open = OpenOptions::new();
    let gpu = Gpu::open(args.backend.map_or(open.clone(), |backend| open.backend(backend.into())))?;
    let options =
        LoadOptions { context: args.context.get(), cache: args.cache.into(), ..LoadOptions::default() };
    let mut bar = Bar::on_stderr();
    let mut show = |progress: Progress| {
        bar.show(progress.bytes, progress.bytes_total);
        ControlFlow::Continue(())
    };
    match &args.logits {
        Some(file) => rows::write(args, &gpu, directory, &options, &mut show, file),
        None => reply::stream(args, &gpu, directory, &options, &mut show),
    }
}

fn now() -> Moment {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Moment::from_unix(since.as_secs().cast_signed())
}
