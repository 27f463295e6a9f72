//! The address of an edge.

use std::{
    net::{IpAddr, SocketAddr},
    num::NonZeroU16,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};

/// `/ip4/192.168.1.7/tcp/52415`, with the parts that exo writes beside it.
///
/// Made from a socket address only: a scope (`%eth0`), which ends exo's process, cannot get in, and the port that
/// exo's own code insists on cannot be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Multiaddr {
    ip: IpAddr,
    port: NonZeroU16,
}

impl Multiaddr {
    /// The address without its scope; an IPv4 address in IPv6 clothes becomes plain IPv4. `None` without a port.
    pub fn tcp(address: SocketAddr) -> Option<Self> {
        NonZeroU16::new(address.port()).map(|port| Self { ip: address.ip().to_canonical(), port })
    }

    /// The socket address that it names.
    pub fn address(self) -> SocketAddr {
        SocketAddr::new(self.ip, self.port.get())
    }

    /// Reads `/ip4/…/tcp/…` or `/ip6/…/tcp/…`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('/')?.split('/');
        let (family, ip) = (parts.next()?, parts.next()?);
        let ip = match family {
            "ip4" => IpAddr::V4(ip.parse().ok()?),
            "ip6" => IpAddr::V6(ip.parse().ok()?),
            _ => return None,
        };
        let ("tcp", port, None) = (parts.next()?, parts.next()?, parts.next()) else { return None };
        Self::tcp(SocketAddr::new(ip, port.parse().ok()?))
    }
}

impl Serialize for Multiaddr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let family = if self.ip.is_ipv4() { "ip4" } else { "ip6" };
        let mut written = serializer.serialize_struct("Multiaddr", 4)?;
        written.serialize_field("address", &format!("/{family}/{}/tcp/{}", self.ip, self.port))?;
        written.serialize_field("address_type", family)?;
        written.serialize_field("ip_address", &self.ip)?;
        written.serialize_field("port", &self.port)?;
        written.end()
    }
}

impl<'de> Deserialize<'de> for Multiaddr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // exo works the other parts out from `address` and ignores what is written.
        #[derive(Deserialize)]
        struct Written {
            address: String,
        }
        let Written { address } = Written::deserialize(deserializer)?;
        Self::parse(&address).ok_or_else(|| de::Error::custom("not an IP address with a TCP port"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(address: &str) -> String {
        serde_json::to_value(Multiaddr::tcp(address.parse().unwrap()).unwrap()).unwrap()["address"]
            .as_str()
            .unwrap()
            .into()
    }

    #[test]
    fn a_scope_never_reaches_the_wire() {
        assert_eq!(written("[fe80::1%2]:52415"), "/ip6/fe80::1/tcp/52415");
    }

    #[test]
    fn an_ipv4_address_in_ipv6_clothes_has_no_dots_that_exo_would_refuse() {
        assert_eq!(written("[::ffff:10.77.0.1]:1"), "/ip4/10.77.0.1/tcp/1");
    }

    #[test]
    fn only_whole_addresses_are_read() {
        for bad in [
            "",
            "/",
            "/ip4/1.2.3.4",
            "/ip4/1.2.3.4/udp/1",
            "/ip4/1.2.3.4/tcp/0",
            "/ip6/fe80::1%eth0/tcp/1",
            "/ip4/1.2.3.4/tcp/1/p2p/x",
        ] {
            assert_eq!(Multiaddr::parse(bad), None, "{bad}");
        }
    }
}
