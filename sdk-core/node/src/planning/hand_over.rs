//! A plan as an instance for exo, or why it is not handed over.
//!
//! exo's master creates an instance as it is told, without judging it. One that names a node which cannot run it hangs
//! the cluster's requests until somebody deletes it, so a plan is checked against a *fresh* state first: every node is
//! present, announces a backend that runs the model, and is reached by its neighbours in the ring. What a guest or a
//! what-if is part of is never handed over.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use exo_telemetry::placement::{PlacedStage, Status};
use exo_wire::{
    InstanceId, NodeId, Refusal, RunnerId,
    card::ModelCard,
    instance::{Host, Instance, MlxRingInstance, NoShard, ShardAssignments},
    request::{NewInstance, SealedRequest},
    shard::{Shard, ShardMetadata},
};

use super::{Plan, device::can_run, whereabouts::Whereabouts};
use crate::Random;

/// Ports that nobody has a claim on, but for exo's own three.
const PORTS: std::ops::RangeInclusive<u16> = 49_152..=65_535;
const EXOS_PORTS: std::ops::RangeInclusive<u16> = 52_413..=52_415;
/// Stands for ranks that a rank never talks to: an address for documentation (RFC 5737).
const NOBODY: Host = Host { ip: IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1)), port: 0 };

/// Why a plan is not handed to exo. Nothing was sent.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HandOverError {
    /// There is nothing to hand over.
    #[error("there is no plan to hand over: {0}")]
    NoPlan(String),
    /// The state cannot be read.
    #[error("exo's state cannot be read: {0}")]
    Unreadable(String),
    /// A build that we do not know: we do not know what it would do.
    #[error("this build of exo is not one that we know ({0}); use exo's own dashboard to place the model")]
    UnknownBuild(String),
    /// exo has no card of the model, and would search Hugging Face for one.
    #[error(
        "this exo has not told of {model}, and would fetch it from Hugging Face unasked; add it there first"
    )]
    NotListed {
        /// The model.
        model: String,
    },
    /// A node is not there now.
    #[error("{node} is not in the cluster any more; plan again")]
    NotPresent {
        /// Its name.
        node: String,
    },
    /// A node cannot run it.
    #[error(
        "{node} offers no backend that runs {model}, and an instance there would never start; plan again without it"
    )]
    NoBackend {
        /// Its name.
        node: String,
        /// The model.
        model: String,
    },
    /// A node has lost memory meanwhile.
    #[error("{node} has {available} bytes free and its part of the plan takes {needed}; plan again")]
    NoMemory {
        /// Its name.
        node: String,
        /// What it has.
        available: u64,
        /// What it needs.
        needed: u64,
    },
    /// Two neighbours in the ring do not know each other.
    #[error(
        "exo knows no address by which {from} reaches {to}, which are neighbours in the ring; \
         it finds them within half a minute if their network lets it"
    )]
    NoWay {
        /// Who sends.
        from: String,
        /// Who would receive.
        to: String,
    },
    /// Our own checks of what would be sent.
    #[error("a fault of ours, nothing was sent: {0}")]
    Malformed(String),
}

impl From<Refusal> for HandOverError {
    fn from(refusal: Refusal) -> Self {
        Self::Malformed(refusal.to_string())
    }
}

impl From<NoShard> for HandOverError {
    fn from(no_shard: NoShard) -> Self {
        Self::Malformed(no_shard.to_string())
    }
}

/// The request that makes exo run the plan. Making it sends nothing.
pub fn hand_over(
    plan: &Plan,
    card: &Arc<ModelCard>,
    now: &Whereabouts,
    random: &mut Random,
) -> Result<SealedRequest, HandOverError> {
    let stages = &plan.answer.stages;
    if plan.answer.status == Status::Infeasible || stages.is_empty() {
        return Err(HandOverError::NoPlan(plan.answer.summary.clone()));
    }
    if plan.problem.model.layers.len() != card.n_layers.get() as usize {
        return Err(HandOverError::NoPlan(format!("the plan is not one of {}", card.model_id)));
    }
    if let Some(why) = &now.stranger {
        return Err(HandOverError::UnknownBuild(why.clone()));
    }
    if !now.models.contains(card.model_id.as_str()) {
        return Err(HandOverError::NotListed { model: card.model_id.to_string() });
    }
    stages.iter().try_for_each(|stage| check(plan, stage, card, now))?;
    let instance_id = InstanceId::from_random(random.wide());
    let port = port(random);
    let instance = MlxRingInstance {
        instance_id,
        shard_assignments: assignments(stages, card, random)?,
        hosts_by_node: hosts(plan, now, port)?,
        ephemeral_port: port,
    };
    Ok(NewInstance { instance: Instance::MlxRing(instance) }.seal()?)
}

fn check(plan: &Plan, stage: &PlacedStage, card: &ModelCard, now: &Whereabouts) -> Result<(), HandOverError> {
    let id = stage.device.as_str();
    let node = plan.name_of(id).to_owned();
    if !now.present.contains(id) {
        return Err(HandOverError::NotPresent { node });
    }
    let announced = now.backends.get(id).map(Vec::as_slice).unwrap_or_default();
    if !can_run(announced.iter().map(String::as_str), Some(&card.backends)) {
        return Err(HandOverError::NoBackend { node, model: card.model_id.to_string() });
    }
    let layers = plan.problem.model.layers.get(stage.start_layer..stage.end_layer).unwrap_or_default();
    let needed = layers.iter().map(|layer| layer.bytes).sum::<f64>() as u64;
    match now.available.get(id).copied() {
        Some(available) if available >= needed => Ok(()),
        available => Err(HandOverError::NoMemory { node, available: available.unwrap_or(0), needed }),
    }
}

fn assignments(
    stages: &[PlacedStage],
    card: &Arc<ModelCard>,
    random: &mut Random,
) -> Result<ShardAssignments, NoShard> {
    let (mut shards, mut runners) = (BTreeMap::new(), BTreeMap::new());
    for (rank, stage) in stages.iter().enumerate() {
        let runner = RunnerId::from_random(random.wide());
        let shard = Shard {
            model_card: card.clone(),
            device_rank: rank as u32,
            world_size: stages.len() as u32,
            immediate_exception: false,
            should_timeout: None,
            start_layer: stage.start_layer as u32,
            end_layer: stage.end_layer as u32,
            n_layers: card.n_layers.get(),
        };
        shards.insert(runner.clone(), ShardMetadata::Pipeline(shard));
        runners.insert(NodeId::heard(&stage.device), runner);
    }
    ShardAssignments::new(card.model_id.clone(), shards, runners)
}

/// For each node, where every rank listens as seen from there: itself anywhere, its neighbours by their addresses.
fn hosts(plan: &Plan, now: &Whereabouts, port: u16) -> Result<BTreeMap<NodeId, Vec<Host>>, HandOverError> {
    let stages = &plan.answer.stages;
    let size = stages.len();
    let mut hosts = BTreeMap::new();
    for (rank, stage) in stages.iter().enumerate() {
        let neighbours = [(rank + size - 1) % size, (rank + 1) % size];
        let seen = stages.iter().enumerate().map(|(other, peer)| {
            if other == rank {
                return Ok(Host { ip: Ipv4Addr::UNSPECIFIED.into(), port });
            }
            if !neighbours.contains(&other) {
                return Ok(NOBODY);
            }
            let name = |id: &str| plan.name_of(id).to_owned();
            let way = now.way(&stage.device, &peer.device);
            let no_way = || HandOverError::NoWay { from: name(&stage.device), to: name(&peer.device) };
            way.map(|ip| Host { ip, port }).ok_or_else(no_way)
        });
        hosts.insert(NodeId::heard(&stage.device), seen.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(hosts)
}

fn port(random: &mut Random) -> u16 {
    let free: Vec<u16> = PORTS.filter(|port| !EXOS_PORTS.contains(port)).collect();
    let place = random.below(free.len() as u64) as usize;
    free.get(place).copied().unwrap_or(*PORTS.start())
}
