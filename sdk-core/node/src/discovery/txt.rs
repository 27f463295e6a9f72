//! The TXT record of `_exo._tcp`: what SDK nodes say of themselves, and what we believe of it.
//!
//! ```text
//! v=1                                   how to read the rest
//! ns=6e2bf1dad2aa1268                   the hash of the namespace
//! role=client | router                  whether it can be dialled itself
//! via=tcp/192.168.1.7:52414,tcp/...     where the exo that it is attached to listens
//! hello=52413                           where a router takes a Hello, if not where exo does
//! ```
//! Anybody can say anything here. The parser is total and bounded, and what it yields is asked by a Hello before it
//! counts.

use std::net::{IpAddr, SocketAddr};

use exo_wire::Namespace;

use super::Locator;

const VERSION: &str = "1";
const MOST_ENTRIES: usize = 16;
/// The limit of DNS for one string.
const LONGEST_VALUE: usize = 255;
const MOST_VIA: usize = 4;

/// What a node is to those who want to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Attached to a router of somebody else; never dialled itself.
    Client,
    /// Listens for zenoh sessions.
    Router,
}

impl Role {
    const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Router => "router",
        }
    }
}

/// What a TXT record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Txt {
    /// The hash of the namespace, as 16 hexadecimal digits. Absent where a person made the record by hand.
    pub namespace: Option<String>,
    /// What it is. Who does not say is taken for a router: an exo that a person announced.
    pub role: Role,
    /// Where the exo listens that it is attached to. Link-local addresses come without a scope.
    pub via: Vec<SocketAddr>,
    /// Where it takes a Hello.
    pub hello: Option<u16>,
}

impl Txt {
    /// Reads a record; `None` if it is of a version that we do not know or says nothing that can be used.
    pub fn parse(entries: &[(String, String)]) -> Option<Self> {
        let mut txt = Self { namespace: None, role: Role::Router, via: Vec::new(), hello: None };
        let sound = |(_, value): &&(String, String)| value.len() <= LONGEST_VALUE;
        for (key, value) in entries.iter().take(MOST_ENTRIES).filter(sound) {
            match key.as_str() {
                "v" if value != VERSION => return None,
                "ns" => txt.namespace = Some(hash(value)?),
                "role" if value == Role::Client.name() => txt.role = Role::Client,
                "role" if value == Role::Router.name() => txt.role = Role::Router,
                "role" => return None,
                "via" => txt.via = value.split(',').take(MOST_VIA).filter_map(endpoint).collect(),
                "hello" => txt.hello = value.parse().ok().filter(|port| *port != 0),
                _ => {}
            }
        }
        Some(txt)
    }

    /// The record of a node in this namespace.
    pub(super) fn of(
        namespace: Namespace,
        role: Role,
        via: &[Locator],
        hello: Option<u16>,
    ) -> Vec<(String, String)> {
        let mut txt = vec![
            ("v".to_owned(), VERSION.to_owned()),
            ("ns".to_owned(), namespace.to_string()),
            ("role".to_owned(), role.name().to_owned()),
        ];
        let mut list = String::new();
        for locator in via.iter().take(MOST_VIA).map(|locator| unscoped(*locator).to_string()) {
            let comma = usize::from(!list.is_empty());
            if "via=".len() + list.len() + comma + locator.len() <= LONGEST_VALUE {
                list.push_str(if comma == 1 { "," } else { "" });
                list.push_str(&locator);
            }
        }
        if !list.is_empty() {
            txt.push(("via".to_owned(), list));
        }
        txt.extend(hello.map(|port| ("hello".to_owned(), port.to_string())));
        txt
    }
}

/// A scope is a number of our own kernel and means nothing to others.
fn unscoped(locator: Locator) -> Locator {
    Locator::new(SocketAddr::new(locator.address().ip(), locator.address().port()))
}

fn hash(text: &str) -> Option<String> {
    let sound = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    sound.then(|| text.to_ascii_lowercase())
}

fn endpoint(text: &str) -> Option<SocketAddr> {
    let address: SocketAddr = text.trim().strip_prefix("tcp/")?.parse().ok()?;
    let ip: IpAddr = address.ip().to_canonical();
    let dialable = !ip.is_unspecified() && !ip.is_multicast() && !ip.is_loopback() && address.port() != 0;
    dialable.then(|| SocketAddr::new(ip, address.port()))
}
