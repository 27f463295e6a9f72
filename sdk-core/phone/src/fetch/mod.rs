//! `exo-phone fetch`: a model comes from a server into a directory, verified, as it would come to a phone.

mod bar;
mod place;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::Args as ClapArgs;
use exo_http::Client;
use exo_models::{
    Cancel, Error, Fetcher, Found, ModelId, ModelStore, Options, Progress, Server, Source, fetch,
};

use crate::{amounts, exit, stop::Stop};
use bar::Bar;

/// Fetch a model, as a phone would
///
/// Only what the engine reads is fetched: settings, tokenizer, and the weights that the model's index names. Every file
/// is compared with the size and the hash that the server's own list promised before it gets its name.
///
/// Ctrl-C stops, and so does a network that is gone for too long: what came is kept, and the same command goes on from
/// there. A model that is there already is not fetched again.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  exo-phone fetch mlx-community/Qwen3-0.6B-4bit
  exo-phone fetch mlx-community/Qwen3-0.6B-4bit --into ~/models
  exo-phone fetch mlx-community/Qwen3-0.6B-4bit --from https://mirror.example
  exo-phone generate --model \"$(exo-phone fetch mlx-community/Qwen3-0.6B-4bit)\" --prompt 'Why is the sky blue?'

The model's directory goes to standard output; progress goes to standard error.
Models that are not for everybody need a token: set HF_TOKEN, or run `hf auth login`.
Exit codes: 0 it is there, 1 it is not, 2 what was written cannot be meant, 130 Ctrl-C.")]
pub(crate) struct Args {
    /// The model's name on Hugging Face: OWNER/NAME
    #[arg(value_name = "MODEL_ID")]
    model: String,
    /// The directory of all models [default: exo's own, so that exo finds it too]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    // Not a doc comment: what is plain text to a person is no Markdown.
    #[arg(
        long,
        value_name = "BASE_URL",
        help = "A server with Hugging Face's addresses [default: HF_ENDPOINT, or https://huggingface.co]"
    )]
    from: Option<String>,
}

/// Fetches the model and prints where it is.
pub(crate) fn run(args: &Args) -> ExitCode {
    let source = match source(args) {
        Ok(source) => source,
        Err(error) => return exit::usage(&error.to_string()),
    };
    let root = match root(args.into.as_deref()) {
        Ok(root) => root,
        Err(error) => return exit::usage(error),
    };
    let store = ModelStore::new(root);
    match store.find(source.model()) {
        Ok(Found::Complete { directory, .. }) => {
            eprintln!("{} is there already", source.model());
            println!("{}", directory.display());
            ExitCode::SUCCESS
        }
        Ok(Found::Partial { .. } | Found::Absent) => fetched(store, source),
        Err(error) => exit::failure(&error.to_string()),
    }
}

fn source(args: &Args) -> Result<Source, Error> {
    let model: ModelId = args.model.parse()?;
    Ok(server(args.from.as_deref())?.model(model))
}

/// The server of that address, or the one that this computer is set to, with the token that it has.
pub(crate) fn server(from: Option<&str>) -> Result<Server, Error> {
    let server = match from.map(ToOwned::to_owned).or_else(|| place::setting("HF_ENDPOINT")) {
        Some(base) => Server::at(&base)?,
        None => Server::hugging_face(),
    };
    // A token that lies around on this computer was not meant for a mirror that anybody can listen to.
    let with_token = place::token().and_then(|token| server.clone().token(&token).ok());
    Ok(with_token.unwrap_or(server))
}

/// Where models lie on this computer, if nobody says otherwise.
pub(crate) fn root(into: Option<&Path>) -> Result<PathBuf, &'static str> {
    let unknown = "nobody knows where your home is; say where models go with --into DIR";
    into.map(ToOwned::to_owned).or_else(place::of_exo).ok_or(unknown)
}

fn fetched(store: ModelStore, source: Source) -> ExitCode {
    let runtime = match exit::runtime() {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    runtime.block_on(async {
        let stop = Stop::listen(None);
        let cancel = Cancel::default();
        let wish = cancel.clone();
        let mut work = tokio::task::spawn_blocking(move || work(&store, source, &cancel));
        let outcome = tokio::select! {
            outcome = &mut work => outcome,
            () = stop.asked() => {
                wish.cancel();
                work.await
            }
        };
        // The work itself panicked: its message was printed already.
        outcome.unwrap_or(ExitCode::FAILURE)
    })
}

fn work(store: &ModelStore, source: Source, cancel: &Cancel) -> ExitCode {
    let model = source.model().clone();
    let client: Arc<dyn Fetcher> = Arc::new(Client::new());
    // Many computers may ask at once after an outage; each waits a little differently.
    let options = Options { seed: std::process::id().into(), ..Options::default() };
    let mut bar = Bar::on_stderr();
    let mut last = Progress::default();
    let outcome = fetch(store, source, &client, options, cancel, &mut |progress| {
        last = progress;
        bar.show(&progress);
    });
    bar.clear();
    match outcome {
        Ok(directory) => {
            eprintln!(
                "{model}: {} in {} files, {} of them new",
                amounts::bytes(last.done),
                last.files,
                amounts::bytes(last.fresh)
            );
            println!("{}", directory.display());
            ExitCode::SUCCESS
        }
        Err(Error::Cancelled) => {
            eprintln!("stopped; {} are kept, the same command goes on from there", amounts::bytes(last.done));
            exit::interrupted()
        }
        Err(error) => exit::failure(&error.to_string()),
    }
}
