//! What goes into discovery and what comes out.

use std::net::{IpAddr, SocketAddr};

use exo_wire::Zid;

use super::{Locator, Provider};
use crate::interface::Interface;

/// Where a cluster can be joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where its zenoh routers listen, best first. Never empty.
    pub locators: Vec<Locator>,
    /// Who answered, where the provider knows.
    pub zid: Option<Zid>,
    /// Where `GET /state` may be asked. exo serves it on IPv4 alone: none while we know only an IPv6 address of it.
    pub api: Option<SocketAddr>,
    /// Who found it.
    pub by: Provider,
}

/// A service that DNS-SD saw: a resolved `_exo._tcp` instance. All of it is a stranger's word.
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

/// Why the system refused, as far as it changes what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// EPERM, EACCES: a right is missing. Tried again, seldom: the right may be given.
    NotPermitted,
    /// No route, network down, address gone: passes by itself, so it is tried again as ever.
    Unreachable,
    /// Something else.
    Other,
}

/// What happens to discovery.
#[derive(Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Discovery::deadline`](super::Discovery::deadline).
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
        /// What to make of it.
        obstacle: Obstacle,
        /// What the system said.
        why: String,
    },
    /// DNS-SD resolved a service.
    Service(Service),
    /// The answer to [`Output::Resolve`]: the addresses of that name, or what went wrong.
    Resolved {
        /// The name that was asked for.
        host: &'a str,
        /// Its addresses.
        addresses: Result<&'a [IpAddr], String>,
    },
    /// Start searching, or go on: nothing is joined, or what was is lost, or what was found did not do.
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
    /// Look up the addresses of this name and answer with [`Input::Resolved`].
    Resolve(String),
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
