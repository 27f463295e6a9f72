//! Which node reaches which.

use serde::Deserialize;

use super::text::Text;

/// One node reaches another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Connection<'a> {
    /// From this node
    #[serde(borrow)]
    pub source: Text<'a>,
    /// to this one,
    #[serde(borrow)]
    pub sink: Text<'a>,
    /// in this way.
    #[serde(borrow)]
    pub edge: Edge<'a>,
}

/// How one node reaches another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Edge<'a> {
    /// Where the sink answered. `None` if it is no socket.
    #[serde(borrow, alias = "sinkMultiaddr")]
    pub sink_multiaddr: Option<Address<'a>>,
}

/// Where a sink answered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Address<'a> {
    /// `/ip4/192.168.1.7/tcp/52415`.
    #[serde(borrow)]
    pub address: Text<'a>,
}
