//! The UDP sockets of discovery.
//!
//! One socket a family, never one for both: a host without IPv6 (or, on some mobile networks, without IPv4) then needs
//! no other code, and an address is what it looks like. Confined to loopback, they are bound there and nowhere else.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use exo_wire::datagram::GROUP;
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::net::UdpSocket;

use crate::discovery::{Input, Obstacle, Provider};

/// Larger than any datagram of the protocol: what fills it is not one.
pub const LARGEST_DATAGRAM: usize = 64;

/// What the sockets may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bind {
    /// Any address of this device, at a port that the system chooses: to ask.
    Anywhere,
    /// Loopback addresses alone, at a port that the system chooses: to ask this very device.
    Loopback,
    /// Any address, at this port: to be asked. Another process, or a second phone in this one, may do the same.
    At(u16),
}

impl Bind {
    fn address(self, any: IpAddr, loopback: IpAddr) -> SocketAddr {
        match self {
            Self::Anywhere => SocketAddr::new(any, 0),
            Self::Loopback => SocketAddr::new(loopback, 0),
            Self::At(port) => SocketAddr::new(any, port),
        }
    }
}

/// Where Hellos go out and answers come in.
#[derive(Debug)]
pub struct Sockets {
    v4: Option<UdpSocket>,
    v6: Option<UdpSocket>,
}

impl Sockets {
    /// Opens them. It is enough that one family can be had. Needs a tokio runtime around it.
    pub fn open(bind: Bind) -> io::Result<Self> {
        let v4 = open(bind, bind.address(Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::LOCALHOST.into()));
        let v6 = open(bind, bind.address(Ipv6Addr::UNSPECIFIED.into(), Ipv6Addr::LOCALHOST.into()));
        match (v4, v6) {
            (Err(v4), Err(_)) => Err(v4),
            (v4, v6) => Ok(Self { v4: v4.ok(), v6: v6.ok() }),
        }
    }

    /// Sends a datagram. What the system refuses comes back as the input that discovery wants to hear.
    pub async fn send(&self, provider: Provider, to: SocketAddr, bytes: &[u8]) -> Option<Input<'static>> {
        let why = self.try_send(to, bytes).await.err()?;
        let interface = match to {
            SocketAddr::V6(v6) => Some(v6.scope_id()).filter(|index| *index != 0),
            SocketAddr::V4(_) => None,
        };
        Some(Input::Refused { provider, interface, obstacle: obstacle(&why), why: plainly(&why) })
    }

    async fn try_send(&self, to: SocketAddr, bytes: &[u8]) -> io::Result<()> {
        let socket = if to.is_ipv4() { &self.v4 } else { &self.v6 };
        let socket = socket.as_ref().ok_or_else(|| {
            let family = if to.is_ipv4() { "no IPv4 on this device" } else { "no IPv6 on this device" };
            io::Error::new(io::ErrorKind::NetworkUnreachable, family)
        })?;
        if let SocketAddr::V6(v6) = to
            && v6.ip().is_multicast()
        {
            SockRef::from(socket).set_multicast_if_v6(v6.scope_id())?;
        }
        socket.send_to(bytes, to).await.map(|_| ())
    }

    /// The next datagram: how much of the buffer it fills, and from where it came. An error means that the sockets are
    /// of no more use, as after a phone slept: open new ones.
    pub async fn receive(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        loop {
            let ready = tokio::select! {
                v4 = readable(self.v4.as_ref()) => v4?,
                v6 = readable(self.v6.as_ref()) => v6?,
            };
            match ready.try_recv_from(buffer) {
                Ok((length, from)) => return Ok((length, from)),
                Err(error) if is_about_another(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Hears Hellos that are multicast on this interface. Hearing them twice is no error.
    pub fn join_group(&self, interface: u32) -> io::Result<()> {
        let Some(socket) = &self.v6 else {
            return Err(io::Error::new(io::ErrorKind::NetworkUnreachable, "no IPv6 on this device"));
        };
        match socket.join_multicast_v6(&GROUP, interface) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Ok(()),
            joined => joined,
        }
    }

    /// Where the sockets are bound.
    pub fn local_addresses(&self) -> Vec<SocketAddr> {
        [&self.v4, &self.v6].into_iter().flatten().filter_map(|socket| socket.local_addr().ok()).collect()
    }
}

fn open(bind: Bind, address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
        socket.set_multicast_hops_v6(1)?;
    }
    if matches!(bind, Bind::At(_)) {
        socket.set_reuse_address(true)?;
        #[cfg(unix)]
        socket.set_reuse_port(true)?;
    }
    socket.bind(&address.into())?;
    UdpSocket::from_std(socket.into())
}

/// A family that is not there is never ready.
async fn readable(socket: Option<&UdpSocket>) -> io::Result<&UdpSocket> {
    match socket {
        Some(socket) => socket.readable().await.map(|()| socket),
        None => std::future::pending().await,
    }
}

/// Whether an error says nothing about our socket: some systems report that an earlier datagram found nobody.
pub(super) fn is_about_another(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionRefused, ConnectionReset, HostUnreachable, Interrupted, NetworkUnreachable, WouldBlock,
    };
    matches!(
        error.kind(),
        ConnectionRefused | ConnectionReset | HostUnreachable | Interrupted | NetworkUnreachable | WouldBlock
    )
}

fn obstacle(error: &io::Error) -> Obstacle {
    use io::ErrorKind::{
        AddrNotAvailable, HostUnreachable, NetworkDown, NetworkUnreachable, PermissionDenied,
    };
    match error.kind() {
        PermissionDenied => Obstacle::NotPermitted,
        AddrNotAvailable | HostUnreachable | NetworkDown | NetworkUnreachable => Obstacle::Unreachable,
        _ => Obstacle::Other,
    }
}

/// What the system said, in words without its number.
fn plainly(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
