//! Which hosts are neighbours: those of the subnets of interfaces that may be searched.
//!
//! A stranger's advertisement, or an address from last week, must not make a phone send datagrams across the
//! internet. So before anything is sent to an address that is not a person's word, it has to be on such a subnet.

use std::net::{IpAddr, SocketAddr, SocketAddrV6};

use crate::interface::{Interface, InterfaceAddress, InterfaceKind};

const MOST: usize = 64;

/// The subnets around us.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    subnets: Vec<(u32, InterfaceAddress)>,
}

impl Reach {
    /// What these interfaces reach, without tunnels and the like.
    pub(crate) fn of<'a>(interfaces: impl IntoIterator<Item = &'a Interface>) -> Self {
        let near = |interface: &&Interface| is_lan(interface.kind);
        let subnets = interfaces
            .into_iter()
            .filter(near)
            .flat_map(|interface| interface.addresses.iter().map(|address| (interface.index, *address)))
            .take(MOST)
            .collect();
        Self { subnets }
    }

    /// Where to send to reach that port of a neighbour, or nothing if it is none. A link-local IPv6 address needs
    /// the interface on which it was seen; without it, it is taken to be on the only one there is.
    pub(crate) fn neighbour(&self, ip: IpAddr, port: u16, seen_on: Option<u32>) -> Option<SocketAddr> {
        if port == 0 || ip.is_loopback() || ip.is_unspecified() || ip.is_multicast() {
            return None;
        }
        match ip {
            IpAddr::V6(v6) if v6.is_unicast_link_local() => {
                let mut scopes: Vec<u32> = self.subnets.iter().map(|(index, _)| *index).collect();
                scopes.dedup();
                let scope = match (seen_on, scopes.as_slice()) {
                    (Some(index), _) if scopes.contains(&index) => index,
                    (None, [only]) => *only,
                    _ => return None,
                };
                Some(SocketAddr::V6(SocketAddrV6::new(v6, port, 0, scope)))
            }
            _ => self.subnets.iter().any(|(_, of)| holds(*of, ip)).then(|| SocketAddr::new(ip, port)),
        }
    }
}

/// Whether neighbours are to be expected behind such an interface.
pub(crate) const fn is_lan(kind: InterfaceKind) -> bool {
    matches!(kind, InterfaceKind::Wifi | InterfaceKind::Ethernet | InterfaceKind::Unknown)
}

fn holds(of: InterfaceAddress, ip: IpAddr) -> bool {
    match (of.ip, ip) {
        (IpAddr::V4(ours), IpAddr::V4(theirs)) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(of.prefix.into())).unwrap_or(0);
            // A prefix of 0 would make the whole internet a neighbour.
            of.prefix > 0 && (ours.to_bits() ^ theirs.to_bits()) & mask == 0
        }
        (IpAddr::V6(ours), IpAddr::V6(theirs)) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(of.prefix.into())).unwrap_or(0);
            of.prefix > 0 && (ours.to_bits() ^ theirs.to_bits()) & mask == 0
        }
        _ => false,
    }
}
