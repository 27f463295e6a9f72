//! Finding a cluster: every way at once, honestly reported.
//!
//! Providers run side by side and the first *verified* answer wins; each keeps a [`ProviderStatus`] that says what it
//! did and what came of it, so that a person who sees "searching" can learn why. The machine decides what is sent
//! where and when; the driver owns the sockets and the DNS-SD daemon and reports what happened.

mod locator;

pub use locator::Locator;

use std::net::{IpAddr, SocketAddr};

use exo_wire::Zid;

use crate::interface::Interface;

/// A way of finding a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// exo's Hello to its multicast group, on every interface.
    Multicast,
    /// exo's Hello to each host of the interface's own subnet: needs no multicast right.
    Unicast,
    /// `_exo._tcp`, by NsdManager, Bonjour or our own mDNS.
    DnsSd,
    /// An address or an `exo://` link that a person gave.
    Link,
}

/// Where a cluster can be joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where its zenoh routers listen, best first. Never empty.
    pub locators: Vec<Locator>,
    /// Who answered, where the provider knows.
    pub zid: Option<Zid>,
    /// Where `GET /state` may be asked.
    pub api: Option<SocketAddr>,
    /// Who found it.
    pub by: Provider,
}

/// A service that DNS-SD saw: a resolved `_exo._tcp` instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// The instance name.
    pub name: String,
    /// Its addresses; a link-local one needs `interface`.
    pub addresses: Vec<IpAddr>,
    /// The interface's index, where known.
    pub interface: Option<u32>,
    /// The port of the SRV record.
    pub port: u16,
    /// The TXT record.
    pub txt: Vec<(String, String)>,
}

/// What happens to discovery.
#[derive(Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Discovery::deadline`].
    Tick,
    /// The interfaces that are up now, all of them. Given at the start and whenever something changed.
    Interfaces(&'a [Interface]),
    /// Bytes came to the discovery socket.
    Datagram {
        /// From where; the scope of a link-local address is its interface.
        from: SocketAddr,
        /// What.
        bytes: &'a [u8],
    },
    /// A send or a permission failed: the provider's status shall say so.
    Refused {
        /// Whose attempt it was.
        provider: Provider,
        /// On which interface, if on one.
        interface: Option<u32>,
        /// What the system said.
        why: String,
    },
    /// DNS-SD resolved a service.
    Service(Service),
    /// Start searching, or search again: nothing is joined (or what was is lost).
    Search,
    /// Stop searching: joined.
    Rest,
}

/// What discovery wants.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// Send this datagram.
    Send {
        /// For the status, should it fail.
        provider: Provider,
        /// To where; the scope of a multicast address is the interface to send on.
        to: SocketAddr,
        /// What.
        bytes: Vec<u8>,
    },
    /// Browse `_exo._tcp` (or stop).
    Browse(bool),
    /// A cluster was found and verified as far as its provider can.
    Found(Found),
    /// Some [`ProviderStatus`] changed.
    Changed,
}

/// What a provider did, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderStatus {
    /// Which.
    pub provider: Provider,
    /// What it is doing.
    pub activity: Activity,
    /// One line for people: "12 Hellos on wlan0, nobody answered", "no IPv6 on wlan0", "no multicast permission".
    pub note: String,
}

/// What a provider is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Not asked for, or nothing to do.
    Off,
    /// Searching.
    Searching,
    /// It cannot search; the note says why.
    Blocked,
    /// It found a cluster.
    Found,
}
