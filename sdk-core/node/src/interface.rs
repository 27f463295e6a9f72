//! The network interfaces of this device, as far as a member cares.

use std::net::IpAddr;

/// What an interface is, since that decides what may be sent there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InterfaceKind {
    /// `lo`.
    Loopback,
    /// A wireless LAN.
    Wifi,
    /// A wired LAN, or what looks like one.
    Ethernet,
    /// The mobile network: never searched, costs money.
    Cellular,
    /// A tunnel or point-to-point link: never swept.
    PointToPoint,
    /// Something else.
    Unknown,
}

/// One address of one interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InterfaceAddress {
    /// The address, without a scope.
    pub ip: IpAddr,
    /// How many leading bits name the subnet.
    pub prefix: u8,
}

/// One network interface that is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// `wlan0`, `en0`.
    pub name: String,
    /// The kernel's number, which is the scope of link-local addresses.
    pub index: u32,
    /// What it is.
    pub kind: InterfaceKind,
    /// Whether multicast can be sent there at all.
    pub multicast: bool,
    /// Its addresses.
    pub addresses: Vec<InterfaceAddress>,
}
