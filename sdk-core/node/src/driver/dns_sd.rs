//! DNS-SD: browsing and advertising `_exo._tcp`.
//!
//! On a phone the system's own daemon does it (`NsdManager`, Bonjour), through an app's [`DiscoveryProvider`]: a second
//! one would need multicast rights and keep the radio awake. On other hosts [`Mdns`] does.

#[cfg(not(any(target_os = "android", target_os = "ios")))]
mod mdns;

use std::sync::Arc;

#[cfg(not(any(target_os = "android", target_os = "ios")))]
pub use mdns::Mdns;

use crate::discovery::{Advertisement, Service};

/// The service type, as `NsdManager` and Bonjour write it.
pub const SERVICE_TYPE: &str = "_exo._tcp";

/// Why DNS-SD does not work here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DnsSdError {
    /// The system or its user does not allow it.
    #[error("DNS-SD is not permitted: {why}")]
    NotPermitted {
        /// What the system said.
        why: String,
    },
    /// Something else.
    #[error("DNS-SD failed: {why}")]
    Failed {
        /// What the system said.
        why: String,
    },
}

/// Hears what browsing sees. Called from any thread; must not block.
pub trait ServiceListener: Send + Sync {
    /// A service was resolved, or has changed.
    fn resolved(&self, service: Service);

    /// Browsing broke and is over.
    fn failed(&self, error: DnsSdError);
}

/// Somebody who does DNS-SD for us: the system of a phone, or [`Mdns`]. No method may block for long; all may be
/// called from any thread, and stopping what was not started is no error.
pub trait DiscoveryProvider: Send + Sync {
    /// Browses [`SERVICE_TYPE`] until told to stop; what is already known is told too.
    fn browse(&self, listener: Arc<dyn ServiceListener>) -> Result<(), DnsSdError>;

    /// Stops browsing.
    fn stop_browsing(&self);

    /// Advertises this, and nothing that was advertised before.
    fn advertise(&self, advertisement: Advertisement) -> Result<(), DnsSdError>;

    /// Takes back what is advertised.
    fn withdraw(&self);
}

/// Who does DNS-SD where the app names nobody: ourselves on `on` or everywhere, or on a phone nobody.
pub(super) fn by_default(on: Option<String>) -> Arc<dyn DiscoveryProvider> {
    #[cfg(not(any(target_os = "android", target_os = "ios")))]
    return Arc::new(Mdns::new(on));
    #[cfg(any(target_os = "android", target_os = "ios"))]
    {
        drop(on);
        Arc::new(Unprovided)
    }
}

/// A phone whose app gave no provider.
#[cfg(any(target_os = "android", target_os = "ios"))]
struct Unprovided;

#[cfg(any(target_os = "android", target_os = "ios"))]
impl DiscoveryProvider for Unprovided {
    fn browse(&self, _: Arc<dyn ServiceListener>) -> Result<(), DnsSdError> {
        Err(DnsSdError::Failed { why: "the app gave no provider; set JoinOptions::dns_sd".to_owned() })
    }

    fn stop_browsing(&self) {}

    fn advertise(&self, _: Advertisement) -> Result<(), DnsSdError> {
        Err(DnsSdError::Failed { why: "the app gave no provider; set JoinOptions::dns_sd".to_owned() })
    }

    fn withdraw(&self) {}
}
