//! Edges of the topology: which node reaches which, and how.

use serde::{Deserialize, Serialize};

use crate::{id::NodeId, multiaddr::Multiaddr};

/// One node reaches another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Connection {
    source: NodeId,
    sink: NodeId,
    edge: Edge,
}

impl Connection {
    /// From the source to the sink in that way; `None` if they are one.
    pub fn new(source: NodeId, sink: NodeId, edge: Edge) -> Option<Self> {
        (source != sink).then_some(Self { source, sink, edge })
    }

    /// From this node.
    pub fn source(&self) -> &NodeId {
        &self.source
    }

    /// To this node.
    pub fn sink(&self) -> &NodeId {
        &self.sink
    }

    /// In this way.
    pub fn edge(&self) -> &Edge {
        &self.edge
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    source: NodeId,
    sink: NodeId,
    edge: Edge,
}

impl TryFrom<Written> for Connection {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        Self::new(written.source, written.sink, written.edge).ok_or("an edge from a node to itself")
    }
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
