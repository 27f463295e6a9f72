//! DNS-SD by the system's own daemon.

use std::{net::IpAddr, sync::Arc};

use exo_node::{
    discovery,
    driver::dns_sd::{self, DnsSdError},
};

use crate::{ErrorKind, ExoError, Result, threads::Errands};

/// One entry of a TXT record.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct TxtEntry {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// A service that was resolved.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Service {
    /// The instance name.
    pub name: String,
    /// Its addresses; a link-local one needs `interface`.
    pub addresses: Vec<String>,
    /// The interface's index, where known.
    pub interface: Option<u32>,
    /// The port.
    pub port: u16,
    /// The TXT record.
    pub txt: Vec<TxtEntry>,
}

/// What shall be advertised.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Advertisement {
    /// The service type: `_exo._tcp`.
    pub service_type: String,
    /// The instance name. Random: it says nothing of the phone's owner.
    pub name: String,
    /// The port.
    pub port: u16,
    /// The TXT record.
    pub txt: Vec<TxtEntry>,
}

/// Somebody who does DNS-SD for us: `NsdManager` on Android, Bonjour on Apple's systems.
///
/// Called from a thread of its own, in order. An error of the kind `NotPermitted` is shown to people as such. Stopping
/// what was not started is no error.
#[uniffi::export(foreign)]
pub trait DiscoveryProvider: Send + Sync {
    /// Browses this service type until told to stop; what is already known is told too.
    fn browse(&self, service_type: String, listener: Arc<ServiceListener>) -> Result<()>;

    /// Stops browsing.
    fn stop_browsing(&self) -> Result<()>;

    /// Advertises this, and nothing that was advertised before.
    fn advertise(&self, advertisement: Advertisement) -> Result<()>;

    /// Takes back what is advertised.
    fn withdraw(&self) -> Result<()>;
}

/// Hears what browsing sees. May be called from any thread, also after browsing was stopped.
#[derive(uniffi::Object)]
pub struct ServiceListener {
    listener: Arc<dyn dns_sd::ServiceListener>,
}

#[uniffi::export]
impl ServiceListener {
    /// A service was resolved, or has changed.
    pub fn resolved(&self, service: Service) -> Result<()> {
        let address = |text: &String| {
            // A scope (`fe80::1%wlan0`) is left to `interface`.
            let bare = text.split('%').next().unwrap_or_default();
            bare.parse::<IpAddr>().map_err(|_| ExoError::invalid(format!("{text:?} is no IP address")))
        };
        let addresses = service.addresses.iter().map(address).collect::<Result<_>>()?;
        self.listener.resolved(discovery::Service {
            name: service.name,
            addresses,
            interface: service.interface,
            port: service.port,
            txt: service.txt.into_iter().map(|entry| (entry.key, entry.value)).collect(),
        });
        Ok(())
    }

    /// Browsing broke and is over. `permission`: because the system or its user does not allow it.
    pub fn failed(&self, permission: bool, why: String) -> Result<()> {
        let error = if permission { DnsSdError::NotPermitted { why } } else { DnsSdError::Failed { why } };
        self.listener.failed(error);
        Ok(())
    }
}

/// The app's provider as the core uses it: on a thread of its own, so that nobody waits for it. That browsing could not
/// even begin is told to the listener, as if it had broken.
pub(crate) struct OnItsThread {
    provider: Arc<dyn DiscoveryProvider>,
    errands: Errands,
}

impl OnItsThread {
    pub(crate) fn new(provider: Arc<dyn DiscoveryProvider>) -> Result<Self> {
        Ok(Self { provider, errands: Errands::start("exo-dns-sd")? })
    }

    fn send(&self, errand: impl FnOnce(&dyn DiscoveryProvider) + Send + 'static) -> Result<(), DnsSdError> {
        let provider = self.provider.clone();
        if self.errands.send(move || errand(&*provider)) {
            Ok(())
        } else {
            Err(DnsSdError::Failed { why: "the app's provider does not keep up".to_owned() })
        }
    }
}

impl dns_sd::DiscoveryProvider for OnItsThread {
    fn browse(&self, listener: Arc<dyn dns_sd::ServiceListener>) -> Result<(), DnsSdError> {
        self.send(move |provider| {
            let told = Arc::new(ServiceListener { listener: listener.clone() });
            if let Err(error) = provider.browse(dns_sd::SERVICE_TYPE.to_owned(), told) {
                listener.failed(error.into());
            }
        })
    }

    fn stop_browsing(&self) {
        let _ = self.send(|provider| drop(provider.stop_browsing()));
    }

    fn advertise(&self, advertisement: discovery::Advertisement) -> Result<(), DnsSdError> {
        let discovery::Advertisement { name, port, txt } = advertisement;
        let txt = txt.into_iter().map(|(key, value)| TxtEntry { key, value }).collect();
        let shown = Advertisement { service_type: dns_sd::SERVICE_TYPE.to_owned(), name, port, txt };
        self.send(move |provider| drop(provider.advertise(shown)))
    }

    fn withdraw(&self) {
        let _ = self.send(|provider| drop(provider.withdraw()));
    }
}

impl From<ExoError> for DnsSdError {
    fn from(error: ExoError) -> Self {
        let why = error.reason().to_owned();
        match error.kind() {
            ErrorKind::NotPermitted => Self::NotPermitted { why },
            _ => Self::Failed { why },
        }
    }
}
