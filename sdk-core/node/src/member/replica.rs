//! The cluster's state, as far as a member needs it: a snapshot and the events after it.
//!
//! Applied as exo applies them: any news adds a node, a node that timed out keeps its identity and its backends,
//! a runner that shut down is gone. Applying an event touches only what it changes; the view for the app is built
//! when somebody asks. Every map and every text is bounded, since anyone on the bus can write into the log.

use std::collections::{BTreeMap, HashMap};

use exo_wire::{
    InstanceId, NodeId, RunnerId, SessionId, TaskId,
    heard::{self, Event, Info, Snapshot},
};

use super::{ClusterView, Disk, Memory, NodeView, telemetry::is_marked};

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
    nodes: HashMap<NodeId, Node>,
    present: usize,
    marked: usize,
    instances: BTreeMap<InstanceId, Instance>,
    runners: BTreeMap<RunnerId, Box<str>>,
    tasks: BTreeMap<TaskId, Task>,
    /// The ways from a node to another. A snapshot tells only how many; those are nameless.
    links: BTreeMap<(NodeId, NodeId), Vec<Box<str>>>,
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
        self.nodes.get(node).is_some_and(|node| node.present)
    }

    /// What an app sees.
    pub(super) fn view(&self, session: &SessionId, complete_to: Option<u64>) -> ClusterView {
        ClusterView {
            session: Some(session.clone()),
            complete_to,
            nodes: self.nodes.iter().map(|(id, node)| (id.clone(), node.view())).collect(),
            instances: self.instances.iter().map(|(id, instance)| (id.clone(), instance.view())).collect(),
            links: self.links.keys().cloned().collect(),
        }
    }

    fn learn(&mut self, id: &str, info: &Info<'_>) {
        self.arrive(id);
        match info {
            Info::Identity(identity) => return self.identify(id, identity),
            Info::Config | Info::Interfaces(_) | Info::Other(_) => return,
            _ => {}
        }
        let Some(node) = self.nodes.get_mut(id) else { return };
        match info {
            Info::Memory(memory) => node.memory = Some((*memory).into()),
            Info::System(system, memory) => {
                node.memory = Some((*memory).into());
                (node.temperature, node.gpu_use) = (system.temp, system.gpu_usage);
            }
            Info::Disk(disk) => node.disk = Some((*disk).into()),
            Info::Name(name) => node.name = Some(text(name)),
            Info::Backends(backends) => node.backends = few(backends),
            _ => {}
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
        let Some(node) = self.nodes.get_mut(id) else { return };
        if std::mem::replace(&mut node.present, false) {
            self.present -= 1;
            self.marked -= usize::from(node.marked);
        }
        (node.memory, node.disk, node.temperature, node.gpu_use) = (None, None, None, None);
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
        if !self.nodes.contains_key(id) {
            if self.nodes.len() >= NODES {
                let gone = self.nodes.iter().find(|(_, node)| !node.present).map(|(id, _)| id.clone())?;
                self.nodes.remove(&gone);
            }
            if id.len() > TEXT {
                return None;
            }
            self.nodes.insert(NodeId::heard(id), Node::default());
        }
        self.nodes.get_mut(id)
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

fn few(texts: &[heard::Text<'_>]) -> Vec<Box<str>> {
    texts.iter().take(FEW).map(|words| text(words)).collect()
}

fn text(words: &str) -> Box<str> {
    match words.char_indices().nth(TEXT) {
        Some((end, _)) => words.get(..end).unwrap_or_default().into(),
        None => words.into(),
    }
}
