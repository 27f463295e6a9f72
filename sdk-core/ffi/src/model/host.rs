//! The models of this device.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use exo_engine::Relief;
use exo_models::ModelStore;
use exo_serving::{Host, Settings, Shelf, Shelved, Supply};
use exo_wire::ModelId;

use super::{FetchOptions, ModelFetching, ModelLoading};
use crate::{
    ExoError, Result,
    closing::Open,
    gpu::{GpuDevice, GpuOptions},
    platform::{AppsClient, Fetcher},
    threads::aside,
};

/// How a host of models is opened.
#[derive(Debug, Clone, uniffi::Record)]
pub struct ModelHostOptions {
    /// Where models lie, each in a folder as exo names it: `mlx-community--Qwen3-0.6B-4bit`.
    pub directory: String,
    /// Where they are computed; the best device if left out.
    #[uniffi(default = None)]
    pub gpu: Option<GpuOptions>,
    /// Positions of all conversations of a model together. Halved, and halved again, where memory is short.
    #[uniffi(default = 4096)]
    pub context: u32,
}

/// A model as it lies on this device.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct ShelvedModel {
    /// What it is called, such as `mlx-community/Qwen3-0.6B-4bit`.
    pub id: String,
    /// Bytes of its files.
    pub bytes: u64,
    /// Bytes of memory that it uses, or would use if it were loaded now; none if it cannot be.
    pub memory: Option<u64>,
    /// Why it cannot be loaded, for people.
    pub refusal: Option<String>,
    /// Whether it is loaded.
    pub is_loaded: bool,
    /// Whether the cluster may have it.
    pub is_offered: bool,
}

/// What a model did when memory was short.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct ModelRelief {
    /// Which.
    pub model: String,
    /// What it did, for people.
    pub what: String,
    /// Bytes that went back to the system.
    pub freed: u64,
}

impl ModelRelief {
    fn of(model: &ModelId, relief: Relief) -> Self {
        Self { model: model.to_string(), what: relief.to_string(), freed: relief.freed }
    }
}

/// The models of this device, and the device that computes them.
#[derive(Debug, uniffi::Object)]
pub struct ModelHost {
    directory: PathBuf,
    host: Open<Host>,
    /// What comes into the directory now; it ends with the host.
    fetches: Mutex<Vec<Weak<ModelFetching>>>,
}

#[uniffi::export]
impl ModelHost {
    /// Opens the device. Nothing is loaded, and nothing is offered to the cluster, until somebody says so.
    #[uniffi::constructor]
    pub async fn open(options: ModelHostOptions) -> Result<Self> {
        let directory = PathBuf::from(&options.directory);
        let host = aside("exo-models-open", move || {
            let gpu = exo_gpu::Gpu::open(options.gpu.unwrap_or_default().into())?;
            let settings = Settings { context: options.context, ..Settings::default() };
            let host = Host::start(gpu, Shelf::in_directory(options.directory), settings)?;
            host.offer([].into());
            Ok(host)
        });
        let host = Open::new("host of models", host.await?);
        Ok(Self { directory, host, fetches: Mutex::default() })
    }

    /// The device that computes.
    pub fn device(&self) -> Result<GpuDevice> {
        Ok(self.host.get()?.gpu().device().description().into())
    }

    /// All models that are on this device, with what each would cost.
    pub async fn models(&self) -> Result<Vec<ShelvedModel>> {
        let host = self.host.get()?;
        let listed =
            move || host.shelf().into_iter().map(|shelved| ShelvedModel::of(shelved, &host)).collect();
        aside("exo-models-list", move || Ok(listed())).await
    }

    /// Bytes that loaded models use.
    pub fn used(&self) -> Result<u64> {
        Ok(self.host.get()?.used())
    }

    /// Lets the cluster have these models and no others; none at all with an empty list. Holds at once.
    pub fn offer(&self, models: Vec<String>) -> Result<()> {
        let host = self.host.get()?;
        let models: Result<_> = models.into_iter().map(|name| named(&name)).collect();
        host.offer(models?);
        Ok(())
    }

    /// The models that the cluster may have.
    pub fn offered(&self) -> Result<Vec<String>> {
        let offered = self.host.get()?.offered().unwrap_or_default();
        Ok(offered.iter().map(ToString::to_string).collect())
    }

    /// Begins to load a model, or shares it with whoever has it loaded.
    pub fn load(&self, model: &str) -> Result<Arc<ModelLoading>> {
        let host = self.host.get()?;
        Ok(Arc::new(ModelLoading::begin(&host, &named(model)?)))
    }

    /// Begins to fetch a model into the directory, or goes on where an earlier download stopped. `fetcher` is the
    /// platform's own HTTP client.
    pub fn fetch(
        &self,
        model: &str,
        fetcher: Arc<dyn Fetcher>,
        options: FetchOptions,
    ) -> Result<Arc<ModelFetching>> {
        let host = self.host.get()?;
        let fetch = Arc::new(ModelFetching::begin(&host, &self.directory, model, fetcher, options)?);
        let mut fetches = self.fetches();
        fetches.retain(|other| other.strong_count() > 0);
        fetches.push(Arc::downgrade(&fetch));
        Ok(fetch)
    }

    /// Lets the cluster bring models here: what exo places on this device and is not there is fetched with the app's own
    /// client, but never over a network that costs money. Only models that were offered, or any that there is room for.
    /// Without a client nothing is fetched for the cluster any more; that is how a host begins.
    pub fn fetch_for_cluster(
        &self,
        fetcher: Option<Arc<dyn Fetcher>>,
        options: FetchOptions,
        any_model: bool,
    ) -> Result<()> {
        let (host, server) = (self.host.get()?, options.server()?);
        host.supply_from(fetcher.map(|fetcher| {
            let supply = Supply::new(&self.directory, server, Arc::new(AppsClient(fetcher)));
            if any_model { supply.for_any_model() } else { supply }
        }));
        Ok(())
    }

    /// Takes a model off the disk, with what came of it so far. Whether there was anything. One that is loaded stays.
    pub async fn delete(&self, model: String) -> Result<bool> {
        let (host, wanted) = (self.host.get()?, named(&model)?);
        let (store, id): (_, exo_models::ModelId) = (ModelStore::new(&self.directory), model.parse()?);
        let delete = move || {
            // Whoever wanted it before this was said has it by now.
            host.settle();
            if host.is_held(&wanted) {
                return Err(ExoError::invalid(format!("{model} is loaded: let go of it first")));
            }
            let was_there = store.delete(&id)?;
            host.look_again();
            Ok(was_there)
        };
        aside("exo-models-delete", delete).await
    }

    /// Memory is short: loaded models give back what they can, and nothing more is offered to the cluster. Say it again while
    /// it is short; a minute after the last time all of it is taken back. A node that was given this host and a lifecycle does
    /// it by itself.
    pub async fn relieve(&self) -> Result<Vec<ModelRelief>> {
        let host = self.host.get()?;
        let relieve = move || {
            Ok(host.relieve().into_iter().map(|(model, relief)| ModelRelief::of(&model, relief)).collect())
        };
        aside("exo-models-relieve", relieve).await
    }

    /// Lets go of all models. Whoever waits for an answer gets an error of the kind `Closed`.
    pub fn shut(&self) -> Result<()> {
        self.end();
        Ok(())
    }
}

impl ModelHost {
    /// For a node that serves its models.
    pub(crate) fn inner(&self) -> Result<Arc<Host>> {
        self.host.get()
    }

    fn end(&self) {
        if let Some(host) = self.host.close() {
            for fetch in self.fetches().drain(..).filter_map(|fetch| fetch.upgrade()) {
                let _ = fetch.cancel();
            }
            host.close();
        }
    }

    fn fetches(&self) -> MutexGuard<'_, Vec<Weak<ModelFetching>>> {
        self.fetches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ModelHost {
    fn drop(&mut self) {
        self.end();
    }
}

impl ShelvedModel {
    fn of(shelved: Shelved, host: &Host) -> Self {
        let (memory, refusal) = match shelved.memory {
            Ok(bytes) => (Some(bytes), None),
            Err(why) => (None, Some(why.to_string())),
        };
        Self {
            id: shelved.model.to_string(),
            bytes: shelved.bytes,
            memory,
            refusal,
            is_loaded: shelved.is_loaded,
            is_offered: host.is_offered(&shelved.model),
        }
    }
}

fn named(model: &str) -> Result<ModelId> {
    ModelId::parse(model).map_err(ExoError::invalid)
}
