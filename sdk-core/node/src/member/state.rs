//! What an app sees of its membership.

use std::collections::BTreeMap;

use exo_wire::{InstanceId, NodeId, SessionId};

use super::{Disk, Memory};

/// Where the membership stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberState {
    /// No cluster yet. Discovery's provider statuses say why.
    Searching,
    /// A cluster was found; its router is being dialled.
    Connecting {
        /// Where.
        to: String,
    },
    /// Linked; waiting for the master to speak, or for the first acknowledgement.
    Joining,
    /// The cluster knows us.
    Joined {
        /// How many nodes it has, us included.
        nodes: usize,
    },
    /// Linked, but nothing is sent: the cluster's build is not one that we know.
    ListeningOnly {
        /// What we saw that we do not know.
        why: String,
    },
    /// We were joined and something is wrong: no acknowledgement, no master. Being repaired.
    Degraded {
        /// What.
        why: String,
    },
    /// Saying goodbye.
    Draining,
    /// Over.
    Left,
    /// Over through a fault of our own. Join again, and report it.
    Failed {
        /// What is known of it.
        why: String,
    },
}

/// One node of the cluster, as its events tell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NodeView {
    /// What people call it.
    pub name: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// Its chip.
    pub chip: Option<String>,
    /// Its system.
    pub os_version: Option<String>,
    /// Its memory.
    pub memory: Option<Memory>,
    /// Its disk.
    pub disk: Option<Disk>,
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// 0 to 1.
    pub gpu_use: Option<f64>,
    /// The backends that it announced.
    pub backends: Vec<String>,
    /// Whether the master counts it as present.
    pub present: bool,
}

/// The cluster as this member sees it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClusterView {
    /// The reign that we follow.
    pub session: Option<SessionId>,
    /// Up to where in the log the view is complete; `None` while it is partial.
    pub complete_to: Option<u64>,
    /// Its nodes.
    pub nodes: BTreeMap<NodeId, NodeView>,
    /// Its instances: the model and the nodes that run it.
    pub instances: BTreeMap<InstanceId, (String, Vec<NodeId>)>,
    /// Its links, as (from, to).
    pub links: Vec<(NodeId, NodeId)>,
}
