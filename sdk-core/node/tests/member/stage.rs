//! A stage for one member: an exo cluster played by a few lines, a driver that is a queue, and a clock that we turn.
//!
//! The exo here is as strict as the real one: it dies of a payload that exo's parser refuses, of an index that is
//! used twice for different events, and the log may hold no event twice.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::SocketAddr,
    time::Duration,
};

use exo_node::{
    Now, Random,
    discovery::{Found, Locator, Provider},
    member::{
        Disk, Gauges, Identity, Input, Member, MemberConfig, MemberState, Memory, Output, Readings, Request,
    },
    now::Moment,
    worker::{
        Engine, Report, Step, Worker,
        rehearsal::{Rehearsal, Script},
    },
};
use exo_wire::{NodeId, Sealed, Topic, gate};
use serde_json::{Value, json};

pub(crate) const PHONE: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f90";
/// How long anything takes on this network.
const WIRE: f64 = 0.005;

/// One exo node with its router, its log and its HTTP interface.
pub(crate) struct Exo {
    pub(crate) id: String,
    pub(crate) clock: u64,
    pub(crate) log: Vec<Value>,
    pub(crate) state: Value,
    /// Emits an event a second, as every exo does.
    pub(crate) talks: bool,
    /// Hears what is sent to it.
    pub(crate) hears: bool,
    pub(crate) api: bool,
    next_word: f64,
    origins: HashMap<String, (u64, BTreeMap<u64, String>)>,
    ids: BTreeSet<String>,
    words: u64,
}

impl Exo {
    pub(crate) fn named(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            clock: 0,
            log: Vec::new(),
            state: json!({}),
            talks: true,
            hears: true,
            api: true,
            next_word: 0.2,
            origins: HashMap::new(),
            ids: BTreeSet::new(),
            words: 0,
        }
    }

    /// With that many events in its log.
    pub(crate) fn aged(mut self, events: usize) -> Self {
        (0..events).for_each(|_| self.speak());
        self
    }

    /// More events happen, and we hear none of them.
    pub(crate) fn aged_quietly(&mut self, events: usize) {
        (0..events).for_each(|_| self.speak());
    }

    fn session(&self) -> Value {
        json!({"master_node_id": self.id, "election_clock": self.clock})
    }

    fn speak(&mut self) {
        self.words += 1;
        let bytes = |n: u64| json!({"in_bytes": n});
        let info = json!({"ram_total": bytes(64 << 30), "ram_available": bytes(32 << 30), "swap_total": bytes(0),
            "swap_available": bytes(self.words)});
        let event_id = format!("{}-{}", self.id, self.words);
        self.log.push(json!({"NodeGatheredInfo": {"event_id": event_id, "node_id": self.id,
            "when": "2026-06-22 13:38:54+00:00", "info": info}}));
    }

    /// What the master publishes at that index.
    pub(crate) fn global(&self, index: usize) -> String {
        json!({"origin_idx": index, "origin": self.id, "session": self.session(), "event": self.log[index]})
            .to_string()
    }

    /// Orders a local event as a master does; what is released is in the log when this returns.
    fn order(&mut self, payload: &str) {
        let local: Value = serde_json::from_str(payload).unwrap();
        if local["session"] != self.session() {
            return;
        }
        let index = local["origin_idx"].as_u64().unwrap();
        let (next, waiting) = self.origins.entry(local["origin"].as_str().unwrap().to_owned()).or_default();
        if index < *next {
            return;
        }
        let before = waiting.insert(index, payload.to_owned());
        assert!(
            before.is_none_or(|before| before == payload),
            "index {index} was used twice: the master dies"
        );
        while let Some(payload) = waiting.remove(next) {
            *next += 1;
            let mut event = serde_json::from_str::<Value>(&payload).unwrap()["event"].take();
            if let Some(news) = event.get_mut("NodeGatheredInfo") {
                news["when"] = json!("2026-06-22 13:38:55+00:00");
            }
            let id = event.as_object().unwrap().values().next().unwrap()["event_id"].as_str().unwrap();
            assert!(self.ids.insert(id.to_owned()), "event {id} is twice in the log");
            self.log.push(event);
        }
    }

    /// `GET /state`.
    pub(crate) fn body(&self) -> String {
        let mut nodes = BTreeSet::new();
        let mut identities = json!({});
        for event in &self.log {
            if let Some(news) = event.get("NodeGatheredInfo") {
                let node = news["node_id"].as_str().unwrap();
                nodes.insert(node.to_owned());
                if let Some(who) = news["info"].get("StaticNodeInformation") {
                    identities[node] = json!({"modelId": who["model"], "chipId": who["chip"], "friendlyName": "?",
                        "osVersion": who["os_version"], "osBuildVersion": who["os_build_version"]});
                }
            } else if let Some(gone) = event.get("NodeTimedOut") {
                nodes.remove(gone["node_id"].as_str().unwrap());
            }
        }
        let keys = &exo_wire::builds::newest().unwrap().facts().state_keys;
        let mut state: Value = keys.iter().map(|key| (key.clone(), json!({}))).collect();
        state["lastEventAppliedIdx"] = json!(self.log.len() as i64 - 1);
        state["nodeIdentities"] = identities;
        state["topology"] = json!({"nodes": nodes, "connections": {}});
        for (key, value) in self.state.as_object().unwrap() {
            state[key] = value.clone();
        }
        state.to_string()
    }
}

enum Coming {
    Linked(Locator),
    Unlinked,
    State(Option<String>),
    Readings,
    Heard(Topic, String),
    Sent(Sealed),
}

/// One member on its stage.
pub(crate) struct Stage {
    pub(crate) member: Member,
    pub(crate) now: f64,
    pub(crate) exo: Exo,
    pub(crate) readings: Readings,
    /// Who answers a dial.
    pub(crate) routers: Vec<Locator>,
    pub(crate) linked: Option<Locator>,
    /// Whether the network carries anything.
    pub(crate) network: bool,
    pub(crate) dials: Vec<(f64, Vec<Locator>)>,
    pub(crate) fetches: Vec<f64>,
    pub(crate) said: Vec<(f64, Value)>,
    pub(crate) commands: Vec<(f64, Value)>,
    pub(crate) states: Vec<(f64, MemberState)>,
    pub(crate) searching: bool,
    pub(crate) hung_up: bool,
    /// Only where something is served.
    pub(crate) engine: Option<Rehearsal>,
    engine_next: Option<f64>,
    coming: Vec<(f64, u64, Coming)>,
    sequence: u64,
}

pub(crate) fn router(host: u8) -> Locator {
    Locator::new(SocketAddr::from(([10, 0, 0, host], 52414)))
}

pub(crate) fn moment(seconds: f64) -> Now {
    let since = Duration::from_secs_f64(seconds);
    Now { mono: Moment::after_start(since), wall: Duration::from_secs(1_782_135_534) + since }
}

pub(crate) fn pixel() -> Readings {
    Readings {
        memory: Some(Memory { total: 12 << 30, available: 5 << 30, swap_total: 0, swap_available: 0 }),
        disk: Some(Disk { total: 128 << 30, available: 64 << 30 }),
        identity: Some(Identity {
            name: "Ada's Pixel".into(),
            model: "Pixel 9".into(),
            chip: "Tensor G4".into(),
            os_version: "Android 16".into(),
            os_build: "BP2A.250605.031".into(),
        }),
        interfaces: Some(Vec::new()),
        gauges: Gauges::default(),
        able: false,
        backends: Vec::new(),
    }
}

impl Stage {
    pub(crate) fn with(exo: Exo) -> Self {
        Self::set(MemberConfig::of(NodeId::parse(PHONE).unwrap()), exo)
    }

    pub(crate) fn set(config: MemberConfig, exo: Exo) -> Self {
        Self {
            member: Member::new(config, Random::seeded(42), moment(0.0)),
            now: 0.0,
            exo,
            readings: pixel(),
            routers: vec![router(1)],
            linked: None,
            network: true,
            dials: Vec::new(),
            fetches: Vec::new(),
            said: Vec::new(),
            commands: Vec::new(),
            states: Vec::new(),
            searching: false,
            hung_up: false,
            engine: None,
            engine_next: None,
            coming: Vec::new(),
            sequence: 0,
        }
    }

    /// Discovery finds these routers, in one find.
    pub(crate) fn found(&mut self, hosts: &[u8]) -> &mut Self {
        let locators = hosts.iter().copied().map(router).collect();
        self.input(Input::Found(Found { locators, zid: None, api: None, by: Provider::Multicast }))
    }

    /// Joined, as most stories begin.
    pub(crate) fn joined(exo: Exo) -> Self {
        let mut stage = Self::with(exo);
        stage.found(&[1, 2]).until(2.0);
        assert!(stage.is_joined(), "{:?}", stage.member.state());
        stage
    }

    /// Joined, with an engine that offers itself.
    pub(crate) fn able(exo: Exo) -> Self {
        let mut stage = Self::with(exo);
        stage.readings.able = true;
        stage.readings.backends = vec![exo_wire::gathered::Backend::MlxCpu];
        let engine = Rehearsal::new(Script::default());
        stage.member.employ(Worker::new(NodeId::parse(PHONE).unwrap(), Random::seeded(7)));
        stage.input(Input::Engine(Report::Capacity(engine.capacity())));
        stage.engine = Some(engine);
        stage.found(&[1, 2]).until(2.0);
        assert!(stage.is_joined(), "{:?}", stage.member.state());
        stage
    }

    /// The master puts this into its log.
    pub(crate) fn happens(&mut self, event: Value) -> &mut Self {
        self.exo.log.push(event);
        self.publish(self.exo.log.len() - 1);
        self
    }

    fn step_engine(&mut self) {
        let mut reports = Vec::new();
        if let Some(engine) = &mut self.engine {
            let step = engine.step(moment(self.now).mono, &mut |report| reports.push(report));
            self.engine_next = match step {
                Step::Again => Some(self.now),
                Step::After(wait) => Some(self.now + wait.as_secs_f64()),
                Step::Idle => None,
            };
            reports.push(Report::Capacity(engine.capacity()));
        }
        for report in reports {
            self.input(Input::Engine(report));
        }
    }

    pub(crate) fn is_joined(&self) -> bool {
        matches!(self.member.state(), MemberState::Joined { .. })
    }

    pub(crate) fn request(&mut self, request: Request) -> &mut Self {
        self.input(Input::Request(request))
    }

    pub(crate) fn input(&mut self, input: Input<'_>) -> &mut Self {
        self.member.handle(moment(self.now), input);
        self.take();
        self
    }

    pub(crate) fn hears(&mut self, topic: Topic, payload: &[u8]) -> &mut Self {
        self.input(Input::Heard { topic, payload })
    }

    /// The link ends, and somebody notices.
    pub(crate) fn unlink(&mut self) -> &mut Self {
        self.linked = None;
        self.input(Input::Unlinked { why: "reset by peer".into() })
    }

    /// The phone sleeps: the clock jumps and nothing runs. What was on its way is lost.
    pub(crate) fn sleep(&mut self, seconds: f64) -> &mut Self {
        self.coming.clear();
        self.now += seconds;
        self.exo.next_word = self.exo.next_word.max(self.now);
        self
    }

    /// Lets time pass as a driver does.
    pub(crate) fn until(&mut self, end: f64) -> &mut Self {
        let mut turns = 0u32;
        loop {
            let deadline = self.member.deadline().map(|due| due.since_start().as_secs_f64().max(self.now));
            let coming = self.coming.iter().map(|(at, ..)| *at).reduce(f64::min);
            let word = (self.exo.talks && self.network).then_some(self.exo.next_word.max(self.now));
            let engine = self.engine_next.map(|at| at.max(self.now));
            let Some(next) = [deadline, coming, word, engine]
                .into_iter()
                .flatten()
                .reduce(f64::min)
                .filter(|at| *at <= end)
            else {
                self.now = self.now.max(end);
                return self;
            };
            turns = if next > self.now { 0 } else { turns + 1 };
            assert!(turns < 500, "the member spins at {next} s: {:?}", self.member.state());
            self.now = next;
            if word == Some(next) {
                self.exo.next_word = next + 1.0;
                self.exo.speak();
                self.publish(self.exo.log.len() - 1);
            } else if coming == Some(next) {
                self.arrive();
            } else if engine == Some(next) {
                self.step_engine();
            } else {
                self.input(Input::Tick);
            }
        }
    }

    /// The kinds of what was said since last asked, as `NodeBackends` or `NodeTimedOut`.
    pub(crate) fn kinds(&mut self) -> Vec<String> {
        self.said.drain(..).map(|(_, local)| kind(&local["event"])).collect()
    }

    /// The probe's answers on their way are lost.
    pub(crate) fn forget_readings(&mut self) {
        self.coming.retain(|(.., what)| !matches!(what, Coming::Readings));
    }

    /// Sends the master's event at that index to the member.
    pub(crate) fn publish(&mut self, index: usize) {
        if self.linked.is_some() && self.network {
            self.come(WIRE, Coming::Heard(Topic::GlobalEvents, self.exo.global(index)));
        }
    }

    /// An election message that everybody hears.
    pub(crate) fn propose(&mut self, clock: u64, seniority: i64, master: &str) -> &mut Self {
        let message = json!({"clock": clock, "seniority": seniority, "commands_seen": 0,
            "proposed_session": {"master_node_id": master, "election_clock": clock}});
        self.hears(Topic::ElectionMessages, message.to_string().as_bytes())
    }

    fn come(&mut self, after: f64, what: Coming) {
        self.sequence += 1;
        self.coming.push((self.now + after, self.sequence, what));
    }

    fn arrive(&mut self) {
        let first = (0..self.coming.len()).min_by(|a, b| {
            (self.coming[*a].0, self.coming[*a].1)
                .partial_cmp(&(self.coming[*b].0, self.coming[*b].1))
                .unwrap()
        });
        let (_, _, what) = self.coming.swap_remove(first.unwrap());
        match what {
            Coming::Linked(locator) => {
                self.linked = Some(locator);
                self.input(Input::Linked { locator, zid: None });
            }
            Coming::Unlinked => {
                self.input(Input::Unlinked { why: "refused".into() });
            }
            Coming::State(Some(body)) => {
                self.input(Input::State(Ok(body.as_bytes())));
            }
            Coming::State(None) => {
                self.input(Input::State(Err("refused".into())));
            }
            Coming::Readings => {
                let readings = self.readings.clone();
                self.input(Input::Readings(readings));
            }
            Coming::Heard(topic, payload) => {
                if self.linked.is_some() {
                    self.hears(topic, payload.as_bytes());
                }
            }
            Coming::Sent(sealed) => self.receive(&sealed),
        }
    }

    fn receive(&mut self, sealed: &Sealed) {
        if !self.exo.hears || !self.network {
            return;
        }
        let verdict = gate::verdict(sealed.topic(), sealed.payload());
        assert!(verdict.accept, "exo dies: {}", verdict.why);
        let text = std::str::from_utf8(sealed.payload()).unwrap();
        let before = self.exo.log.len();
        match sealed.topic() {
            Topic::LocalEvents => self.exo.order(text),
            Topic::Commands => {
                let command: Value = serde_json::from_str(text).unwrap();
                if let Some(deleted) = command["command"].get("DeleteInstance") {
                    let instance_id = deleted["instance_id"].clone();
                    let event = json!({"InstanceDeleted": {"event_id": deleted["command_id"], "instance_id": instance_id}});
                    self.exo.log.push(event);
                } else {
                    let since = command["command"]["RequestEventLog"]["since_idx"].as_u64().unwrap() as usize;
                    (since..before.min(since + 1000)).for_each(|index| self.publish(index));
                }
            }
            other => panic!("a member never publishes on {other}"),
        }
        (before..self.exo.log.len()).for_each(|index| self.publish(index));
    }

    fn take(&mut self) {
        while let Some(output) = self.member.poll() {
            match output {
                Output::Dial(to) => {
                    self.linked = None;
                    let up =
                        to.iter().find(|locator| self.network && self.routers.contains(locator)).copied();
                    self.dials.push((self.now, to));
                    match up {
                        Some(locator) => self.come(WIRE, Coming::Linked(locator)),
                        None => self.come(0.3, Coming::Unlinked),
                    }
                }
                Output::HangUp => (self.linked, self.hung_up) = (None, true),
                Output::FetchState(_) => {
                    self.fetches.push(self.now);
                    let body = (self.exo.api && self.network).then(|| self.exo.body());
                    self.come(WIRE, Coming::State(body));
                }
                Output::Measure => self.come(0.001, Coming::Readings),
                Output::Publish(sealed) => {
                    let value: Value = serde_json::from_slice(sealed.payload()).unwrap();
                    if sealed.topic() == Topic::Commands {
                        self.commands.push((self.now, value));
                    } else {
                        self.said.push((self.now, value));
                    }
                    if self.linked.is_some() {
                        self.come(WIRE, Coming::Sent(sealed));
                    }
                }
                Output::Search(search) => self.searching = search,
                Output::Engine(wish) => {
                    let report = self.engine.as_mut().and_then(|engine| wish.put_to(engine));
                    self.engine_next = Some(self.now);
                    if let Some(report) = report {
                        self.member.handle(moment(self.now), Input::Engine(report));
                    }
                }
                Output::Offer(_) | Output::Changed => {}
            }
            let state = self.member.state();
            if self.states.last().is_none_or(|(_, last)| last != state) {
                self.states.push((self.now, state.clone()));
            }
        }
    }
}

/// `NodeBackends` for news, the event's own name for anything else.
pub(crate) fn kind(event: &Value) -> String {
    let (tag, body) = event.as_object().unwrap().iter().next().unwrap();
    if tag != "NodeGatheredInfo" {
        return tag.clone();
    }
    let info = body["info"].as_object().unwrap();
    if info.contains_key("ram_total") { "MemoryUsage".into() } else { info.keys().next().unwrap().clone() }
}
