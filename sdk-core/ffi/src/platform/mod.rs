//! What a platform does for the core.
//!
//! Kotlin and Swift implement these traits with what their systems have; each has a default there, and a fake in the
//! tests here. Their code may be slow, may throw and may call back from any thread: the core calls it on threads that
//! nothing else waits for, and takes what it throws for an answer.

mod discovery;
mod fetcher;
mod keys;
mod lifecycle;
mod log;
mod probe;

use std::sync::Arc;

use crate::model::ModelHost;

pub use discovery::{Advertisement, DiscoveryProvider, Service, ServiceListener, TxtEntry};
pub use fetcher::{FetchReceiver, FetchRequest, Fetcher, HttpHeader};
pub use keys::KeyStore;
pub use lifecycle::{AppLife, Lifecycle};
pub use log::{LogLevel, LogSink};
pub use probe::{Identity, Probe};

pub(crate) use discovery::OnItsThread;
pub(crate) use fetcher::AppsClient;
pub(crate) use keys::identity;
pub(crate) use log::Journal;
pub(crate) use probe::Asked;

/// What a platform provides. What it leaves out, the core does itself as far as it can.
#[derive(Clone, Default, uniffi::Record)]
pub struct Platform {
    /// How the device is. Left out, the files of a Linux machine are read.
    #[uniffi(default = None)]
    pub probe: Option<Arc<dyn Probe>>,
    /// DNS-SD, by the system's own daemon. Left out, a computer does it itself and a phone does without.
    #[uniffi(default = None)]
    pub discovery: Option<Arc<dyn DiscoveryProvider>>,
    /// Where the node's identity is kept. Left out, it is a file in the data directory.
    #[uniffi(default = None)]
    pub keys: Option<Arc<dyn KeyStore>>,
    /// Where the core's log goes. Left out, nowhere.
    #[uniffi(default = None)]
    pub log: Option<Arc<dyn LogSink>>,
    /// When the app comes to the front, and goes.
    #[uniffi(default = None)]
    pub lifecycle: Option<Arc<dyn Lifecycle>>,
    /// Models that the cluster may have. Left out, this device answers nothing.
    #[uniffi(default = None)]
    pub models: Option<Arc<ModelHost>>,
}

impl std::fmt::Debug for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Platform")
            .field("probe", &self.probe.is_some())
            .field("discovery", &self.discovery.is_some())
            .field("keys", &self.keys.is_some())
            .field("log", &self.log.is_some())
            .field("lifecycle", &self.lifecycle.is_some())
            .field("models", &self.models)
            .finish()
    }
}
