//! `exo-phone serve`: a model from a directory, for an exo cluster or for the programs on this computer.

pub(crate) mod openai;
pub(crate) mod shelf;

use std::{num::NonZeroU32, path::PathBuf, process::ExitCode, sync::Arc, time::Instant};

use clap::Args as ClapArgs;
use exo_engine::Engine;
use exo_gpu::{Gpu, OpenOptions};
use exo_http::Client;
use exo_models::Options;
use exo_serving::{Host, ModelEngine, Settings, Shelf, Supply};
use serde_json::json;

use crate::{
    backend::Backend,
    exit, fetch,
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
/// With --fetch exo may place any model here that there is room for: what is not on this computer is fetched first, as
/// `exo-phone fetch` does it, and exo's dashboard shows how far it is. Not over networks that cost money. What came stays,
/// for the next time and for your own chats.
///
/// With --openai nothing is joined: chat completions are answered on 127.0.0.1, for programs that would ask a service.
#[derive(ClapArgs, Debug)]
#[command(after_help = "\
Examples:
  exo-phone serve --model ~/.exo/models/mlx-community--Qwen3-0.6B-4bit
  exo-phone serve --model DIR --model-id mlx-community/Qwen3-0.6B-4bit --link exo://192.168.1.7
  exo-phone serve --fetch
  exo-phone serve --fetch --from https://mirror.example --into ~/models --memory 2GiB
  exo-phone serve --model DIR --openai 8080
  curl http://127.0.0.1:8080/v1/chat/completions -H 'content-type: application/json' \\
    -d '{\"messages\": [{\"role\": \"user\", \"content\": \"hello\"}], \"stream\": true}'

The JSON lines (--json) are those of `exo-phone join --help`. With --openai there is one:
  serving    url, model, device

Ends as `exo-phone join` does.")]
pub(crate) struct Args {
    /// The model's directory: config.json, model*.safetensors, tokenizer.json
    #[arg(long, value_name = "DIR", required_unless_present_any = ["tiny", "fetch"])]
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
    /// Fetch models that exo places here and that are not on this computer
    #[arg(long, conflicts_with = "openai")]
    fetch: bool,
    // Not a doc comment: what is plain text to a person is no Markdown.
    #[arg(
        long,
        value_name = "BASE_URL",
        requires = "fetch",
        help = "A server with Hugging Face's addresses [default: HF_ENDPOINT, or https://huggingface.co]"
    )]
    from: Option<String>,
    /// Where fetched models go, and are looked for [default: exo's own directory]
    #[arg(long, value_name = "DIR", requires = "fetch")]
    into: Option<PathBuf>,
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
    let supply = match supply(args) {
        Ok(supply) => supply,
        Err(error) => return exit::usage(&error),
    };
    let place = match place(args) {
        Ok(place) => place,
        Err(error) => return exit::usage(&error),
    };
    let served = match (args.openai, &place) {
        (Some(port), Some(place)) => to_programs(args, place, port),
        _ => to_a_cluster(args, place.as_ref(), supply),
    };
    served.unwrap_or_else(|error| exit::failure(&error.to_string()))
}

/// The model that is here already; none if all of them are to be fetched.
fn place(args: &Args) -> Result<Option<Place>, String> {
    if args.fetch && args.model.is_none() && !args.tiny {
        return Ok(None);
    }
    Place::of(args.model.as_deref(), args.model_id.as_deref()).map(Some)
}

/// Where other models come from, if they may, and the directory in which they will lie.
fn supply(args: &Args) -> Result<Option<(PathBuf, Supply)>, String> {
    if !args.fetch {
        return Ok(None);
    }
    let root = fetch::root(args.into.as_deref())?;
    let server = fetch::server(args.from.as_deref()).map_err(|error| error.to_string())?;
    // Many computers may ask at once after an outage; each waits a little differently.
    let options = Options { seed: std::process::id().into(), ..Options::default() };
    Ok(Some((root.clone(), Supply::new(root, server, Arc::new(Client::new())).with(options))))
}

fn to_a_cluster(
    args: &Args,
    place: Option<&Place>,
    supply: Option<(PathBuf, Supply)>,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut shelf = supply.as_ref().map_or_else(Shelf::default, |(root, _)| Shelf::in_directory(root));
    if let Some(place) = place {
        // Text first, as when it is loaded: a fault that can be seen now is not exo's to find.
        Engine::read_language(&place.directory)?;
        shelf = shelf.with(place.model.clone(), &place.directory);
    }
    let host = host(args, shelf)?;
    if let Some(place) = place {
        host.fits(&place.model)?;
    }
    host.supply_from(supply.map(|(_, supply)| supply));
    let options = args.phone.options().map(|mut options| {
        options.engine = Some(Box::new(ModelEngine::new(host)));
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
    let host = host(args, place.shelf())?;
    let (lease, _) = host.load_and_wait(&place.model)?;
    runtime.block_on(async {
        let stop = Stop::listen(args.show.seconds);
        let (model, device) = (place.model.as_str(), host.gpu().device().description().name.clone());
        let url = format!("http://{}/v1", openai::listen(port, model, lease)?);
        let line = json!({"at": began.elapsed().as_secs_f64(), "kind": "serving", "url": url, "model": model, "device": device});
        let line = if args.show.json { line.to_string() } else { format!("{model} answers at {url}, on {device}; Ctrl-C ends it") };
        lines::print(&line);
        stop.asked().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn host(args: &Args, shelf: Shelf) -> Result<Host, Box<dyn std::error::Error>> {
    let settings = Settings { context: args.context.get(), ..Settings::default() };
    Ok(Host::start(open(args)?, shelf, settings)?)
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
