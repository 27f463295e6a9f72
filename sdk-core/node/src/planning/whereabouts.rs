//! Where the nodes of a cluster are, as exo itself would use them for a ring.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
};

use exo_wire::{
    builds::{Recogniser, Recognition},
    heard,
};
use serde::Deserialize;

use super::{HandOverError, models_in_state};
use crate::json;

/// How exo sorts the ways from one node to another.
const FASTEST_FIRST: [&str; 5] = ["thunderbolt", "maybe_ethernet", "ethernet", "wifi", "unknown"];

/// Who is in the cluster now and how its nodes reach each other, from a fresh `GET /state`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Whereabouts {
    pub(super) present: BTreeSet<String>,
    pub(super) backends: BTreeMap<String, Vec<String>>,
    pub(super) available: BTreeMap<String, u64>,
    /// Models whose cards exo has.
    pub(super) models: BTreeSet<String>,
    /// From a node to another: addresses, best first.
    ways: BTreeMap<(String, String), Vec<IpAddr>>,
    /// What no build that we know has, if there is something.
    pub(super) stranger: Option<String>,
}

#[derive(Deserialize)]
struct State {
    #[serde(default)]
    topology: Topology,
}

#[derive(Deserialize, Default)]
struct Topology {
    #[serde(default)]
    connections: BTreeMap<String, BTreeMap<String, Vec<Edge>>>,
}

#[derive(Deserialize)]
struct Edge {
    #[serde(rename = "sinkMultiaddr")]
    sink: Option<Sink>,
}

#[derive(Deserialize)]
struct Sink {
    address: String,
}

impl Whereabouts {
    /// Reads a state.
    pub fn read(state: &[u8]) -> Result<Self, HandOverError> {
        let unreadable = |error: serde_json::Error| HandOverError::Unreadable(error.to_string());
        let snapshot =
            heard::snapshot(state).map_err(|error| HandOverError::Unreadable(error.to_string()))?;
        let State { topology } = json::read(state).map_err(unreadable)?;
        let mut recogniser = Recogniser::new();
        recogniser.see_state(snapshot.keys.iter().map(|key| &**key));
        let stranger = match recogniser.recognition() {
            Recognition::Unknown(why) => Some(why.to_owned()),
            Recognition::Known(_) | Recognition::Undecided => None,
        };
        let mut kinds = BTreeMap::new();
        for (node, interfaces) in &snapshot.node_network {
            for interface in interfaces {
                let kind = interface.interface_type.as_deref().unwrap_or("unknown").to_owned();
                kinds.insert((node.to_string(), interface.ip_address.to_string()), kind);
            }
        }
        let mut ways = BTreeMap::new();
        for (source, sinks) in topology.connections {
            for (sink, edges) in sinks {
                let rank = |ip: &IpAddr| {
                    let kind = kinds.get(&(sink.clone(), ip.to_string())).map_or("unknown", String::as_str);
                    FASTEST_FIRST.iter().position(|known| *known == kind).unwrap_or(FASTEST_FIRST.len())
                };
                let mut ips: Vec<IpAddr> = edges.iter().filter_map(Edge::ip).collect();
                ips.sort_by_key(rank);
                ways.insert((source.clone(), sink), ips);
            }
        }
        let texts = |texts: &[heard::Text<'_>]| texts.iter().map(ToString::to_string).collect();
        Ok(Self {
            present: snapshot.nodes.iter().map(ToString::to_string).collect(),
            backends: snapshot.node_backends.iter().map(|(id, list)| (id.to_string(), texts(list))).collect(),
            available: snapshot
                .node_memory
                .iter()
                .map(|(id, it)| (id.to_string(), it.ram_available))
                .collect(),
            models: models_in_state(state).unwrap_or_default(),
            ways,
            stranger,
        })
    }

    /// The address by which one node reaches another; over the fastest kind of link, if there are several.
    pub(super) fn way(&self, from: &str, to: &str) -> Option<IpAddr> {
        self.ways.get(&(from.to_owned(), to.to_owned()))?.first().copied()
    }
}

impl Edge {
    /// Of `/ip4/10.0.0.1/tcp/52415`.
    fn ip(&self) -> Option<IpAddr> {
        self.sink.as_ref()?.address.split('/').nth(2)?.parse().ok()
    }
}
