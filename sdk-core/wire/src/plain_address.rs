//! An IP address that exo's workers may knock at.

use std::{fmt, net::IpAddr};

use serde::{Deserialize, Serialize};

/// An IP address without a scope, IPv4 always in its own clothes. exo makes an edge of it if somebody answers there,
/// and refuses an edge with a scope or dots in IPv6, fatally. What was read keeps its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlainAddress(Box<str>);

impl PlainAddress {
    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<IpAddr> for PlainAddress {
    fn from(ip: IpAddr) -> Self {
        Self(ip.to_canonical().to_string().into())
    }
}

impl fmt::Display for PlainAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
