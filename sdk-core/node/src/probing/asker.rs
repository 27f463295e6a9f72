//! Asks one peer.

use std::{
    hash::{BuildHasher, RandomState},
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

use exo_telemetry::topology::{
    Arrivals, Direction, Throughput,
    wire::{Cookie, Message, Nonce, PACKET, Train, on_the_network},
};
use socket2::{Domain, Protocol, Socket, Type};

use super::{ProbeError, sending::send_train};

/// An answer that takes longer counts as lost.
const PATIENCE: Duration = Duration::from_secs(1);
/// What is asked again after a silence, is asked so often.
const TRIES: usize = 3;
/// Between two echoes: farther apart than what they would queue up behind each other.
const BETWEEN_ECHOES: Duration = Duration::from_millis(20);
/// A train has ended when nothing comes for so long.
const END_OF_TRAIN: Duration = Duration::from_millis(250);
/// Enough for what arrives while this thread is not running. The system may grant less.
const RECEIVE_BUFFER: usize = 4 << 20;

/// One exchange with one peer, on a socket of its own.
#[derive(Debug)]
pub struct Asker {
    socket: UdpSocket,
    peer: SocketAddr,
    nonce: Nonce,
    cookie: Cookie,
    trains: u32,
    buffer: Vec<u8>,
}

impl Asker {
    /// Greets the peer and gets its cookie.
    pub fn open(peer: SocketAddr) -> Result<Self, ProbeError> {
        let any = if peer.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = open(SocketAddr::new(any, 0))?;
        socket.connect(peer)?;
        let nonce = RandomState::new().hash_one(peer);
        let mut asker = Self { socket, peer, nonce, cookie: 0, trains: 0, buffer: Vec::new() };
        asker.cookie = asker.ask(Message::Hello(nonce), |answer| match answer {
            Message::Welcome(_, cookie) => Some(cookie),
            _ => None,
        })?;
        Ok(asker)
    }

    /// Sends so many echoes, one after the other, and says how long each took.
    pub fn echoes(&mut self, count: u32) -> Result<Vec<Option<Duration>>, ProbeError> {
        let mut times = Vec::new();
        for sequence in 0..count {
            if sequence > 0 {
                thread::sleep(BETWEEN_ECHOES);
            }
            let started = Instant::now();
            self.send(Message::Echo(self.nonce, self.cookie, sequence))?;
            let answer = self.await_answer(started + PATIENCE, |answer| match answer {
                Message::Reply(_, number) if number == sequence => Some(started.elapsed()),
                _ => None,
            })?;
            times.push(answer);
        }
        Ok(times)
    }

    /// Sends a train, or lets one come, and says what arrived.
    pub fn train(&mut self, way: Direction, packets: u32) -> Result<Throughput, ProbeError> {
        self.trains += 1;
        let train = Train { id: self.trains, packets };
        match way {
            Direction::Up => self.send_up(train),
            Direction::Down => self.let_come(train),
        }
    }

    fn send_up(&mut self, train: Train) -> Result<Throughput, ProbeError> {
        self.ask(Message::Offer(self.nonce, self.cookie, train), |answer| match answer {
            Message::Accept(_, id) if id == train.id => Some(Ok(())),
            Message::Refuse(_, id, why) if id == train.id => Some(Err(why)),
            _ => None,
        })??;
        send_train(&self.socket, self.peer, self.nonce, train)?;
        // This waits in the same queues as the train, so that its answer comes after all of it.
        let said = self.ask(Message::Finish(self.nonce, self.cookie, train.id), |answer| match answer {
            Message::Report(_, id, said) if id == train.id => Some(said),
            _ => None,
        })?;
        said.ok_or(ProbeError::Lost)
    }

    fn let_come(&mut self, train: Train) -> Result<Throughput, ProbeError> {
        // Asked once: a request that is repeated would be paid for twice.
        self.send(Message::Pull(self.nonce, self.cookie, train))?;
        let started = Instant::now();
        let mut arrivals = Arrivals::default();
        let mut until = started + PATIENCE;
        while arrivals.packets() < train.packets as usize {
            let came = self.await_answer(until, |answer| match answer {
                Message::Packet(_, id, _) if id == train.id => Some(Ok(())),
                Message::Refuse(_, id, why) if id == train.id => Some(Err(why)),
                _ => None,
            })?;
            let Some(()) = came.transpose()? else { break };
            arrivals.record(started.elapsed(), on_the_network(PACKET, &self.peer));
            until = Instant::now() + END_OF_TRAIN;
        }
        if arrivals.packets() == 0 {
            return Err(ProbeError::Silent);
        }
        arrivals.throughput().ok_or(ProbeError::Lost)
    }

    /// Asks until the answer comes, a few times.
    fn ask<T>(&mut self, message: Message, wanted: impl Fn(Message) -> Option<T>) -> Result<T, ProbeError> {
        for _ in 0..TRIES {
            self.send(message)?;
            if let Some(answer) = self.await_answer(Instant::now() + PATIENCE, &wanted)? {
                return Ok(answer);
            }
        }
        Err(ProbeError::Silent)
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        message.encode(&mut self.buffer);
        match self.socket.send(&self.buffer) {
            // What an earlier datagram met is not about this one.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
            sent => sent.map(|_| ()),
        }
    }

    /// The first answer of this exchange that is wanted; nothing if none comes in time.
    fn await_answer<T>(
        &self,
        until: Instant,
        wanted: impl Fn(Message) -> Option<T>,
    ) -> Result<Option<T>, ProbeError> {
        let mut buffer = [0; PACKET + 1];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.socket.set_read_timeout(Some(left))?;
            let length = match self.socket.recv(&mut buffer) {
                Ok(length) => length,
                Err(error) if is_silence(&error) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let answer = buffer.get(..length).and_then(|bytes| Message::decode(bytes).ok());
            if let Some(found) = answer.filter(|answer| answer.nonce() == self.nonce).and_then(&wanted) {
                return Ok(Some(found));
            }
        }
    }
}

/// Nothing came, or the peer's system says that nobody listens there.
fn is_silence(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionRefused, ConnectionReset, HostUnreachable, Interrupted, TimedOut, WouldBlock,
    };
    matches!(
        error.kind(),
        ConnectionRefused | ConnectionReset | HostUnreachable | Interrupted | TimedOut | WouldBlock
    )
}

/// A UDP socket with room for what arrives while its thread is not running.
pub(super) fn open(at: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(at), Type::DGRAM, Some(Protocol::UDP))?;
    // Some systems refuse what is too much instead of granting less.
    if socket.set_recv_buffer_size(RECEIVE_BUFFER).is_err() {
        let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER / 16);
    }
    socket.bind(&at.into())?;
    Ok(socket.into())
}
