//! The datagrams of link probes, between two members of this SDK and nobody else.
//!
//! ```text
//!   asker                          answerer
//!     | Hello(nonce)           64 B ->  |   no state is kept for it
//!     | <- Welcome(nonce, cookie) 24 B  |   the cookie binds the asker's address: whoever has it, receives there
//!     | Echo(cookie, sequence) 64 B ->  |   x 10
//!     | <- Reply(sequence)       64 B   |
//!     | Offer(cookie, train)   64 B ->  |
//!     | <- Accept or Refuse      24 B   |
//!     | Packet(train, n)     1372 B ->  |   x as many as were offered
//!     | Finish(cookie, train)  64 B ->  |
//!     | <- Report(what arrived)  64 B   |
//!     | Pull(cookie, train)    64 B ->  |   the other way round
//!     | <- Packet, or Refuse            |
//! ```
//! No answer is larger than what asked for it, except the packets of a train, and those go only to an address that
//! proved with a cookie that it receives. So nobody can make a member shower a third. All numbers are big-endian; every
//! message has one length, and what has another is not one.

use std::{net::SocketAddr, time::Duration};

use thiserror::Error;

use super::{Figure, Throughput};

/// The first bytes of every datagram.
pub const MAGIC: [u8; 4] = *b"exoL";
/// The version of these messages.
pub const VERSION: u8 = 1;
/// Bytes of a packet of a train. With the headers of IPv4 or IPv6 and UDP it fits links that carry 1,420 bytes, as
/// VPNs do.
pub const PACKET: usize = 1372;
/// Bytes of a train at most, headers included.
pub const LARGEST_TRAIN: u32 = 4 << 20;
/// Packets of a train at most.
pub const MOST_PACKETS: u32 = LARGEST_TRAIN / (PACKET as u32 + 48);

const ASKING: usize = 64;
const SHORT: usize = 24;
const HEADER: usize = 16;

/// One datagram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Message {
    /// The asker starts; `nonce` names all that follows.
    Hello(Nonce),
    /// The answerer gives a cookie for the address from which it was asked.
    Welcome(Nonce, Cookie),
    /// Send this back.
    Echo(Nonce, Cookie, u32),
    /// Here it is.
    Reply(Nonce, u32),
    /// A train of so many packets would come to you.
    Offer(Nonce, Cookie, Train),
    /// Let a train come to me.
    Pull(Nonce, Cookie, Train),
    /// Let it come.
    Accept(Nonce, u32),
    /// Not now.
    Refuse(Nonce, u32, Refused),
    /// One packet of a train, and its number.
    Packet(Nonce, u32, u32),
    /// That was the train; what arrived?
    Finish(Nonce, Cookie, u32),
    /// This arrived.
    Report(Nonce, u32, Option<Throughput>),
}

/// Names one exchange between two members.
pub type Nonce = u64;
/// Proves that its holder receives at the address to which it was given.
pub type Cookie = u64;

/// A train: its number within the exchange, and its packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Train {
    /// Its number.
    pub id: u32,
    /// How many packets it has.
    pub packets: u32,
}

/// Why a train is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Refused {
    /// Work or another train is under way.
    #[error("the other side is busy")]
    Busy,
    /// The budget is used up.
    #[error("the other side has probed as much as it may")]
    Budget,
    /// The network costs money.
    #[error("the other side is on a network that costs money")]
    Metered,
    /// More packets than a train may have.
    #[error("the train is too large; {LARGEST_TRAIN} bytes are allowed")]
    TooLarge,
}

/// Bytes that are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WireError {
    /// It does not begin like one.
    #[error("the datagram does not begin with {MAGIC:?}; it is from another protocol")]
    NotOurs,
    /// A later version.
    #[error(
        "the datagram is of version {0}, this SDK speaks version {VERSION}; update it to measure this link"
    )]
    Version(u8),
    /// No such kind, or not of its length, or with bits that must be 0.
    #[error("the datagram of kind {kind} with {length} bytes is malformed")]
    Malformed {
        /// The byte that says what it is.
        kind: u8,
        /// How long it is.
        length: usize,
    },
}

impl Message {
    /// Which exchange it belongs to.
    pub const fn nonce(&self) -> Nonce {
        match *self {
            Self::Hello(nonce)
            | Self::Welcome(nonce, _)
            | Self::Echo(nonce, ..)
            | Self::Reply(nonce, _)
            | Self::Offer(nonce, ..)
            | Self::Pull(nonce, ..)
            | Self::Accept(nonce, _)
            | Self::Refuse(nonce, ..)
            | Self::Packet(nonce, ..)
            | Self::Finish(nonce, ..)
            | Self::Report(nonce, ..) => nonce,
        }
    }

    const fn kind_and_length(&self) -> (u8, usize) {
        match self {
            Self::Hello(_) => (1, ASKING),
            Self::Welcome(..) => (2, SHORT),
            Self::Echo(..) => (3, ASKING),
            Self::Reply(..) => (4, ASKING),
            Self::Offer(..) => (5, ASKING),
            Self::Pull(..) => (6, ASKING),
            Self::Accept(..) => (7, SHORT),
            Self::Refuse(..) => (8, SHORT),
            Self::Packet(..) => (9, PACKET),
            Self::Finish(..) => (10, ASKING),
            Self::Report(..) => (11, ASKING),
        }
    }

    /// The datagram, in a buffer that can be used again.
    pub fn encode(&self, into: &mut Vec<u8>) {
        let (kind, length) = self.kind_and_length();
        into.clear();
        into.extend_from_slice(&MAGIC);
        into.extend_from_slice(&[VERSION, kind, 0, 0]);
        into.extend_from_slice(&self.nonce().to_be_bytes());
        match *self {
            Self::Hello(_) => {}
            Self::Welcome(_, cookie) => into.extend_from_slice(&cookie.to_be_bytes()),
            Self::Echo(_, cookie, number) | Self::Finish(_, cookie, number) => {
                into.extend_from_slice(&cookie.to_be_bytes());
                into.extend_from_slice(&number.to_be_bytes());
            }
            Self::Reply(_, number) | Self::Accept(_, number) => into.extend_from_slice(&number.to_be_bytes()),
            Self::Offer(_, cookie, train) | Self::Pull(_, cookie, train) => put_train(into, cookie, train),
            Self::Refuse(_, train, why) => {
                into.extend_from_slice(&train.to_be_bytes());
                into.push(why as u8);
            }
            Self::Packet(_, train, number) => {
                into.extend_from_slice(&train.to_be_bytes());
                into.extend_from_slice(&number.to_be_bytes());
            }
            Self::Report(_, train, throughput) => {
                into.extend_from_slice(&train.to_be_bytes());
                put_throughput(into, throughput);
            }
        }
        into.resize(length, 0);
    }

    /// Reads a datagram. Any bytes end in a message or an error.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut rest = Fields(bytes.strip_prefix(&MAGIC).ok_or(WireError::NotOurs)?);
        let version = rest.u8().ok_or(WireError::NotOurs)?;
        if version != VERSION {
            return Err(WireError::Version(version));
        }
        let kind = rest.u8().unwrap_or_default();
        rest.message(kind)
            .filter(|message| message.kind_and_length().1 == bytes.len())
            .ok_or(WireError::Malformed { kind, length: bytes.len() })
    }
}

fn put_train(into: &mut Vec<u8>, cookie: Cookie, train: Train) {
    into.extend_from_slice(&cookie.to_be_bytes());
    into.extend_from_slice(&train.id.to_be_bytes());
    into.extend_from_slice(&train.packets.to_be_bytes());
}

fn put_throughput(into: &mut Vec<u8>, throughput: Option<Throughput>) {
    let Some(said) = throughput else { return };
    into.extend_from_slice(&[1, u8::from(said.conclusive), 0, 0]);
    into.extend_from_slice(&said.packets.to_be_bytes());
    into.extend_from_slice(&(u64::try_from(said.span.as_micros()).unwrap_or(u64::MAX)).to_be_bytes());
    into.extend_from_slice(&(said.rate.value as u64).to_be_bytes());
    into.extend_from_slice(&(said.rate.error as u64).to_be_bytes());
}

/// What is left to read.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    fn message(&mut self, kind: u8) -> Option<Message> {
        if self.take::<2>()? != [0, 0] {
            return None;
        }
        let nonce = self.u64()?;
        Some(match kind {
            1 => Message::Hello(nonce),
            2 => Message::Welcome(nonce, self.u64()?),
            3 => Message::Echo(nonce, self.u64()?, self.u32()?),
            4 => Message::Reply(nonce, self.u32()?),
            5 => Message::Offer(nonce, self.u64()?, self.train()?),
            6 => Message::Pull(nonce, self.u64()?, self.train()?),
            7 => Message::Accept(nonce, self.u32()?),
            8 => Message::Refuse(nonce, self.u32()?, self.refused()?),
            9 => Message::Packet(nonce, self.u32()?, self.u32()?),
            10 => Message::Finish(nonce, self.u64()?, self.u32()?),
            11 => Message::Report(nonce, self.u32()?, self.throughput().ok()?),
            _ => return None,
        })
    }

    fn train(&mut self) -> Option<Train> {
        Some(Train { id: self.u32()?, packets: self.u32()? })
    }

    fn refused(&mut self) -> Option<Refused> {
        Some(match self.u8()? {
            0 => Refused::Busy,
            1 => Refused::Budget,
            2 => Refused::Metered,
            3 => Refused::TooLarge,
            _ => return None,
        })
    }

    /// What arrived, or that nothing did; the error is that it is neither.
    fn throughput(&mut self) -> Result<Option<Throughput>, ()> {
        let [present, conclusive, 0, 0] = self.take::<4>().ok_or(())? else { return Err(()) };
        let packets = self.u32().ok_or(())?;
        let span = Duration::from_micros(self.u64().ok_or(())?);
        let rate = Figure::new(self.u64().ok_or(())? as f64, self.u64().ok_or(())? as f64);
        match (present, conclusive) {
            (0, 0) => Ok(None),
            (1, 0 | 1) => Ok(Some(Throughput { rate, conclusive: conclusive == 1, span, packets })),
            _ => Err(()),
        }
    }
}

/// Bytes of a packet as the network carries it: with the headers of IP and UDP.
pub const fn on_the_network(payload: usize, address: &SocketAddr) -> usize {
    payload + if address.is_ipv4() { 28 } else { 48 }
}

const _: () = assert!(HEADER + 8 <= SHORT && HEADER + 4 + 32 <= ASKING, "every message fits its length");
