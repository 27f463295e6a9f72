//! Where models come from that are not on this device.

use std::{fmt, path::PathBuf, sync::Arc};

use exo_models::{Cancel, Fetcher, Found, ModelId, ModelStore, Options, Progress, Result, Server};

/// A server, somebody who can ask it, and the directory into which its models go.
///
/// A host that was given one brings here what the cluster may have: the models that were offered, or any.
#[derive(Clone)]
pub struct Supply {
    store: ModelStore,
    server: Server,
    fetcher: Arc<dyn Fetcher>,
    options: Options,
    is_for_any: bool,
}

impl Supply {
    /// Models of that server. The directory is one where the host looks for models; `fetcher` is the platform's HTTP
    /// client.
    pub fn new(directory: impl Into<PathBuf>, server: Server, fetcher: Arc<dyn Fetcher>) -> Self {
        let (store, options) = (ModelStore::new(directory), Options::default());
        Self { store, server, fetcher, options, is_for_any: false }
    }

    /// The cluster may have any model that there is room for, whether or not it was offered.
    #[must_use]
    pub fn for_any_model(mut self) -> Self {
        self.is_for_any = true;
        self
    }

    /// How patient and how greedy its downloads are.
    #[must_use]
    pub fn with(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    pub(crate) fn is_for_any(&self) -> bool {
        self.is_for_any
    }

    /// Where a model will lie.
    pub(crate) fn directory(&self, model: &ModelId) -> PathBuf {
        self.store.directory(model)
    }

    /// Bytes of a model that are here already.
    pub(crate) fn kept(&self, model: &ModelId) -> u64 {
        match self.store.find(model) {
            Ok(Found::Complete { bytes, .. } | Found::Partial { bytes, .. }) => bytes,
            Ok(Found::Absent) | Err(_) => 0,
        }
    }

    /// Bytes that the disk has for models; what the rest of the phone needs is taken off.
    pub(crate) fn disk_room(&self) -> u64 {
        // Where the disk does not tell, the download finds out.
        self.store.free_bytes().map_or(u64::MAX, |free| free.saturating_sub(self.options.reserve))
    }

    /// Brings the model here, and blocks until it is.
    pub(crate) fn fetch(
        &self,
        model: &ModelId,
        cancel: &Cancel,
        tell: &mut dyn FnMut(Progress),
    ) -> Result<()> {
        let source = self.server.model(model.clone());
        exo_models::fetch(&self.store, source, &self.fetcher, self.options, cancel, tell).map(drop)
    }
}

impl fmt::Debug for Supply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supply")
            .field("store", &self.store)
            .field("server", &self.server)
            .field("is_for_any", &self.is_for_any)
            .finish_non_exhaustive()
    }
}
