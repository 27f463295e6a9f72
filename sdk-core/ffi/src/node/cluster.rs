//! The cluster as this member sees it.

use exo_node::member::{ClusterView, NodeView};
use exo_wire::NodeId;

/// One node of the cluster, as its events tell.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct ClusterNode {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// Its chip.
    pub chip: Option<String>,
    /// Its system.
    pub os_version: Option<String>,
    /// Bytes of its memory.
    pub memory_total: Option<u64>,
    /// Bytes of it that are free.
    pub memory_available: Option<u64>,
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// 0 to 1.
    pub gpu_use: Option<f64>,
    /// The backends that it announced; none: it is a guest.
    pub backends: Vec<String>,
    /// Whether the master counts it as present.
    pub is_present: bool,
    /// Whether it is this device.
    pub is_this_device: bool,
}

/// A model that runs.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct ClusterInstance {
    /// Its id.
    pub id: String,
    /// The model.
    pub model: String,
    /// The nodes that run it.
    pub nodes: Vec<String>,
}

/// A link that exo knows.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct ClusterLink {
    /// From whom.
    pub from: String,
    /// To whom.
    pub to: String,
}

/// The cluster.
#[derive(Debug, Clone, PartialEq, Default, uniffi::Record)]
pub struct Cluster {
    /// The master's id, while one is known.
    pub master: Option<String>,
    /// Whether the whole state is known; while not, nodes may be missing.
    pub is_complete: bool,
    /// Its nodes.
    pub nodes: Vec<ClusterNode>,
    /// Its instances.
    pub instances: Vec<ClusterInstance>,
    /// Its links.
    pub links: Vec<ClusterLink>,
}

impl Cluster {
    pub(super) fn of(view: &ClusterView, own: &NodeId) -> Self {
        let named = |ids: &[NodeId]| ids.iter().map(|id| id.as_str().to_owned()).collect();
        let instance = |(id, (model, nodes)): (&exo_wire::InstanceId, &(String, Vec<NodeId>))| {
            ClusterInstance { id: id.as_str().to_owned(), model: model.clone(), nodes: named(nodes) }
        };
        let link = |(from, to): &(NodeId, NodeId)| ClusterLink {
            from: from.as_str().to_owned(),
            to: to.as_str().to_owned(),
        };
        Self {
            master: view.session.as_ref().map(|session| session.master_node_id.as_str().to_owned()),
            is_complete: view.complete_to.is_some(),
            nodes: view.nodes.iter().map(|(id, node)| ClusterNode::of(id, node, id == own)).collect(),
            instances: view.instances.iter().map(instance).collect(),
            links: view.links.iter().map(link).collect(),
        }
    }
}

impl ClusterNode {
    fn of(id: &NodeId, node: &NodeView, is_this_device: bool) -> Self {
        Self {
            id: id.as_str().to_owned(),
            name: node.name.clone(),
            model: node.model.clone(),
            chip: node.chip.clone(),
            os_version: node.os_version.clone(),
            memory_total: node.memory.as_ref().map(|memory| memory.total),
            memory_available: node.memory.as_ref().map(|memory| memory.available),
            temperature: node.temperature,
            gpu_use: node.gpu_use,
            backends: node.backends.clone(),
            is_present: node.present,
            is_this_device,
        }
    }
}
