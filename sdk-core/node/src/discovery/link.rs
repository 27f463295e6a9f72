//! Addresses that people give: `exo://host[:zenoh port]?ns=TEXT&api=PORT`, or just `host` or `host:port`.
//!
//! A link can come from anywhere: a QR code, a web page, a message. So what the parser makes is an
//! [`UnconfirmedLink`], which can be shown and nothing else; only [`UnconfirmedLink::confirm`] turns it into the
//! [`Link`] that discovery takes. Nothing is resolved or sent before.

mod error;
mod parse;

use std::{fmt, fmt::Write as _, net::IpAddr, str::FromStr};

use exo_wire::datagram::{API_PORT, ZENOH_PORT};

pub use error::BadLink;

/// What a link points at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// An address; a link-local one may name its interface by number or name.
    Address(IpAddr, Option<String>),
    /// A name, lower-case, for the system to resolve.
    Name(String),
}

/// Where a person says that a cluster can be joined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Link {
    host: Host,
    port: u16,
    namespace: Option<String>,
    api: u16,
}

/// A link that nobody has agreed to yet.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[must_use = "a link does nothing until it is confirmed"]
pub struct UnconfirmedLink(Link);

impl UnconfirmedLink {
    /// What would be dialled, to be shown.
    pub const fn link(&self) -> &Link {
        &self.0
    }

    /// A person saw the link and agreed.
    pub fn confirm(self) -> Link {
        self.0
    }
}

impl fmt::Display for UnconfirmedLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for UnconfirmedLink {
    type Err = BadLink;

    fn from_str(text: &str) -> Result<Self, BadLink> {
        Link::parse(text)
    }
}

impl Link {
    /// Reads a link or a bare address. The error says what to write instead.
    pub fn parse(text: &str) -> Result<UnconfirmedLink, BadLink> {
        parse::link(text).map(UnconfirmedLink)
    }

    /// What it points at.
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// The port of the zenoh router.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The cluster's name, if the link has one.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The port of the HTTP interface.
    pub const fn api(&self) -> u16 {
        self.api
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(ip), _) => write!(f, "{ip}"),
            Self::Address(IpAddr::V6(ip), None) => write!(f, "[{ip}]"),
            // A percent sign in a URI is written %25.
            Self::Address(IpAddr::V6(ip), Some(scope)) => write!(f, "[{ip}%25{scope}]"),
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exo://{}", self.host)?;
        if self.port != ZENOH_PORT {
            write!(f, ":{}", self.port)?;
        }
        let mut separator = '?';
        if let Some(namespace) = &self.namespace {
            write!(f, "{separator}ns=")?;
            percent_encode(f, namespace)?;
            separator = '&';
        }
        if self.api != API_PORT {
            write!(f, "{separator}api={}", self.api)?;
        }
        Ok(())
    }
}

fn percent_encode(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.bytes().try_for_each(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => f.write_char(byte as char),
        _ => write!(f, "%{byte:02X}"),
    })
}
