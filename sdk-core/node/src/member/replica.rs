//! The cluster's state, as far as a member needs it: a snapshot and the events after it.
//!
//! Applied as exo applies them: any news adds a node, a node that timed out keeps its identity and its backends,
//! a runner that shut down is gone. Applying an event touches only what it changes; the view for the app is built
//! when somebody asks. Every map and every text is bounded, since anyone on the bus can write into the log.

use std::{
    collections::{BTreeMap, HashMap},
    net::Ipv4Addr,
};

use exo_wire::{
    InstanceId, NodeId, RunnerId, SessionId, TaskId,
    heard::{self, Event, Info, Snapshot},
};

use super::{ClusterView, Disk, Memory, NodeView, node_key::NodeKey, telemetry::is_marked};

const NODES: usize = 4096;
const INSTANCES: usize = 1024;
const RUNNERS: usize = 4096;
const TASKS: usize = 4096;
const LINKS: usize = 16_384;
/// Ways from one node to another, and backends of one node.
const FEW: usize = 16;
const TEXT: usize = 256;

#[derive(Debug, Default)]
struct Node {
    name: Option<Box<str>>,
    model: Option<Box<str>>,
    chip: Option<Box<str>>,
    os_version: Option<Box<str>>,
    memory: Option<Memory>,
    disk: Option<Disk>,
    temperature: Option<f64>,
    gpu_use: Option<f64>,
    backends: Vec<Box<str>>,
    /// Where it says that it is. exo serves HTTP over IPv4 alone.
    addresses: Vec<Ipv4Addr>,
    present: bool,
    /// A member of this SDK.
    marked: bool,
}

#[derive(Debug)]
struct Instance {
    model: Box<str>,
    runners: Vec<(NodeId, RunnerId)>,
}

#[derive(Debug)]
struct Task {
    instance: InstanceId,
    /// Neither done nor given up.
    open: bool,
}

/// The state of one session.
#[derive(Debug, Default)]
pub(super) struct Replica {
    nodes: HashMap<NodeKey, Node>,
    present: usize,
    marked: usize,
    instances: BTreeMap<InstanceId, Instance>,
    runners: BTreeMap<RunnerId, Box<str>>,
    tasks: BTreeMap<TaskId, Task>,
    /// The ways from a node to another. A snapshot tells only how many; those are nameless.
    links: BTreeMap<(NodeId, NodeId), Vec<Box<str>>>,
}

impl Node {
    fn learn(&mut self, info: &Info<'_>) {
        match info {
            Info::Memory(memory) => self.memory = Some((*memory).into()),
            Info::System(system, memory) => {
                self.memory = Some((*memory).into());
                (self.temperature, self.gpu_use) = (system.temp, system.gpu_usage);
            }
            Info::Disk(disk) => self.disk = Some((*disk).into()),
            Info::Name(name) => self.name = Some(text(name)),
            Info::Backends(backends) => self.backends = few(backends),
            Info::Interfaces(interfaces) => self.addresses = addresses(interfaces),
            Info::Identity(_) | Info::Config | Info::Other(_) => {}
        }
    }
}

impl Replica {
    /// How many nodes the master counts as present.
    pub(super) const fn present(&self) -> usize {
        self.present
    }

    /// How many of them are members of this SDK.
    pub(super) const fn marked(&self) -> usize {
        self.marked
    }

    /// Begins again from a snapshot.
    pub(super) fn restore(snapshot: &Snapshot<'_>) -> Self {
        let mut replica = Self::default();
        for node in &snapshot.nodes {
            replica.arrive(node);
        }
        for (node, identity) in &snapshot.node_identities {
            let name = identity.friendly_name.as_deref();
            if let Some(known) = replica.node(node) {
                known.name = name.map(text);
            }
            replica.identify(node, identity);
        }
        for (node, memory) in &snapshot.node_memory {
            replica.about(node, |known| known.memory = Some(Memory::from(*memory)));
        }
        for (node, disk) in &snapshot.node_disk {
            replica.about(node, |known| known.disk = Some(Disk::from(*disk)));
        }
        for (node, system) in &snapshot.node_system {
            replica.about(node, |known| (known.temperature, known.gpu_use) = (system.temp, system.gpu_usage));
        }
        for (node, backends) in &snapshot.node_backends {
            replica.about(node, |known| known.backends = few(backends));
        }
        for (node, interfaces) in &snapshot.node_network {
            replica.about(node, |known| known.addresses = addresses(interfaces));
        }
        for (_, instance) in &snapshot.instances {
            replica.place(instance);
        }
        for (runner, status) in &snapshot.runners {
            replica.run(runner, &status.tag);
        }
        for (task, what) in &snapshot.tasks {
            replica.begin(task, what);
        }
        for link in &snapshot.connections {
            for way in 0..link.ways.min(FEW) {
                replica.connect(&link.source, &link.sink, &format!("#{way}"));
            }
        }
        replica
    }

    /// Applies the next event of the log.
    pub(super) fn apply(&mut self, event: &Event<'_>) {
        match event {
            Event::NodeGatheredInfo(news) => self.learn(&news.node_id, &news.info),
            Event::NodeTimedOut(gone) => self.depart(&gone.node_id),
            Event::InstanceCreated(created) => self.place(&created.instance),
            Event::InstanceDeleted(deleted) => {
                self.instances.remove(&*deleted.instance_id);
            }
            Event::RunnerStatusUpdated(update) => self.run(&update.runner_id, &update.runner_status.tag),
            Event::TaskCreated(created) => self.begin(&created.task_id, &created.task),
            Event::TaskStatusUpdated(update) => {
                if let Some(task) = self.tasks.get_mut(&*update.task_id) {
                    task.open = is_open(&update.task_status);
                }
            }
            Event::TaskDeleted(deleted) => {
                self.tasks.remove(&*deleted.task_id);
            }
            Event::TopologyEdgeCreated(edge) => {
                let conn = &edge.conn;
                self.arrive(&conn.source);
                self.arrive(&conn.sink);
                self.connect(&conn.source, &conn.sink, way(conn));
            }
            Event::TopologyEdgeDeleted(edge) => {
                self.disconnect(&edge.conn.source, &edge.conn.sink, way(&edge.conn));
            }
            _ => {}
        }
    }

    /// Runners that the state ascribes to this node.
    pub(super) fn runners_of(&self, node: &NodeId) -> Vec<RunnerId> {
        let bound = self.instances.values().flat_map(|instance| &instance.runners);
        bound
            .filter(|(owner, runner)| owner == node && self.runners.contains_key(runner))
            .map(|(_, runner)| runner.clone())
            .collect()
    }

    /// Tasks that wait for this node alone.
    pub(super) fn tasks_of(&self, node: &NodeId) -> Vec<TaskId> {
        let alone = |instance: &Instance| {
            !instance.runners.is_empty() && instance.runners.iter().all(|(owner, _)| owner == node)
        };
        let ours = |task: &Task| task.open && self.instances.get(&task.instance).is_some_and(alone);
        self.tasks.iter().filter(|(_, task)| ours(task)).map(|(id, _)| id.clone()).collect()
    }

    /// Whether the master counts that node as present.
    pub(super) fn has(&self, node: &NodeId) -> bool {
        self.nodes.get(&NodeKey::of(node.as_str())).is_some_and(|node| node.present)
    }

    /// The nodes that are present and no members of this SDK, and where each says that it is.
    pub(super) fn exo_nodes(&self) -> impl Iterator<Item = (NodeId, &[Ipv4Addr])> {
        let theirs = self.nodes.iter().filter(|(_, node)| node.present && !node.marked);
        theirs.map(|(key, node)| (key.to_id(), node.addresses.as_slice()))
    }

    /// Whether exo would count on memory of that node.
    pub(super) fn offers_memory(&self, node: &NodeId) -> bool {
        let memory = self.nodes.get(&NodeKey::of(node.as_str())).and_then(|node| node.memory);
        memory.is_some_and(|memory| memory.available > 0)
    }

    /// What an app sees.
    pub(super) fn view(&self, session: &SessionId, complete_to: Option<u64>) -> ClusterView {
        ClusterView {
            session: Some(session.clone()),
            complete_to,
            nodes: self.nodes.iter().map(|(key, node)| (key.to_id(), node.view())).collect(),
            instances: self.instances.iter().map(|(id, instance)| (id.clone(), instance.view())).collect(),
            links: self.links.keys().cloned().collect(),
        }
    }

    fn learn(&mut self, id: &str, info: &Info<'_>) {
        // Nearly all news is of a node that is there: one look at the map is enough.
        let known = self.nodes.get_mut(&NodeKey::of(id)).filter(|node| node.present);
        if let Info::Identity(identity) = info {
            if known.is_none() {
                self.arrive(id);
            }
            self.identify(id, identity);
        } else if let Some(node) = known {
            node.learn(info);
        } else {
            self.arrive(id);
            self.about(id, |node| node.learn(info));
        }
    }

    fn identify(&mut self, id: &str, identity: &heard::Identity<'_>) {
        let Some(node) = self.node(id) else { return };
        let marked = identity.os_build_version.as_deref().is_some_and(is_marked);
        let (present, was_marked) = (node.present, node.marked);
        node.model = identity.model.as_deref().map(text);
        node.chip = identity.chip.as_deref().map(text);
        node.os_version = identity.os_version.as_deref().map(text);
        node.marked = marked;
        if present {
            self.marked = self.marked + usize::from(marked) - usize::from(was_marked);
        }
    }

    /// exo keeps what it knows of who a node is and what it can run, and forgets the rest.
    fn depart(&mut self, id: &str) {
        let Some(node) = self.nodes.get_mut(&NodeKey::of(id)) else { return };
        if std::mem::replace(&mut node.present, false) {
            self.present -= 1;
            self.marked -= usize::from(node.marked);
        }
        (node.memory, node.disk, node.temperature, node.gpu_use) = (None, None, None, None);
        node.addresses.clear();
        self.links.retain(|(source, sink), _| source.as_str() != id && sink.as_str() != id);
    }

    fn arrive(&mut self, id: &str) {
        let Some(node) = self.node(id) else { return };
        if !std::mem::replace(&mut node.present, true) {
            let marked = node.marked;
            self.present += 1;
            self.marked += usize::from(marked);
        }
    }

    fn about(&mut self, id: &str, tell: impl FnOnce(&mut Node)) {
        if let Some(node) = self.node(id) {
            tell(node);
        }
    }

    /// The record of a node, made if there is room. Those that left make room for those that come.
    fn node(&mut self, id: &str) -> Option<&mut Node> {
        let key = NodeKey::of(id);
        if !self.nodes.contains_key(&key) {
            if self.nodes.len() >= NODES {
                let gone = self.nodes.iter().find(|(_, node)| !node.present).map(|(id, _)| id.clone())?;
                self.nodes.remove(&gone);
            }
            if id.len() > TEXT {
                return None;
            }
            self.nodes.insert(key.clone(), Node::default());
        }
        self.nodes.get_mut(&key)
    }

    fn place(&mut self, heard: &heard::Instance<'_>) {
        let short =
            |(node, runner): &&(heard::Text<'_>, heard::Text<'_>)| node.len() <= TEXT && runner.len() <= TEXT;
        let runners = heard.node_to_runner.iter().take(FEW * FEW).filter(short);
        let runners = runners.map(|(node, runner)| (NodeId::heard(node), RunnerId::heard(runner)));
        let instance = Instance { model: text(&heard.model_id), runners: runners.collect() };
        let id = InstanceId::heard(&heard.instance_id);
        let room = self.instances.len() < INSTANCES || self.instances.contains_key(&id);
        if room && id.as_str().len() <= TEXT {
            self.instances.insert(id, instance);
        }
    }

    fn run(&mut self, id: &str, status: &str) {
        if status == "RunnerShutdown" {
            self.runners.remove(id);
        } else if let Some(known) = self.runners.get_mut(id) {
            *known = text(status);
        } else if self.runners.len() < RUNNERS && id.len() <= TEXT {
            self.runners.insert(RunnerId::heard(id), text(status));
        }
    }

    fn begin(&mut self, id: &str, task: &heard::Tagged<'_>) {
        #[derive(serde::Deserialize)]
        struct Body<'a> {
            #[serde(borrow, alias = "instanceId")]
            instance_id: heard::Text<'a>,
            #[serde(borrow, default, alias = "taskStatus")]
            task_status: Option<heard::Text<'a>>,
        }
        let room = self.tasks.len() < TASKS || self.tasks.contains_key(id);
        let Ok(body) = serde_json::from_str::<Body<'_>>(task.body.get()) else { return };
        if room && id.len() <= TEXT && body.instance_id.len() <= TEXT {
            let open = body.task_status.as_deref().is_none_or(is_open);
            let task = Task { instance: InstanceId::heard(&body.instance_id), open };
            self.tasks.insert(TaskId::heard(id), task);
        }
    }

    fn connect(&mut self, source: &str, sink: &str, way: &str) {
        if source.len() > TEXT || sink.len() > TEXT {
            return;
        }
        let ends = (NodeId::heard(source), NodeId::heard(sink));
        if self.links.len() >= LINKS && !self.links.contains_key(&ends) {
            return;
        }
        let ways = self.links.entry(ends).or_default();
        if ways.len() < FEW && !ways.iter().any(|known| **known == *way) {
            ways.push(text(way));
        }
    }

    fn disconnect(&mut self, source: &str, sink: &str, way: &str) {
        let ends = (NodeId::heard(source), NodeId::heard(sink));
        let Some(ways) = self.links.get_mut(&ends) else { return };
        let named = ways.iter().position(|known| **known == *way);
        if let Some(place) = named.or_else(|| ways.iter().position(|known| known.starts_with('#'))) {
            ways.swap_remove(place);
        }
        if ways.is_empty() {
            self.links.remove(&ends);
        }
    }
}

impl Node {
    fn view(&self) -> NodeView {
        let owned = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
        NodeView {
            name: owned(&self.name),
            model: owned(&self.model),
            chip: owned(&self.chip),
            os_version: owned(&self.os_version),
            memory: self.memory,
            disk: self.disk,
            temperature: self.temperature,
            gpu_use: self.gpu_use,
            backends: self.backends.iter().map(ToString::to_string).collect(),
            present: self.present,
        }
    }
}

impl Instance {
    fn view(&self) -> (String, Vec<NodeId>) {
        (self.model.to_string(), self.runners.iter().map(|(node, _)| node.clone()).collect())
    }
}

impl From<heard::MemoryUsage> for Memory {
    fn from(heard: heard::MemoryUsage) -> Self {
        Self {
            total: heard.ram_total,
            available: heard.ram_available,
            swap_total: heard.swap_total,
            swap_available: heard.swap_available,
        }
    }
}

impl From<heard::DiskUsage> for Disk {
    fn from(heard: heard::DiskUsage) -> Self {
        Self { total: heard.total, available: heard.available }
    }
}

fn is_open(status: &str) -> bool {
    matches!(status, "Pending" | "Running")
}

fn way<'a>(conn: &'a heard::Connection<'_>) -> &'a str {
    conn.edge.sink_multiaddr.as_ref().map_or("rdma", |sink| &sink.address)
}

fn addresses(interfaces: &[heard::Interface<'_>]) -> Vec<Ipv4Addr> {
    let all = interfaces.iter().filter_map(|interface| interface.ip_address.parse::<Ipv4Addr>().ok());
    all.filter(|ip| !ip.is_loopback()).take(FEW).collect()
}

fn few(texts: &[heard::Text<'_>]) -> Vec<Box<str>> {
    texts.iter().take(FEW).map(|words| text(words)).collect()
}

/// Short, and without characters that would drive the terminal of whoever looks at it.
fn text(words: &str) -> Box<str> {
    if words.len() <= TEXT && !words.contains(char::is_control) {
        return words.into();
    }
    words.chars().filter(|c| !c.is_control()).take(TEXT).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn session() -> SessionId {
        SessionId { master_node_id: NodeId::heard("a"), election_clock: 0 }
    }

    fn happened(replica: &mut Replica, event: &Value) {
        let text = event.to_string();
        let raw: &serde_json::value::RawValue = serde_json::from_str(&text).unwrap();
        replica.apply(&Event::read(raw));
    }

    fn news(replica: &mut Replica, node: &str, info: &Value) {
        happened(
            replica,
            &json!({"NodeGatheredInfo": {"event_id": "e", "node_id": node, "when": "", "info": info}}),
        );
    }

    fn edge(replica: &mut Replica, event: &str, source: &str, sink: &str, address: &str) {
        let conn = json!({"source": source, "sink": sink, "edge": {"sink_multiaddr": {"address": address}}});
        happened(replica, &json!({event: {"event_id": "e", "conn": conn}}));
    }

    fn memory() -> Value {
        let bytes = json!({"in_bytes": 7});
        json!({"ram_total": bytes, "ram_available": bytes, "swap_total": bytes, "swap_available": bytes})
    }

    fn identity(build: &str) -> Value {
        json!({"StaticNodeInformation": {"model": "m", "chip": "c", "os_version": "o", "os_build_version": build}})
    }

    #[test]
    fn any_news_adds_a_node() {
        let mut replica = Replica::default();
        news(&mut replica, "a", &json!({"NodeConfig": {}}));
        news(&mut replica, "b", &json!({"FlyingCarpet": {"height": 3}}));
        assert_eq!(replica.present(), 2);
    }

    #[test]
    fn a_node_that_timed_out_keeps_its_identity_and_its_backends_and_nothing_else() {
        let mut replica = Replica::default();
        news(&mut replica, "a", &json!({"NodeBackends": {"backends": ["MlxCpu"]}}));
        news(&mut replica, "a", &json!({"MiscData": {"friendly_name": "Ada"}}));
        news(&mut replica, "a", &identity("x (exo-mobile)"));
        news(&mut replica, "a", &memory());
        edge(&mut replica, "TopologyEdgeCreated", "b", "a", "/ip4/1.2.3.4/tcp/1");
        assert_eq!((replica.present(), replica.marked()), (2, 1));
        happened(&mut replica, &json!({"NodeTimedOut": {"event_id": "e", "node_id": "a"}}));
        let view = replica.view(&session(), None);
        let node = &view.nodes["a"];
        assert_eq!((replica.present(), replica.marked()), (1, 0));
        assert_eq!(
            (node.name.as_deref(), node.model.as_deref(), node.backends.len()),
            (Some("Ada"), Some("m"), 1)
        );
        assert!(!node.present && node.memory.is_none());
        assert!(view.links.is_empty());
        news(&mut replica, "a", &json!({"NodeConfig": {}}));
        assert_eq!((replica.present(), replica.marked()), (2, 1), "it is back");
    }

    #[test]
    fn an_edge_adds_its_nodes_and_stands_until_its_last_way_is_gone() {
        let mut replica = Replica::default();
        for address in ["/ip4/1.2.3.4/tcp/1", "/ip4/1.2.3.4/tcp/1", "/ip4/5.6.7.8/tcp/1"] {
            edge(&mut replica, "TopologyEdgeCreated", "a", "b", address);
        }
        assert_eq!(replica.present(), 2);
        edge(&mut replica, "TopologyEdgeDeleted", "a", "b", "/ip4/1.2.3.4/tcp/1");
        assert_eq!(replica.view(&session(), None).links.len(), 1);
        edge(&mut replica, "TopologyEdgeDeleted", "a", "b", "/ip4/5.6.7.8/tcp/1");
        assert!(replica.view(&session(), None).links.is_empty());
    }

    #[test]
    fn runners_and_tasks_are_known_as_ours_by_their_instance() {
        let mut replica = Replica::default();
        let us = NodeId::heard("us");
        let shards = json!({"model_id": "m", "runner_to_shard": {}, "node_to_runner": {"us": "r1"}});
        let instance = json!({"MlxRingInstance": {"instance_id": "i", "shard_assignments": shards}});
        happened(&mut replica, &json!({"InstanceCreated": {"event_id": "e", "instance": instance}}));
        assert!(replica.runners_of(&us).is_empty(), "no runner yet");
        let status = |status: &str| json!({"RunnerStatusUpdated": {"event_id": "e", "runner_id": "r1", "runner_status": {status: {}}}});
        happened(&mut replica, &status("RunnerIdle"));
        let task = json!({"LoadModel": {"task_id": "t", "task_status": "Pending", "instance_id": "i"}});
        happened(&mut replica, &json!({"TaskCreated": {"event_id": "e", "task_id": "t", "task": task}}));
        assert_eq!(replica.runners_of(&us), [RunnerId::heard("r1")]);
        assert_eq!(replica.tasks_of(&us), [TaskId::heard("t")]);
        happened(
            &mut replica,
            &json!({"TaskStatusUpdated": {"event_id": "e", "task_id": "t", "task_status": "Complete"}}),
        );
        happened(&mut replica, &status("RunnerShutdown"));
        assert!(replica.tasks_of(&us).is_empty() && replica.runners_of(&us).is_empty());
    }

    #[test]
    fn a_snapshot_and_the_events_that_made_it_give_the_same_view() {
        let body = include_bytes!("../../../../tests/vectors/exo/state_with_phone_serving.json");
        let snapshot = heard::snapshot(body).unwrap();
        let replica = Replica::restore(&snapshot);
        let view = replica.view(&session(), None);
        let phone = &view.nodes["a1b2c3d4e5f60718293a4b5c6d7e8f90"];
        assert_eq!(phone.model.as_deref(), Some("Pixel 9"));
        assert_eq!(phone.memory.unwrap().available, 5_000_000_000);
        assert_eq!(phone.gpu_use, Some(0.12));
        assert_eq!(view.instances.values().next().unwrap().0, "mlx-community/Qwen3-0.6B-4bit");
        assert_eq!(replica.runners_of(&NodeId::heard("a1b2c3d4e5f60718293a4b5c6d7e8f90")).len(), 1);
        assert_eq!(replica.present(), 2);
    }

    #[test]
    fn nodes_of_exo_say_where_they_are_and_members_of_this_sdk_are_none() {
        let body = include_bytes!("../../../../tests/vectors/exo/state_with_phone_serving.json");
        let restored = Replica::restore(&heard::snapshot(body).unwrap());
        assert!(restored.exo_nodes().any(|(_, addresses)| !addresses.is_empty()), "{restored:?}");
        let mut replica = Replica::default();
        let interfaces = json!({"NodeNetworkInterfaces": {"ifaces": [
            {"name": "lo", "ip_address": "127.0.0.1", "interface_type": "unknown"},
            {"name": "en0", "ip_address": "192.168.1.7", "interface_type": "wifi"},
            {"name": "en0", "ip_address": "fe80::1%en0", "interface_type": "wifi"},
        ]}});
        news(&mut replica, "a", &interfaces);
        let found: Vec<_> = replica.exo_nodes().collect();
        assert_eq!(found, [(NodeId::heard("a"), [Ipv4Addr::new(192, 168, 1, 7)].as_slice())]);
        replica.nodes.get_mut(&NodeKey::of("a")).unwrap().marked = true;
        assert_eq!(replica.exo_nodes().count(), 0);
    }

    #[test]
    fn a_flood_fills_no_memory() {
        let mut replica = Replica::default();
        let long = "x".repeat(100_000);
        for n in 0..20_000 {
            news(&mut replica, &format!("{n:x}"), &json!({"MiscData": {"friendly_name": "x"}}));
            edge(&mut replica, "TopologyEdgeCreated", "a", &format!("{n:x}"), "/ip4/1.2.3.4/tcp/1");
        }
        news(&mut replica, "0", &json!({"MiscData": {"friendly_name": long}}));
        news(&mut replica, &long, &json!({"NodeConfig": {}}));
        assert!(replica.nodes.len() <= NODES && replica.links.len() <= LINKS);
        assert!(replica.nodes[&NodeKey::of("0")].name.as_ref().unwrap().len() <= TEXT);
        for n in 0..NODES {
            happened(&mut replica, &json!({"NodeTimedOut": {"event_id": "e", "node_id": format!("{n:x}")}}));
        }
        news(&mut replica, "fresh", &json!({"NodeConfig": {}}));
        assert!(replica.has(&NodeId::heard("fresh")), "those that left make room");
    }
}
