//! Where phones meet: the socket on which they hear each other's Hello.
//!
//! As with discovery's sockets, a task of its own owns it: a flood is dropped there, and a socket that broke, as after a
//! long sleep, is opened again and hears its groups again.

use std::{
    io,
    net::{SocketAddr, SocketAddrV6, UdpSocket as StdSocket},
    sync::Arc,
    time::Duration,
};

use exo_wire::datagram::GROUP;
use tokio::{
    net::UdpSocket,
    sync::mpsc::{self, Receiver, Sender},
    task::JoinHandle,
    time::{self, Instant},
};

use crate::{
    discovery::{Provider, SearchConfig},
    driver::{
        sockets::{Bind, LARGEST_DATAGRAM, Sockets, is_about_another},
        window::Window,
    },
    interface::Interface,
    master::founding::PORT,
};

const WAITING_DATAGRAMS: usize = 256;
const WAITING_WISHES: usize = 256;
/// A socket that broke is opened again, but not faster than this.
const REOPEN_AFTER: Duration = Duration::from_secs(1);

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

#[derive(Debug)]
enum Wish {
    Follow(Vec<u32>),
    Shout(Vec<u8>),
    Send(SocketAddr, Vec<u8>),
}

/// An open meeting place. Dropping it closes it.
#[derive(Debug)]
pub(super) struct Meeting {
    heard: Receiver<(SocketAddr, Vec<u8>)>,
    wishes: Sender<Wish>,
    task: JoinHandle<()>,
}

impl Meeting {
    pub(super) fn open(place: &MeetingPlace) -> io::Result<Self> {
        let first = Open::at(place)?;
        let place = place.clone();
        Ok(Self::start(first, move || Open::at(&place)))
    }

    fn start(first: Open, again: impl Fn() -> io::Result<Open> + Send + 'static) -> Self {
        let (tell, heard) = mpsc::channel(WAITING_DATAGRAMS);
        let (wishes, wished) = mpsc::channel(WAITING_WISHES);
        Self { heard, wishes, task: tokio::spawn(run(first, again, wished, tell)) }
    }

    /// Follows the interfaces that may be used.
    pub(super) fn follow(&self, all: &[Interface], search: &SearchConfig) {
        let allowed = all.iter().filter(|interface| search.may_multicast_on(interface));
        self.wish(Wish::Follow(allowed.map(|interface| interface.index).collect()));
    }

    /// The next datagram. Safe to drop while it waits.
    pub(super) async fn next(&mut self) -> (SocketAddr, Vec<u8>) {
        match self.heard.recv().await {
            Some(heard) => heard,
            // The task ends with us, not before.
            None => std::future::pending().await,
        }
    }

    /// To all phones.
    pub(super) fn shout(&self, bytes: Vec<u8>) {
        self.wish(Wish::Shout(bytes));
    }

    /// To one phone.
    pub(super) fn send(&self, to: SocketAddr, bytes: Vec<u8>) {
        self.wish(Wish::Send(to, bytes));
    }

    /// What does not fit is like a datagram that is lost.
    fn wish(&self, wish: Wish) {
        let _ = self.wishes.try_send(wish);
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The sockets of a meeting place.
#[derive(Debug)]
enum Open {
    Lan(Sockets),
    Neighbours(UdpSocket, Vec<SocketAddr>),
}

impl Open {
    fn at(place: &MeetingPlace) -> io::Result<Self> {
        match place {
            MeetingPlace::Lan => Ok(Self::Lan(Sockets::open(Bind::At(PORT))?)),
            MeetingPlace::Neighbours { socket, others } => {
                socket.set_nonblocking(true)?;
                Ok(Self::Neighbours(UdpSocket::from_std(socket.try_clone()?)?, others.clone()))
            }
        }
    }

    /// Hears shouts on these interfaces. Gives back those where that is possible.
    fn join(&self, interfaces: &[u32]) -> Vec<u32> {
        match self {
            Self::Lan(sockets) => {
                interfaces.iter().copied().filter(|index| sockets.join_group(*index).is_ok()).collect()
            }
            Self::Neighbours(..) => Vec::new(),
        }
    }

    /// The next datagram, or why the socket is of no more use.
    async fn receive(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        match self {
            Self::Lan(sockets) => sockets.receive(buffer).await,
            Self::Neighbours(socket, _) => loop {
                match socket.recv_from(buffer).await {
                    // A neighbour that is not there yet.
                    Err(error) if is_about_another(&error) => {}
                    received => return received,
                }
            },
        }
    }

    /// A datagram that cannot be sent is like one that is lost.
    async fn send(&self, to: SocketAddr, bytes: &[u8]) {
        match self {
            Self::Lan(sockets) => drop(sockets.send(Provider::Multicast, to, bytes).await),
            Self::Neighbours(socket, _) => drop(socket.send_to(bytes, to).await),
        }
    }

    async fn shout(&self, on: &[u32], bytes: &[u8]) {
        match self {
            Self::Lan(_) => {
                for index in on {
                    let to = SocketAddr::V6(SocketAddrV6::new(GROUP, PORT, 0, *index));
                    self.send(to, bytes).await;
                }
            }
            Self::Neighbours(_, others) => {
                for to in others {
                    self.send(*to, bytes).await;
                }
            }
        }
    }
}

/// Owns the sockets, and opens them again when they broke.
async fn run(
    first: Open,
    again: impl Fn() -> io::Result<Open>,
    mut wishes: Receiver<Wish>,
    tell: Sender<(SocketAddr, Vec<u8>)>,
) {
    let mut window = Window::new(Instant::now());
    let mut interfaces = Vec::new();
    let mut sockets = Ok(first);
    loop {
        if let Ok(open) = &sockets {
            let error = use_sockets(open, &mut interfaces, &mut window, &mut wishes, &tell).await;
            if error.is_none() {
                return;
            }
        }
        // What broke is closed first: its port may be needed.
        drop(sockets);
        time::sleep(REOPEN_AFTER).await;
        sockets = again();
    }
}

/// Works until the sockets break, or until nobody wishes anything any more (`None`).
async fn use_sockets(
    open: &Open,
    interfaces: &mut Vec<u32>,
    window: &mut Window,
    wishes: &mut Receiver<Wish>,
    tell: &Sender<(SocketAddr, Vec<u8>)>,
) -> Option<io::Error> {
    let mut buffer = [0; LARGEST_DATAGRAM];
    let mut joined = open.join(interfaces);
    loop {
        tokio::select! {
            received = async { window.has_room().await; open.receive(&mut buffer).await } => match received {
                Ok((length, from)) => {
                    window.took();
                    let bytes = buffer.get(..length).unwrap_or_default().to_vec();
                    let _ = tell.try_send((from, bytes));
                }
                Err(error) => return Some(error),
            },
            wish = wishes.recv() => match wish? {
                Wish::Follow(all) => {
                    *interfaces = all;
                    joined = open.join(interfaces);
                }
                Wish::Shout(bytes) => open.shout(&joined, &bytes).await,
                Wish::Send(to, bytes) => open.send(to, &bytes).await,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::{TcpListener, TcpStream},
        sync::atomic::{AtomicU32, Ordering},
    };

    use super::*;

    fn socket() -> Arc<StdSocket> {
        Arc::new(StdSocket::bind("127.0.0.1:0").unwrap())
    }

    fn open(socket: &Arc<StdSocket>) -> io::Result<Open> {
        Open::at(&MeetingPlace::Neighbours { socket: socket.clone(), others: Vec::new() })
    }

    #[tokio::test]
    async fn a_flood_costs_no_more_than_a_window_holds() {
        let (ours, theirs) = (socket(), socket());
        let began = Instant::now();
        let mut meeting = Meeting::start(open(&ours).unwrap(), move || Err(io::ErrorKind::Other.into()));
        let to = ours.local_addr().unwrap();
        let mut heard = 0;
        for n in 0..2000 {
            theirs.send_to(&[7; 20], to).unwrap();
            if n % 20 == 0 {
                tokio::task::yield_now().await;
                heard += std::iter::from_fn(|| meeting.heard.try_recv().ok()).count() as u128;
            }
        }
        let windows = began.elapsed().as_millis() / 100 + 2;
        assert!(heard > 0 && heard <= windows * 128, "{heard} in {windows} windows");
    }

    /// A socket whose every receiving fails: it is really one that listens for TCP.
    #[cfg(unix)]
    fn broken() -> (Open, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let caller = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let socket = StdSocket::from(std::os::fd::OwnedFd::from(listener));
        (open(&Arc::new(socket)).unwrap(), caller)
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_socket_that_broke_is_opened_again() {
        let (ours, theirs) = (socket(), socket());
        let to = ours.local_addr().unwrap();
        let (first, _caller) = broken();
        let opened = Arc::new(AtomicU32::new(0));
        let counted = opened.clone();
        let mut meeting = Meeting::start(first, move || {
            counted.fetch_add(1, Ordering::Relaxed);
            open(&ours)
        });
        theirs.send_to(b"hello", to).unwrap();
        let (from, bytes) =
            time::timeout(Duration::from_secs(20), meeting.next()).await.expect("never open again");
        assert_eq!((from, bytes.as_slice()), (theirs.local_addr().unwrap(), b"hello".as_slice()));
        assert_eq!(opened.load(Ordering::Relaxed), 1);
    }
}
