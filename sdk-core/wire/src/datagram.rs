//! exo's own discovery: a 20-byte Hello, answered by a 30-byte WhatsUp.
//!
//! ```text
//! Hello    45 58 4f 00 | nonce[8] | namespace hash[8]
//! WhatsUp  45 58 4f 01 | nonce[8] | zid[16], little-endian | zenoh TCP port, u16 little-endian
//! ```
//! Sizes are exact. A WhatsUp goes unicast to where the Hello came from and repeats its nonce.

use std::fmt;

use crate::id::NodeId;

const MAGIC: [u8; 3] = *b"EXO";
const HELLO: u8 = 0;
const WHATS_UP: u8 = 1;

/// The port on which exo listens for a Hello.
pub const DISCOVERY_PORT: u16 = 52413;
/// The port on which exo's zenoh router listens.
pub const ZENOH_PORT: u16 = 52414;
/// The port of exo's HTTP interface.
pub const API_PORT: u16 = 52415;
/// The namespace of an exo that was not told another: the version of its package.
pub const DEFAULT_NAMESPACE: &str = "0.3.70";
/// The multicast group of a Hello, link-local scope.
pub const GROUP: std::net::Ipv6Addr = std::net::Ipv6Addr::new(0xff12, 0, 0, 0, 0, 0, 0xe0a1, 0xde89);

/// Drawn anew for each round of Hellos; an answer counts only with the latest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce(pub [u8; 8]);

/// A cluster's name as it travels: clusters with different names on one network do not see each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Namespace([u8; 8]);

impl Namespace {
    /// The namespace of that name: the first 8 bytes of its BLAKE3 hash.
    pub fn named(name: &str) -> Self {
        let mut first = [0; 8];
        first.copy_from_slice(&blake3::hash(name.as_bytes()).as_bytes()[..8]);
        Self(first)
    }

    /// The bytes on the wire.
    pub fn bytes(self) -> [u8; 8] {
        self.0
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

/// A zenoh id as it travels in a WhatsUp: 16 little-endian bytes. Ordered by those bytes, as exo orders nodes when
/// it decides who dials whom (not by the hexadecimal text).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Zid(pub [u8; 16]);

impl Zid {
    /// The zid of a node whose id has the form of one.
    pub fn of(node: &NodeId) -> Option<Self> {
        let text = node.as_str();
        let sound = NodeId::parse(text).is_ok();
        u128::from_str_radix(text, 16).ok().filter(|_| sound).map(|number| Self(number.to_le_bytes()))
    }

    /// The node id of this zid. Zero is nobody's id.
    pub fn node_id(self) -> Option<NodeId> {
        match u128::from_le_bytes(self.0) {
            0 => None,
            number => Some(NodeId::heard(&format!("{number:x}"))),
        }
    }
}

/// What a discovery datagram says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Datagram {
    /// "Who is here?"
    Hello {
        /// To be repeated in the answer.
        nonce: Nonce,
        /// The cluster that is searched.
        namespace: Namespace,
    },
    /// "I am."
    WhatsUp {
        /// The nonce of the Hello.
        nonce: Nonce,
        /// Who answers.
        zid: Zid,
        /// Where its zenoh listens, at the address that the datagram came from.
        port: u16,
    },
}

impl Datagram {
    /// Reads a datagram; `None` for anything that is not exactly one.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<4>()?;
        if head[..3] != MAGIC {
            return None;
        }
        let (nonce, rest) = rest.split_first_chunk::<8>()?;
        let nonce = Nonce(*nonce);
        match head[3] {
            HELLO => {
                let namespace = Namespace(rest.try_into().ok()?);
                Some(Self::Hello { nonce, namespace })
            }
            WHATS_UP => {
                let (zid, port) = rest.split_first_chunk::<16>()?;
                let port = u16::from_le_bytes(port.try_into().ok()?);
                Some(Self::WhatsUp { nonce, zid: Zid(*zid), port })
            }
            _ => None,
        }
    }

    /// The bytes to send.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(30);
        bytes.extend(MAGIC);
        match self {
            Self::Hello { nonce, namespace } => {
                bytes.push(HELLO);
                bytes.extend(nonce.0);
                bytes.extend(namespace.0);
            }
            Self::WhatsUp { nonce, zid, port } => {
                bytes.push(WHATS_UP);
                bytes.extend(nonce.0);
                bytes.extend(zid.0);
                bytes.extend(port.to_le_bytes());
            }
        }
        bytes
    }
}
