//! Instances: a model placed on nodes.

use std::{collections::BTreeMap, net::IpAddr};

use serde::{Deserialize, Serialize};

use crate::{
    id::{InstanceId, InstanceLinkId, NodeId, RunnerId},
    model_id::ModelId,
    shard::ShardMetadata,
};

/// Why the parts of an instance do not fit together. exo's parser would refuse it, and die. An empty name never fits:
/// exo gives what has one a name of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("runner {runner} has no shard")]
pub struct NoShard {
    /// The runner that is named.
    pub runner: RunnerId,
}

/// A model placed on nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Instance {
    /// Over TCP.
    #[serde(rename = "MlxRingInstance")]
    MlxRing(MlxRingInstance),
    /// Over RDMA.
    #[serde(rename = "MlxJacclInstance")]
    MlxJaccl(MlxJacclInstance),
}

impl Instance {
    /// Which instance.
    pub fn instance_id(&self) -> &InstanceId {
        match self {
            Self::MlxRing(instance) => &instance.instance_id,
            Self::MlxJaccl(instance) => &instance.instance_id,
        }
    }

    /// Who runs what.
    pub fn shard_assignments(&self) -> &ShardAssignments {
        match self {
            Self::MlxRing(instance) => &instance.shard_assignments,
            Self::MlxJaccl(instance) => &instance.shard_assignments,
        }
    }
}

/// A ring over TCP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MlxRingInstance {
    /// Which instance.
    pub instance_id: InstanceId,
    /// Who runs what.
    pub shard_assignments: ShardAssignments,
    /// For each node, where every rank listens as seen from there.
    pub hosts_by_node: BTreeMap<NodeId, Vec<Host>>,
    /// The port of the ring.
    pub ephemeral_port: u16,
}

/// A mesh over RDMA.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MlxJacclInstance {
    /// Which instance.
    pub instance_id: InstanceId,
    /// Who runs what.
    pub shard_assignments: ShardAssignments,
    /// The device between each pair of ranks.
    pub jaccl_devices: Vec<Vec<Option<String>>>,
    /// For each node, where the coordinator is.
    pub jaccl_coordinators: BTreeMap<NodeId, String>,
}

/// Where a rank listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its address.
    pub ip: IpAddr,
    /// Its port.
    pub port: u16,
}

/// Who runs what. Every runner of a node has a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Assigned")]
pub struct ShardAssignments {
    model_id: ModelId,
    runner_to_shard: BTreeMap<RunnerId, ShardMetadata>,
    node_to_runner: BTreeMap<NodeId, RunnerId>,
}

impl ShardAssignments {
    /// These runners of these nodes run these shards.
    pub fn new(
        model_id: ModelId,
        runner_to_shard: BTreeMap<RunnerId, ShardMetadata>,
        node_to_runner: BTreeMap<NodeId, RunnerId>,
    ) -> Result<Self, NoShard> {
        let assigned = Self { model_id, runner_to_shard, node_to_runner };
        match assigned.node_to_runner.values().find(|runner| !assigned.has_shard(runner)) {
            Some(runner) => Err(NoShard { runner: runner.clone() }),
            None => Ok(assigned),
        }
    }

    fn has_shard(&self, runner: &RunnerId) -> bool {
        !runner.as_str().is_empty() && self.runner_to_shard.contains_key(runner)
    }

    /// Of which model.
    pub fn model_id(&self) -> &ModelId {
        &self.model_id
    }

    /// The shard of each runner.
    pub fn runner_to_shard(&self) -> &BTreeMap<RunnerId, ShardMetadata> {
        &self.runner_to_shard
    }

    /// The runner of each node.
    pub fn node_to_runner(&self) -> &BTreeMap<NodeId, RunnerId> {
        &self.node_to_runner
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Assigned {
    model_id: ModelId,
    runner_to_shard: BTreeMap<RunnerId, ShardMetadata>,
    node_to_runner: BTreeMap<NodeId, RunnerId>,
}

impl TryFrom<Assigned> for ShardAssignments {
    type Error = NoShard;

    fn try_from(read: Assigned) -> Result<Self, NoShard> {
        Self::new(read.model_id, read.runner_to_shard, read.node_to_runner)
    }
}

/// An instance as one of its nodes sees it. Its runner has a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Bound")]
pub struct BoundInstance {
    instance: Instance,
    bound_runner_id: RunnerId,
    bound_node_id: NodeId,
}

impl BoundInstance {
    /// The instance as this node sees it, whose runner this is.
    pub fn new(instance: Instance, runner: RunnerId, node: NodeId) -> Result<Self, NoShard> {
        if instance.shard_assignments().has_shard(&runner) {
            Ok(Self { instance, bound_runner_id: runner, bound_node_id: node })
        } else {
            Err(NoShard { runner })
        }
    }

    /// The instance.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The runner of the node.
    pub fn bound_runner_id(&self) -> &RunnerId {
        &self.bound_runner_id
    }

    /// The node.
    pub fn bound_node_id(&self) -> &NodeId {
        &self.bound_node_id
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "exo's fields")]
struct Bound {
    instance: Instance,
    bound_runner_id: RunnerId,
    bound_node_id: NodeId,
}

impl TryFrom<Bound> for BoundInstance {
    type Error = NoShard;

    fn try_from(read: Bound) -> Result<Self, NoShard> {
        Self::new(read.instance, read.bound_runner_id, read.bound_node_id)
    }
}

/// Prefill here, decode there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceLink {
    /// Which link.
    pub link_id: InstanceLinkId,
    /// Those that prefill.
    pub prefill_instances: Vec<InstanceId>,
    /// Those that decode.
    pub decode_instances: Vec<InstanceId>,
}

/// How the ranks of an instance shall talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InstanceMeta {
    /// Over TCP.
    MlxRing,
    /// Over RDMA.
    MlxJaccl,
}

/// How a model shall be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sharding {
    /// By layers.
    Pipeline,
    /// Through the layers.
    Tensor,
}
