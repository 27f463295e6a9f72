//! `fetch MODEL_ID BASE_URL DIRECTORY [STALL_SECONDS [ATTEMPTS]]`: the client and a download, for tests/models.
//!
//! Tells how far it is in lines of JSON, and the outcome in the last: `{"done": ...}`, or `{"kind": ..., "message": ...}`.

use std::{env, process::ExitCode, sync::Arc, time::Duration};

use exo_http::Client;
use exo_models::{Cancel, Error, Fetcher, ModelStore, Options, Progress, Source, fetch};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let number = |place: usize| words.get(place).and_then(|word| word.parse::<u32>().ok());
    let mut options = Options { reserve: 0, ..Options::default() };
    options.stall = number(3).map_or(options.stall, |seconds| Duration::from_secs(seconds.into()));
    options.attempts = number(4).unwrap_or(options.attempts);
    let [model, base, directory, ..] = words.as_slice() else {
        eprintln!("fetch MODEL_ID BASE_URL DIRECTORY [STALL_SECONDS [ATTEMPTS]]");
        return ExitCode::from(2);
    };
    match run(model, base, directory, options) {
        Ok(done) => {
            println!(r#"{{"done": {done:?}}}"#);
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!(r#"{{"kind": "{:?}", "message": {:?}}}"#, error.kind(), error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run(model: &str, base: &str, directory: &str, options: Options) -> Result<String, Error> {
    let mut source = Source::at(base, model.parse()?)?;
    if let Ok(token) = env::var("HF_TOKEN") {
        source = source.token(&token)?;
    }
    let client: Arc<dyn Fetcher> = Arc::new(Client::new());
    let mut tell = |told: Progress| {
        let Progress { done, total, fresh, files_done, files, .. } = told;
        println!(
            r#"{{"bytes": {done}, "total": {total}, "fresh": {fresh}, "files_done": {files_done}, "files": {files}}}"#
        );
    };
    let store = ModelStore::new(directory);
    let done = fetch(&store, source, &client, options, &Cancel::default(), &mut tell)?;
    Ok(done.display().to_string())
}
