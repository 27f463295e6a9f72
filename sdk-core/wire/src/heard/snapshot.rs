//! A node's replica of the cluster's state, as `GET /state` gives it.
//!
//! Nearly all of it is `downloads`, about 130 kB a node, which is skipped without being built.

use std::fmt;

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use super::{
    info::{DiskUsage, Identity, Interface, MemoryUsage, SystemProfile},
    instance::Instance,
    lenient,
    one_key::Tagged,
    text::Text,
};

/// More edges than any cluster has. What follows is dropped.
const MOST_LINKS: usize = 16_384;
/// No build of exo has as many keys. What follows is not remembered.
const MOST_KEYS: usize = 64;

/// The state of a cluster at one place in its log. Parts that are missing or cannot be read are empty.
#[derive(Debug, Clone, Default)]
pub struct Snapshot<'a> {
    /// The last event that is in it: -1 before the first, `None` if it does not say.
    pub last_event_applied_idx: Option<i64>,
    /// The keys that it has, by which a build is recognised.
    pub keys: Vec<Text<'a>>,
    /// The nodes of the topology.
    pub nodes: Vec<Text<'a>>,
    /// The edges of the topology.
    pub connections: Vec<Link<'a>>,
    /// Who the nodes are. Nodes that left stay here.
    pub node_identities: Vec<(Text<'a>, Identity<'a>)>,
    /// Their memory.
    pub node_memory: Vec<(Text<'a>, MemoryUsage)>,
    /// Their disks.
    pub node_disk: Vec<(Text<'a>, DiskUsage)>,
    /// Their load, heat and power.
    pub node_system: Vec<(Text<'a>, SystemProfile)>,
    /// Their addresses.
    pub node_network: Vec<(Text<'a>, Vec<Interface<'a>>)>,
    /// What they can run models with. Nodes that left stay here.
    pub node_backends: Vec<(Text<'a>, Vec<Text<'a>>)>,
    /// The models that are placed.
    pub instances: Vec<(Text<'a>, Instance<'a>)>,
    /// How the runners are.
    pub runners: Vec<(Text<'a>, Tagged<'a>)>,
    /// What the workers have to do.
    pub tasks: Vec<(Text<'a>, Tagged<'a>)>,
}

/// An edge of the topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'a> {
    /// From this node
    pub source: Text<'a>,
    /// to this one,
    pub sink: Text<'a>,
    /// in so many ways.
    pub ways: usize,
}

#[derive(Deserialize)]
struct Topology<'a> {
    #[serde(borrow, default, deserialize_with = "lenient::list")]
    nodes: Vec<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient::map")]
    connections: Vec<(Text<'a>, &'a RawValue)>,
}

/// A map that leaves out what it cannot read.
struct Map<'a, T>(Vec<(Text<'a>, T)>);

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Map<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lenient::map(deserializer).map(Self)
    }
}

/// A short list that leaves out what it cannot read.
struct List<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lenient::short_list(deserializer).map(Self)
    }
}

#[derive(Deserialize)]
struct Network<'a> {
    #[serde(borrow, deserialize_with = "lenient::short_list")]
    interfaces: Vec<Interface<'a>>,
}

fn entries<'a, T: Deserialize<'a>>(part: &'a RawValue) -> Vec<(Text<'a>, T)> {
    serde_json::from_str(part.get()).map(|Map(entries)| entries).unwrap_or_default()
}

impl<'a> Snapshot<'a> {
    fn take(&mut self, key: &str, part: &'a RawValue) {
        match key {
            "lastEventAppliedIdx" => self.last_event_applied_idx = serde_json::from_str(part.get()).ok(),
            "topology" => self.take_topology(part),
            "nodeIdentities" => self.node_identities = entries(part),
            "nodeMemory" => self.node_memory = entries(part),
            "nodeDisk" => self.node_disk = entries(part),
            "nodeSystem" => self.node_system = entries(part),
            "nodeNetwork" => {
                let networks = entries::<Network<'a>>(part).into_iter();
                self.node_network = networks.map(|(node, network)| (node, network.interfaces)).collect();
            }
            "nodeBackends" => {
                let backends = entries::<List<Text<'a>>>(part).into_iter();
                self.node_backends = backends.map(|(node, List(backends))| (node, backends)).collect();
            }
            "instances" => self.instances = entries(part),
            "runners" => self.runners = entries(part),
            "tasks" => self.tasks = entries(part),
            _ => {}
        }
    }

    fn take_topology(&mut self, part: &'a RawValue) {
        let Ok(Topology { nodes, connections }) = serde_json::from_str(part.get()) else { return };
        self.nodes = nodes;
        for (source, sinks) in connections {
            let room = MOST_LINKS.saturating_sub(self.connections.len());
            let links = entries::<Vec<de::IgnoredAny>>(sinks).into_iter().take(room);
            let link = |(sink, ways): (_, Vec<_>)| Link { source: source.clone(), sink, ways: ways.len() };
            self.connections.extend(links.map(link));
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Snapshot<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> de::Visitor<'de> for Reader {
            type Value = Snapshot<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the state of a cluster")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Snapshot<'de>, A::Error> {
                let mut snapshot = Snapshot::default();
                while let Some((key, part)) = map.next_entry::<Text<'de>, &RawValue>()? {
                    snapshot.take(&key, part);
                    if snapshot.keys.len() < MOST_KEYS {
                        snapshot.keys.push(key);
                    }
                }
                Ok(snapshot)
            }
        }

        deserializer.deserialize_map(Reader)
    }
}
