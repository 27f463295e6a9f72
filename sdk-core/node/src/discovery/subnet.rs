//! The hosts around us in a private IPv4 subnet, nearest first.
//!
//! DHCP servers give out addresses in runs, so an exo of the same household is most often near our own. A host is a
//! position in an order, not an entry of a list: sweeping a /8 costs no memory.

use std::{fmt, net::Ipv4Addr};

use crate::interface::InterfaceAddress;

/// How many hosts of a subnet are ever asked.
pub(super) const MOST_HOSTS: u32 = 254;

/// A private subnet that we have an address in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Subnet {
    own: Ipv4Addr,
    prefix: u8,
}

impl Subnet {
    /// The subnet of this address, if it is one that may be swept: private, and with room for another host.
    pub(super) fn around(address: InterfaceAddress) -> Option<Self> {
        let std::net::IpAddr::V4(own) = address.ip else { return None };
        // Never beyond the private block, whatever netmask somebody's DHCP server made up.
        let block = private_block(own)?;
        let prefix = address.prefix.max(block);
        (prefix <= 30).then_some(Self { own, prefix })
    }

    fn mask(self) -> u32 {
        u32::MAX.checked_shl(32 - u32::from(self.prefix)).unwrap_or(0)
    }

    /// The address of the subnet, which names it.
    pub(super) fn network(self) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.own.to_bits() & self.mask())
    }

    /// Whether this is a host of it.
    pub(super) fn holds(self, ip: Ipv4Addr) -> bool {
        ip.to_bits() & self.mask() == self.network().to_bits() && ip != self.own
    }

    /// Whether both are the same subnet, though our address there may differ.
    pub(super) fn is_same(self, other: Self) -> bool {
        self.network() == other.network() && self.prefix == other.prefix
    }

    /// Hosts below and above our own address, without the network's and the broadcast address.
    fn sides(self) -> (u32, u32) {
        let own = self.own.to_bits();
        let first = self.network().to_bits() + 1;
        let last = (self.network().to_bits() | !self.mask()) - 1;
        (own.saturating_sub(first), last.saturating_sub(own))
    }

    /// How many hosts are asked in one round.
    pub(super) fn hosts(self) -> u32 {
        let (below, above) = self.sides();
        below.saturating_add(above).min(MOST_HOSTS)
    }

    /// The host at this position: one above us, one below, two above, and so on.
    pub(super) fn host(self, position: u32) -> Option<Ipv4Addr> {
        if position >= self.hosts() {
            return None;
        }
        let own = self.own.to_bits();
        let (below, above) = self.sides();
        let both = below.min(above);
        let (up, distance) = if position / 2 < both {
            (position.is_multiple_of(2), position / 2 + 1)
        } else {
            (above > below, position - both + 1)
        };
        let host = if up { own.checked_add(distance) } else { own.checked_sub(distance) };
        host.map(Ipv4Addr::from_bits)
    }
}

impl fmt::Display for Subnet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network(), self.prefix)
    }
}

/// The length of the private block that holds the address, if one does.
fn private_block(ip: Ipv4Addr) -> Option<u8> {
    match ip.octets() {
        [10, ..] => Some(8),
        [172, 16..=31, ..] => Some(12),
        [192, 168, ..] | [169, 254, ..] => Some(16),
        _ => None,
    }
}
