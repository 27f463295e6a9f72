//! Edges of the topology: which node reaches which, and how.

use serde::{Deserialize, Serialize};

use crate::{id::NodeId, multiaddr::Multiaddr};

/// One node reaches another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// From this node
    pub source: NodeId,
    /// to this one,
    pub sink: NodeId,
    /// in this way.
    pub edge: Edge,
}

/// How one node reaches another. exo tells the two apart by their fields.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Edge {
    /// Over a socket.
    Socket(SocketConnection),
    /// By RDMA over Thunderbolt, between Macs.
    Rdma(RdmaConnection),
}

/// A socket to that address works.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketConnection {
    /// Where the sink answered.
    pub sink_multiaddr: Multiaddr,
}

/// Two RDMA devices are wired together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RdmaConnection {
    /// The source's device.
    pub source_rdma_iface: String,
    /// The sink's device.
    pub sink_rdma_iface: String,
}
