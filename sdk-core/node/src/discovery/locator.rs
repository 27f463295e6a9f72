//! Where a zenoh router listens.

use std::{
    fmt,
    net::{IpAddr, SocketAddr, SocketAddrV6},
};

/// A TCP endpoint in zenoh's spelling: `tcp/192.168.1.7:52414`, `tcp/[fe80::1%2]:52414`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Locator(SocketAddr);

impl Locator {
    /// The endpoint at this address; a link-local IPv6 address must carry its scope.
    pub const fn new(address: SocketAddr) -> Self {
        Self(address)
    }

    /// The endpoint at that port of the host that `seen` came from.
    pub fn beside(seen: SocketAddr, port: u16) -> Self {
        let mut address = seen;
        address.set_port(port);
        if let SocketAddr::V6(v6) = address {
            if let Some(v4) = v6.ip().to_ipv4_mapped() {
                address = SocketAddr::new(IpAddr::V4(v4), port);
            } else {
                address = SocketAddr::V6(SocketAddrV6::new(*v6.ip(), port, 0, v6.scope_id()));
            }
        }
        Self(address)
    }

    /// The socket address.
    pub const fn address(self) -> SocketAddr {
        self.0
    }
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tcp/{}", self.0)
    }
}
