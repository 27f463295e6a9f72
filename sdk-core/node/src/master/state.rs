//! The state that the events of a session add up to, as far as phones need one: nodes, links, instances, runners,
//! tasks.
//!
//! It has the shape of exo's `GET /state`, so that a member of a phone cluster reads a host's snapshot with the same
//! parser. Every section is bounded: what does not fit is left out of the state, though it stays in the log.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use exo_wire::NodeId;
use serde_json::{Map, Value, json};

use super::{
    camel::camel,
    shelf::{Shelf, weight},
};
use crate::now::Moment;

const MAX_NODES: usize = 4096;
const MAX_LINKS: usize = 4096;
/// What all links together may take in memory, about.
const MAX_LINK_BYTES: usize = 2 << 20;
/// No id of a node is longer.
const MAX_ID: usize = 256;
/// Nor a time that people write.
const MAX_WHEN: usize = 64;

/// Sections of `/state` with one value a node. A node that times out keeps its identity and its backends, as in exo.
const OF_NODES: [(&str, bool); 6] = [
    ("nodeIdentities", true),
    ("nodeBackends", true),
    ("nodeMemory", false),
    ("nodeDisk", false),
    ("nodeSystem", false),
    ("nodeNetwork", false),
];
/// Sections of `/state` that stay empty here.
const EMPTY: [&str; 7] = [
    "downloads",
    "nodeThunderbolt",
    "nodeThunderboltBridge",
    "nodeRdmaCtl",
    "instanceLinks",
    "prefillServerPorts",
    "customModelCards",
];

/// Everything that the events of a session say.
#[derive(Debug, Default)]
pub struct State {
    /// When each node was heard last, by our clock and as people write it.
    seen: BTreeMap<NodeId, (Moment, String)>,
    present: BTreeSet<NodeId>,
    links: Vec<Link>,
    link_bytes: usize,
    of_nodes: BTreeMap<&'static str, Shelf>,
    instances: Shelf,
    runners: Shelf,
    tasks: Shelf,
}

#[derive(Debug, PartialEq)]
struct Link {
    source: NodeId,
    sink: NodeId,
    edge: Value,
}

impl Link {
    /// What it takes in memory, about.
    fn bytes(&self) -> usize {
        self.source.as_str().len() + self.sink.as_str().len() + weight(&self.edge)
    }
}

impl State {
    /// Applies one event: its tag and its fields in exo's snake case.
    pub fn apply(&mut self, now: Moment, tag: &str, fields: &Value) {
        let id = |name: &str| fields.get(name).and_then(Value::as_str);
        match tag {
            "NodeGatheredInfo" => self.gathered(now, fields),
            "NodeTimedOut" => id("node_id").into_iter().for_each(|node| self.timed_out(node)),
            "InstanceCreated" => self.instance_created(fields),
            "InstanceDeleted" => id("instance_id").into_iter().for_each(|id| self.instances.remove(id)),
            "RunnerStatusUpdated" => {
                if let (Some(runner), Some(status)) = (id("runner_id"), fields.get("runner_status")) {
                    match status.get("RunnerShutdown") {
                        Some(_) => self.runners.remove(runner),
                        None => self.runners.put(runner, camel(status)),
                    }
                }
            }
            "TaskCreated" => {
                if let (Some(id), Some(task)) = (id("task_id"), fields.get("task")) {
                    self.tasks.put(id, camel(task));
                }
            }
            "TaskStatusUpdated" => {
                if let (Some(id), Some(status)) = (id("task_id"), fields.get("task_status")) {
                    self.task_status(id, status);
                }
            }
            "TaskDeleted" => id("task_id").into_iter().for_each(|id| self.tasks.remove(id)),
            "TopologyEdgeCreated" => self.link(fields, true),
            "TopologyEdgeDeleted" => self.link(fields, false),
            _ => {}
        }
    }

    /// Nodes that were silent for longer than that.
    pub fn silent_for(&self, now: Moment, limit: Duration) -> Vec<NodeId> {
        let silent = self.seen.iter().filter(|(_, (at, _))| now.since(*at) > limit);
        silent.map(|(id, _)| id.clone()).collect()
    }

    /// Instances that use a node which is not in the topology.
    pub fn broken_instances(&self) -> Vec<String> {
        let broken = |instance: &Value| {
            let inner = instance.as_object().and_then(|tagged| tagged.values().next());
            let nodes = inner.and_then(|inner| inner.pointer("/shardAssignments/nodeToRunner")?.as_object());
            nodes.is_some_and(|nodes| nodes.keys().any(|id| !self.present.contains(id.as_str())))
        };
        self.instances.iter().filter(|(_, instance)| broken(instance)).map(|(id, _)| id.to_owned()).collect()
    }

    /// The nodes of the topology.
    pub fn present(&self) -> &BTreeSet<NodeId> {
        &self.present
    }

    /// One node's value in a section of `/state`, such as `nodeMemory` or `nodeIdentities`.
    pub fn of_node(&self, section: &str, node: &NodeId) -> Option<&Value> {
        self.of_nodes.get(section)?.get(node.as_str())
    }

    /// The state in the shape of exo's `GET /state`, complete up to that index; exo says -1 before the first event.
    pub fn to_json(&self, last_index: Option<u64>) -> Value {
        let mut links: BTreeMap<&NodeId, BTreeMap<&NodeId, Vec<&Value>>> = BTreeMap::new();
        for Link { source, sink, edge } in &self.links {
            links.entry(source).or_default().entry(sink).or_default().push(edge);
        }
        let seen: BTreeMap<&NodeId, &str> = self.seen.iter().map(|(id, (_, when))| (id, &**when)).collect();
        let mut state = Map::new();
        state.insert("lastEventAppliedIdx".to_owned(), last_index.map_or(json!(-1), |index| json!(index)));
        state.insert("topology".to_owned(), json!({ "nodes": self.present, "connections": links }));
        state.insert("lastSeen".to_owned(), json!(seen));
        state.insert("instances".to_owned(), self.instances.to_json());
        state.insert("runners".to_owned(), self.runners.to_json());
        state.insert("tasks".to_owned(), self.tasks.to_json());
        state.insert("thunderboltBridgeCycles".to_owned(), json!([]));
        for (section, _) in OF_NODES {
            let shelf = self.of_nodes.get(section);
            state.insert(section.to_owned(), shelf.map_or_else(|| json!({}), Shelf::to_json));
        }
        for section in EMPTY {
            state.insert(section.to_owned(), json!({}));
        }
        Value::Object(state)
    }

    fn has_room_for(&self, id: &str) -> bool {
        self.present.contains(id) || self.present.len() < MAX_NODES && id.len() <= MAX_ID
    }

    fn gathered(&mut self, now: Moment, fields: &Value) {
        let Some(id) = fields.get("node_id").and_then(Value::as_str) else { return };
        if !self.has_room_for(id) {
            return;
        }
        self.present.insert(NodeId::heard(id));
        let when = fields.get("when").and_then(Value::as_str).filter(|when| when.len() <= MAX_WHEN);
        let when = when.unwrap_or_default();
        self.seen.insert(NodeId::heard(id), (now, when.to_owned()));
        let Some(info) = fields.get("info") else { return };
        if info.get("ram_total").is_some() {
            return self.put(id, "nodeMemory", Some(camel(info)));
        }
        let Some((tag, inner)) = info.as_object().and_then(|tagged| tagged.iter().next()) else { return };
        let part = |name: &str| inner.get(name).map(camel);
        match tag.as_str() {
            "MacmonMetrics" => {
                self.put(id, "nodeMemory", part("memory"));
                self.put(id, "nodeSystem", part("system_profile"));
            }
            "NodeDiskUsage" => self.put(id, "nodeDisk", part("disk_usage")),
            "NodeBackends" => self.put(id, "nodeBackends", part("backends")),
            "NodeNetworkInterfaces" => {
                let interfaces = part("ifaces").map(|all| json!({ "interfaces": all }));
                self.put(id, "nodeNetwork", interfaces);
            }
            "MiscData" => self.identify(id, [("friendlyName", part("friendly_name"))]),
            "StaticNodeInformation" => {
                let facts = [
                    ("modelId", part("model")),
                    ("chipId", part("chip")),
                    ("osVersion", part("os_version")),
                    ("osBuildVersion", part("os_build_version")),
                ];
                self.identify(id, facts);
            }
            _ => {}
        }
    }

    fn put(&mut self, node: &str, section: &'static str, value: Option<Value>) {
        if let Some(value) = value {
            self.of_nodes.entry(section).or_default().put(node, value);
        }
    }

    fn identify<const N: usize>(&mut self, node: &str, facts: [(&str, Option<Value>); N]) {
        let shelf = self.of_nodes.entry("nodeIdentities").or_default();
        let mut identity = shelf.get(node).cloned().unwrap_or_else(|| {
            let names = ["modelId", "chipId", "friendlyName", "osVersion", "osBuildVersion"];
            Value::Object(names.into_iter().map(|name| (name.to_owned(), json!("Unknown"))).collect())
        });
        for (name, fact) in facts {
            if let (Some(fact), Some(identity)) = (fact, identity.as_object_mut()) {
                identity.insert(name.to_owned(), fact);
            }
        }
        shelf.put(node, identity);
    }

    fn timed_out(&mut self, id: &str) {
        self.seen.remove(id);
        self.present.remove(id);
        self.keep_links(|link| link.source.as_str() != id && link.sink.as_str() != id);
        for (section, is_kept) in OF_NODES {
            if let (false, Some(shelf)) = (is_kept, self.of_nodes.get_mut(section)) {
                shelf.remove(id);
            }
        }
    }

    fn instance_created(&mut self, fields: &Value) {
        let Some(instance) = fields.get("instance") else { return };
        let inner = instance.as_object().and_then(|tagged| tagged.values().next());
        if let Some(id) = inner.and_then(|inner| inner.get("instance_id")?.as_str()) {
            self.instances.put(id, camel(instance));
        }
    }

    fn task_status(&mut self, id: &str, status: &Value) {
        let Some(mut task) = self.tasks.get(id).cloned() else { return };
        let inner = task.as_object_mut().and_then(|tagged| tagged.values_mut().next());
        if let Some(inner) = inner.and_then(Value::as_object_mut) {
            inner.insert("taskStatus".to_owned(), status.clone());
            self.tasks.put(id, task);
        }
    }

    fn link(&mut self, fields: &Value, is_created: bool) {
        let end = |name: &str| fields.get("conn")?.get(name)?.as_str();
        let (Some(source), Some(sink)) = (end("source"), end("sink")) else { return };
        let Some(edge) = fields.pointer("/conn/edge").map(camel) else { return };
        let link = Link { source: NodeId::heard(source), sink: NodeId::heard(sink), edge };
        self.keep_links(|known| *known != link);
        let filled = self.link_bytes.saturating_add(link.bytes());
        let has_room = self.links.len() < MAX_LINKS && filled <= MAX_LINK_BYTES;
        if is_created && has_room && self.has_room_for(source) && self.has_room_for(sink) {
            self.present.extend([link.source.clone(), link.sink.clone()]);
            self.links.push(link);
            self.link_bytes = filled;
        }
    }

    fn keep_links(&mut self, keep: impl Fn(&Link) -> bool) {
        let mut freed = 0;
        self.links.retain(|link| {
            let is_kept = keep(link);
            freed += if is_kept { 0 } else { link.bytes() };
            is_kept
        });
        self.link_bytes = self.link_bytes.saturating_sub(freed);
    }
}
