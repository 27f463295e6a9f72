//! A model on its way into memory, and one that is there.

use std::{
    fmt,
    sync::{Arc, Mutex as StdMutex, PoisonError},
};

use exo_engine::Model as Files;
use exo_serving::{Host, Lease, LoadNews, Ready};
use exo_wire::ModelId;
use tokio::sync::{Mutex, mpsc};

use super::{Answer, Question};
use crate::{ErrorKind, ExoError, Result, closing::Open};

/// How far a load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Record)]
pub struct LoadProgress {
    /// Layers that are there.
    pub layers: u32,
    /// All of its layers.
    pub of: u32,
}

/// A model that is being loaded. Dropped or cancelled before it is there, it is let go of.
#[derive(uniffi::Object)]
pub struct ModelLoading {
    model: ModelId,
    of: u32,
    lease: Open<Lease>,
    told: Mutex<mpsc::UnboundedReceiver<LoadNews>>,
    /// Wakes who waits for news that will not come.
    wake: mpsc::UnboundedSender<LoadNews>,
    /// How it ended, for whoever asks again.
    ended: StdMutex<Option<Result<Ready>>>,
}

impl ModelLoading {
    pub(super) fn begin(host: &Host, model: &ModelId) -> Self {
        let (wake, told) = mpsc::unbounded_channel();
        let tell = wake.clone();
        let lease = host.load(model, move |news| drop(tell.send(news)));
        let layers = host.directory(model).ok().and_then(|directory| Files::layers_in(&directory).ok());
        Self {
            model: model.clone(),
            of: layers.unwrap_or(0) as u32,
            lease: Open::new("load", lease),
            told: Mutex::new(told),
            wake,
            ended: StdMutex::new(None),
        }
    }
}

#[uniffi::export]
impl ModelLoading {
    /// How far it is, each time that changed; none once the model is there. An error if it cannot be loaded, or was
    /// cancelled.
    pub async fn next(&self) -> Result<Option<LoadProgress>> {
        let mut told = self.told.lock().await;
        self.lease.get()?;
        if let Some(outcome) = self.outcome() {
            return outcome.map(|_| None);
        }
        let outcome = match told.recv().await {
            Some(LoadNews::Layers(layers)) => return Ok(Some(LoadProgress { layers, of: self.of })),
            Some(LoadNews::Ready(ready)) => Ok(ready),
            Some(LoadNews::Failed(error)) => Err(error.into()),
            None => Err(ExoError::closed("load")),
        };
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome.clone());
        outcome.map(|_| None)
    }

    /// The model, once it is there: then it is the caller's to close. Gives it once.
    pub fn model(&self) -> Result<Arc<Model>> {
        let not_yet = || ExoError::invalid("the model is not loaded yet: wait for next()");
        let ready = self.outcome().ok_or_else(not_yet)??;
        let lease = self.lease.close().ok_or_else(|| ExoError::closed("load"))?;
        Ok(Arc::new(Model { id: self.model.to_string(), ready, lease: Open::new("model", lease) }))
    }

    /// Lets go of it; who waits in [`next`](Self::next) is woken, with an error of the kind `Cancelled`.
    pub fn cancel(&self) -> Result<()> {
        if self.lease.close().is_some() {
            let _ = self.wake.send(LoadNews::Failed(exo_engine::Error::Cancelled.into()));
        }
        Ok(())
    }
}

impl ModelLoading {
    fn outcome(&self) -> Option<Result<Ready>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for ModelLoading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelLoading").field("model", &self.model).finish_non_exhaustive()
    }
}

/// A model that is loaded.
#[derive(Debug, uniffi::Object)]
pub struct Model {
    id: String,
    ready: Ready,
    lease: Open<Arc<Lease>>,
}

#[uniffi::export]
impl Model {
    /// What it is called.
    pub fn id(&self) -> Result<String> {
        Ok(self.id.clone())
    }

    /// Bytes that it uses.
    pub fn memory(&self) -> Result<u64> {
        Ok(self.ready.memory)
    }

    /// Positions of all its conversations together.
    pub fn context(&self) -> Result<u32> {
        Ok(self.ready.context)
    }

    /// Asks it. The answer comes as it is made; several may be asked for at once.
    pub fn ask(&self, question: Question) -> Result<Arc<Answer>> {
        let lease = self.lease.get()?;
        Ok(Arc::new(Answer::begin(&lease, question.into())))
    }

    /// Lets go of it: its answers end with an error of the kind `Closed`, and its memory is given back unless others have
    /// it loaded.
    pub fn shut(&self) -> Result<()> {
        drop(self.lease.close());
        Ok(())
    }
}

impl From<exo_serving::Error> for ExoError {
    fn from(error: exo_serving::Error) -> Self {
        use exo_engine::ErrorKind as Engine;
        use exo_serving::Error;
        let kind = match &error {
            Error::NotHere { .. } => ErrorKind::NotFound,
            Error::NotOffered { .. } => ErrorKind::NotPermitted,
            Error::NoRoom { .. } => ErrorKind::OutOfMemory,
            Error::Fetch(error) => return error.clone().into(),
            Error::NotLoaded | Error::Closed => ErrorKind::Closed,
            Error::Engine(exo_engine::Error::Gpu(device)) => return device.clone().into(),
            Error::Engine(engine) => match engine.kind() {
                Engine::Io => ErrorKind::Storage,
                Engine::InvalidModel | Engine::Unsupported => ErrorKind::Unsupported,
                Engine::OutOfMemory | Engine::UnderPressure => ErrorKind::OutOfMemory,
                Engine::InvalidRequest | Engine::Template => ErrorKind::InvalidArgument,
                Engine::Cancelled => ErrorKind::Cancelled,
                _ => ErrorKind::Fault,
            },
            _ => ErrorKind::System,
        };
        Self::new(kind, error.to_string())
    }
}
