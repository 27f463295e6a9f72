//! What is searched, and what the search is confined to.

use std::{collections::BTreeSet, fmt, net::IpAddr, str::FromStr};

use exo_wire::{
    Namespace,
    datagram::{DEFAULT_NAMESPACE, DISCOVERY_PORT},
};

use super::{Link, multicast::carries_hellos};
use crate::interface::{Interface, InterfaceKind};

/// A way of finding a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// A Hello to this very device: an exo beside us, and tests that may not leave it.
    Loopback,
    /// exo's Hello to its multicast group, on every interface.
    Multicast,
    /// exo's Hello to each host of the interface's own subnet: needs no multicast right.
    Unicast,
    /// `_exo._tcp`, by `NsdManager`, Bonjour or our own mDNS.
    DnsSd,
    /// An address or an `exo://` link that a person gave.
    Link,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Loopback, Self::Multicast, Self::Unicast, Self::DnsSd, Self::Link];

    /// What people call it, on the command line too.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loopback => "loopback",
            Self::Multicast => "multicast",
            Self::Unicast => "unicast",
            Self::DnsSd => "dns-sd",
            Self::Link => "link",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No provider has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no way of searching is called {0:?}: write one of loopback, link, dns-sd, unicast, multicast")]
pub struct UnknownProvider(String);

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Self, UnknownProvider> {
        let unknown = || UnknownProvider(text.chars().take(32).collect());
        Self::ALL.into_iter().find(|provider| provider.name() == text).ok_or_else(unknown)
    }
}

/// What to search for, and where.
#[derive(Debug, Clone)]
pub struct SearchConfig {
    /// The cluster's name. A confirmed link with a namespace of its own takes its place.
    pub namespace: String,
    /// Search on this interface alone.
    pub on: Option<String>,
    /// Search in these ways alone.
    pub only: Option<BTreeSet<Provider>>,
    /// Hosts where a cluster was found before, best first: asked first and most often.
    pub past_hosts: Vec<IpAddr>,
    /// Where exo listens for a Hello.
    pub discovery_port: u16,
    /// The link that a person gave and confirmed.
    pub link: Option<Link>,
}

impl Default for SearchConfig {
    /// A stock exo, everywhere.
    fn default() -> Self {
        Self {
            namespace: DEFAULT_NAMESPACE.to_owned(),
            on: None,
            only: None,
            past_hosts: Vec::new(),
            discovery_port: DISCOVERY_PORT,
            link: None,
        }
    }
}

impl SearchConfig {
    /// Whether this way of searching was asked for.
    pub fn wants(&self, provider: Provider) -> bool {
        match &self.only {
            Some(only) => only.contains(&provider),
            // The loopback interface is one among others: confined to another, it is not searched.
            None => provider != Provider::Loopback || self.on.is_none(),
        }
    }

    /// Whether this interface may be searched at all: it is the chosen one, and not one that costs money.
    pub fn allows(&self, interface: &Interface) -> bool {
        let chosen = self.on.as_ref().is_none_or(|on| *on == interface.name);
        chosen && !matches!(interface.kind, InterfaceKind::Cellular | InterfaceKind::Loopback)
    }

    /// Whether a Hello may be multicast there, and would get out.
    pub fn may_multicast_on(&self, interface: &Interface) -> bool {
        self.allows(interface) && carries_hellos(interface).is_ok()
    }

    /// Whether nothing may leave this device: sockets are then bound to loopback addresses.
    pub fn is_confined_to_loopback(&self) -> bool {
        self.only.as_ref().is_some_and(|only| only.iter().all(|provider| *provider == Provider::Loopback))
    }

    /// The name that is searched for: the link's, if it has one.
    pub fn searched_name(&self) -> &str {
        self.link.as_ref().and_then(Link::namespace).unwrap_or(&self.namespace)
    }

    /// The namespace that is searched for.
    pub fn searched(&self) -> Namespace {
        Namespace::named(self.searched_name())
    }
}
