//! `exo-phone serve`: a model from a directory, for an exo cluster or for the programs on this computer.

pub(crate) mod openai;
pub(crate) mod shelf;

use std::{num::NonZeroU32, ops::ControlFlow, path::PathBuf, process::ExitCode, time::Instant};

use clap::Args as ClapArgs;
use exo_engine::{Engine, LoadOptions, Model};
use exo_gpu::{Gpu, OpenOptions};
use exo_serving::{ModelEngine, Settings};
use serde_json::json;

use crate::{
    backend::Backend,
    exit,
    join::{self, PhoneArgs, ShowArgs},
    stop::Stop,
    watch::lines,
};
use shelf::Place;

/// Answer with a model from a directory: for exo's cluster, or for programs on this computer
///
/// It joins like `exo-phone join` and takes the same flags. When exo places the model here, it is loaded and answers what
/// people ask exo. Only this model is offered: exo sees as much memory as it needs.
///
/// With --openai nothing is joined: chat completions are answered on 127.0.0.1, for programs that would ask a service.
#[derive(ClapArgs, Debug)]
#[command(after_help = "\
Examples:
  exo-phone serve --model ~/.exo/models/mlx-community--Qwen3-0.6B-4bit
  exo-phone serve --model DIR --model-id mlx-community/Qwen3-0.6B-4bit --link exo://192.168.1.7
  exo-phone serve --model DIR --openai 8080
  curl http://127.0.0.1:8080/v1/chat/completions -H 'content-type: application/json' \\
    -d '{\"messages\": [{\"role\": \"user\", \"content\": \"hello\"}], \"stream\": true}'

The JSON lines (--json) are those of `exo-phone join --help`. With --openai there is one:
  serving    url, model, device

Ends as `exo-phone join` does.")]
pub(crate) struct Args {
    /// The model's directory: config.json, model*.safetensors, tokenizer.json
    #[arg(long, value_name = "DIR", required_unless_present = "tiny")]
    model: Option<PathBuf>,
    /// A tiny model with random weights, made on the spot: it talks nonsense
    #[arg(long, conflicts_with = "model")]
    tiny: bool,
    #[arg(
        long,
        value_name = "ID",
        help = "What exo calls it [default: the directory's name, org--name for org/name]"
    )]
    model_id: Option<String>,
    /// Compute on this backend, or not at all
    #[arg(long, value_enum)]
    backend: Option<Backend>,
    /// Bytes that the model may use, with its cache: 1500MB, 2GiB [default: what the device allows]
    #[arg(long, value_name = "BYTES", value_parser = crate::amounts::read_bytes)]
    memory: Option<u64>,
    /// Positions of the cache: all conversations together
    #[arg(long, value_name = "N", default_value = "4096")]
    context: NonZeroU32,
    #[arg(
        long,
        value_name = "PORT",
        help = "Answer OpenAI's chat completions at this port of 127.0.0.1, and join nothing; 0 is a port of the system's choice"
    )]
    openai: Option<u16>,
    #[command(flatten)]
    phone: PhoneArgs,
    #[command(flatten)]
    show: ShowArgs,
}

/// Serves until it is asked to stop.
pub(crate) fn run(args: &Args) -> ExitCode {
    let place = match Place::of(args.model.as_deref(), args.model_id.as_deref()) {
        Ok(place) => place,
        Err(error) => return exit::usage(&error),
    };
    let served = match args.openai {
        Some(port) => to_programs(args, &place, port),
        None => to_a_cluster(args, &place),
    };
    served.unwrap_or_else(|error| exit::failure(&error.to_string()))
}

fn to_a_cluster(args: &Args, place: &Place) -> Result<ExitCode, Box<dyn std::error::Error>> {
    // Text first, as when it is loaded: a fault that can be seen now is not exo's to find.
    Engine::read_language(&place.directory)?;
    let settings = Settings { context: args.context.get(), ..Settings::default() };
    let engine = ModelEngine::new(open(args)?, place.shelf(), settings);
    engine.fits(&place.model)?;
    let options = args.phone.options().map(|mut options| {
        options.engine = Some(Box::new(engine));
        options
    });
    Ok(join::run("exo-phone serve", options, &args.show, args.phone.calibrates()))
}

fn to_programs(args: &Args, place: &Place, port: u16) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let began = Instant::now();
    let runtime = match exit::runtime() {
        Ok(runtime) => runtime,
        Err(code) => return Ok(code),
    };
    let gpu = open(args)?;
    let context = args.context.get().min(Model::architecture_in(&place.directory)?.context);
    let options = LoadOptions { context, ..LoadOptions::default() };
    let engine = Engine::load(gpu.device(), &place.directory, &options, &mut |_| ControlFlow::Continue(()))?;
    runtime.block_on(async {
        let stop = Stop::listen(args.show.seconds);
        let (model, device) = (place.model.as_str(), gpu.device().description().name.clone());
        let url = format!("http://{}/v1", openai::listen(port, model, engine)?);
        let line = json!({"at": began.elapsed().as_secs_f64(), "kind": "serving", "url": url, "model": model, "device": device});
        let line = if args.show.json { line.to_string() } else { format!("{model} answers at {url}, on {device}; Ctrl-C ends it") };
        lines::print(&line);
        stop.asked().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn open(args: &Args) -> exo_gpu::Result<Gpu> {
    let mut open = OpenOptions::new();
    if let Some(backend) = args.backend {
        open = open.backend(backend.into());
    }
    if let Some(bytes) = args.memory {
        open = open.memory_cap(bytes);
    }
    Gpu::open(open)
}
