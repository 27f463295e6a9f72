//! Where phones meet: the socket on which they hear each other's Hello.

use std::{
    io,
    net::{SocketAddr, SocketAddrV6, UdpSocket as StdSocket},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use exo_wire::datagram::GROUP;
use tokio::net::UdpSocket;

use crate::{
    discovery::{Provider, SearchConfig},
    driver::sockets::{Bind, LARGEST_DATAGRAM, Sockets},
    interface::Interface,
    master::founding::PORT,
};

/// How phones hear each other.
#[derive(Debug, Clone)]
pub enum MeetingPlace {
    /// By multicast on every interface that may be searched.
    Lan,
    /// Through this socket, with these neighbours and nobody else. For clusters that stay on one device.
    Neighbours {
        /// Bound already.
        socket: Arc<StdSocket>,
        /// Where the others are.
        others: Vec<SocketAddr>,
    },
}

/// An open meeting place.
#[derive(Debug)]
pub(super) enum Meeting {
    Lan { sockets: Sockets, interfaces: Mutex<Vec<u32>> },
    Neighbours { socket: UdpSocket, others: Vec<SocketAddr> },
}

impl Meeting {
    pub(super) fn open(place: &MeetingPlace) -> io::Result<Self> {
        match place {
            MeetingPlace::Lan => {
                Ok(Self::Lan { sockets: Sockets::open(Bind::At(PORT))?, interfaces: Mutex::default() })
            }
            MeetingPlace::Neighbours { socket, others } => {
                socket.set_nonblocking(true)?;
                let socket = UdpSocket::from_std(socket.try_clone()?)?;
                Ok(Self::Neighbours { socket, others: others.clone() })
            }
        }
    }

    /// Follows the interfaces that may be used. Ones that cannot be joined are left out.
    pub(super) fn follow(&self, all: &[Interface], search: &SearchConfig) {
        if let Self::Lan { sockets, interfaces } = self {
            let allowed = all.iter().filter(|interface| interface.multicast && search.allows(interface));
            let joined = allowed.filter(|interface| sockets.join_group(interface.index).is_ok());
            *usable(interfaces) = joined.map(|interface| interface.index).collect();
        }
    }

    /// The next datagram. Safe to drop while it waits.
    pub(super) async fn next(&self) -> (SocketAddr, Vec<u8>) {
        let mut buffer = [0; LARGEST_DATAGRAM];
        loop {
            let received = match self {
                Self::Lan { sockets, .. } => sockets.receive(&mut buffer).await,
                Self::Neighbours { socket, .. } => socket.recv_from(&mut buffer).await,
            };
            match received {
                Ok((length, from)) => {
                    return (from, buffer.get(..length).unwrap_or_default().to_vec());
                }
                // A neighbour that is not there yet; anything worse shows as silence.
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
            }
        }
    }

    /// To all phones. A datagram that is not sent is like one that is lost.
    pub(super) async fn shout(&self, bytes: &[u8]) {
        match self {
            Self::Lan { sockets, interfaces } => {
                let indices = usable(interfaces).clone();
                for index in indices {
                    let to = SocketAddr::V6(SocketAddrV6::new(GROUP, PORT, 0, index));
                    let _ = sockets.send(Provider::Multicast, to, bytes).await;
                }
            }
            Self::Neighbours { socket, others } => {
                for to in others {
                    let _ = socket.send_to(bytes, to).await;
                }
            }
        }
    }

    /// To one phone.
    pub(super) async fn send(&self, to: SocketAddr, bytes: &[u8]) {
        match self {
            Self::Lan { sockets, .. } => {
                let _ = sockets.send(Provider::Multicast, to, bytes).await;
            }
            Self::Neighbours { socket, .. } => {
                let _ = socket.send_to(bytes, to).await;
            }
        }
    }
}

fn usable(interfaces: &Mutex<Vec<u32>>) -> MutexGuard<'_, Vec<u32>> {
    interfaces.lock().unwrap_or_else(PoisonError::into_inner)
}
