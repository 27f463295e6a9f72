//! A model on its way to this device.

use std::{
    fmt,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use exo_models::{Cancel, Error, ModelStore, Options, Server};
use exo_serving::Host;
use tokio::sync::{Mutex, mpsc};

use crate::{
    ErrorKind, ExoError, Result,
    platform::{AppsClient, Fetcher},
};

/// How long a download that was cancelled may hold on to its directory.
const LETTING_GO: Duration = Duration::from_secs(2);

/// Where a model comes from.
#[derive(Clone, Default, PartialEq, Eq, uniffi::Record)]
pub struct FetchOptions {
    /// A server with Hugging Face's addresses, such as `https://huggingface.co`, which it is if left out.
    #[uniffi(default = None)]
    pub base: Option<String>,
    /// For models that are not for everybody. It never goes over plain HTTP to another machine.
    #[uniffi(default = None)]
    pub token: Option<String>,
}

impl FetchOptions {
    pub(super) fn server(self) -> Result<Server> {
        let server = match self.base {
            Some(base) => Server::at(&base)?,
            None => Server::hugging_face(),
        };
        Ok(match self.token {
            Some(token) => server.token(&token)?,
            None => server,
        })
    }
}

impl fmt::Debug for FetchOptions {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchOptions").field("base", &self.base).finish_non_exhaustive()
    }
}

/// How far a download is. All zero until the list of files is known.
#[derive(Debug, Clone, Copy, PartialEq, uniffi::Record)]
pub struct FetchProgress {
    /// Bytes that are there.
    pub done: u64,
    /// Bytes that there will be.
    pub total: u64,
    /// Of those that are there, how many came in this run.
    pub fresh: u64,
    /// Files that are there.
    pub files_done: u32,
    /// All files.
    pub files: u32,
    /// Bytes a second, over the last seconds.
    pub speed: f64,
}

/// A model that is being fetched. Dropped or cancelled, what came stays on the disk, and the next download goes on from
/// there: also after the app was closed.
#[derive(uniffi::Object)]
pub struct ModelFetching {
    told: Mutex<Heard>,
    cancel: Cancel,
}

/// What is told of a download, and how it ended, for whoever asks again.
struct Heard {
    told: mpsc::UnboundedReceiver<Told>,
    ended: Option<Result<()>>,
}

enum Told {
    Progress(FetchProgress),
    Ended(Result<()>),
}

impl ModelFetching {
    pub(super) fn begin(
        host: &Host,
        root: &Path,
        model: &str,
        fetcher: Arc<dyn Fetcher>,
        options: FetchOptions,
    ) -> Result<Self> {
        let model: exo_models::ModelId = model.parse()?;
        let source = options.server()?.model(model);
        let (tell, told) = mpsc::unbounded_channel();
        let (cancel, store, host) = (Cancel::default(), ModelStore::new(root), host.clone());
        let unwanted = cancel.clone();
        let work = move || {
            let fetcher: Arc<dyn exo_models::Fetcher> = Arc::new(AppsClient(fetcher));
            let began = Instant::now();
            let outcome = loop {
                let tell = &mut |now: exo_models::Progress| drop(tell.send(Told::Progress(now.into())));
                let source = source.clone();
                let outcome =
                    exo_models::fetch(&store, source, &fetcher, Options::default(), &unwanted, tell);
                // A download that was cancelled just now has not let go of the directory yet.
                if !matches!(outcome, Err(Error::Busy { .. })) || began.elapsed() > LETTING_GO {
                    break outcome;
                }
                thread::sleep(LETTING_GO / 40);
            };
            host.look_again();
            let _ = tell.send(Told::Ended(outcome.map(drop).map_err(ExoError::from)));
        };
        let system = |error| ExoError::new(ErrorKind::System, format!("no thread for the download: {error}"));
        thread::Builder::new().name("exo-models-fetch".into()).spawn(work).map_err(system)?;
        Ok(Self { told: Mutex::new(Heard { told, ended: None }), cancel })
    }
}

#[uniffi::export]
impl ModelFetching {
    /// How far it is, a few times a second; none once all of it is there. An error if it does not come, or was cancelled.
    pub async fn next(&self) -> Result<Option<FetchProgress>> {
        let mut heard = self.told.lock().await;
        if let Some(outcome) = &heard.ended {
            return outcome.clone().map(|()| None);
        }
        let outcome = match heard.told.recv().await {
            Some(Told::Progress(progress)) => return Ok(Some(progress)),
            Some(Told::Ended(outcome)) => outcome,
            None => Err(ExoError::new(ErrorKind::Fault, "the download broke off: try again, and report it")),
        };
        heard.ended = Some(outcome.clone());
        outcome.map(|()| None)
    }

    /// Stops it; who waits in [`next`](Self::next) hears an error of the kind `Cancelled`.
    pub fn cancel(&self) -> Result<()> {
        self.cancel.cancel();
        Ok(())
    }
}

impl Drop for ModelFetching {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl fmt::Debug for ModelFetching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelFetching").finish_non_exhaustive()
    }
}

impl From<exo_models::Progress> for FetchProgress {
    fn from(progress: exo_models::Progress) -> Self {
        let exo_models::Progress { done, total, fresh, files_done, files, speed } = progress;
        Self { done, total, fresh, files_done, files, speed }
    }
}

impl From<exo_models::Error> for ExoError {
    fn from(error: exo_models::Error) -> Self {
        use exo_models::ErrorKind as Models;
        let kind = match error.kind() {
            Models::InvalidModelId | Models::InvalidAddress => ErrorKind::InvalidArgument,
            Models::NotFound => ErrorKind::NotFound,
            Models::NotAllowed => ErrorKind::NotPermitted,
            Models::Unreachable => ErrorKind::Unreachable,
            Models::NotAModel => ErrorKind::Unsupported,
            Models::OutOfSpace | Models::Io => ErrorKind::Storage,
            Models::Busy => ErrorKind::System,
            Models::Cancelled => ErrorKind::Cancelled,
            // What a server sent cannot be used: asking it again later may help.
            _ => ErrorKind::Refused,
        };
        Self::new(kind, error.to_string())
    }
}
