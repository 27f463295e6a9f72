//! Conversations of a real exo, replayed: what the recorded client heard is heard by our member at the same times, and
//! what our member says is what that client said.
//!
//! Two things differ on purpose. The recorded client announced memory with no backend, which breaks the placement of
//! others; ours says `NodeConfig` there. And ours marks its build version, by which members of this SDK count each
//! other. The recorded ids stand for ours, one by one in the order in which they were said.

use std::{
    collections::{BTreeMap, HashMap},
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use exo_node::{
    Interface, InterfaceKind, Now, Random,
    discovery::{Found, Locator, Provider},
    interface::InterfaceAddress,
    member::{
        Disk, Gauges, Identity, Input, Member, MemberConfig, MemberState, Memory, Output, Readings, Request,
    },
    now::Moment,
};
use exo_wire::{NodeId, Topic, gate, gathered::Backend};
use serde_json::{Value, json};

const PHONE: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f90";

/// One line of a recording.
struct Line {
    at: f64,
    kind: String,
    topic: Option<Topic>,
    json: String,
    whole: Value,
}

fn recording(name: &str) -> Vec<Line> {
    let path = format!("{}/../../tests/vectors/exo/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| {
            let whole: Value = serde_json::from_str(line).unwrap();
            Line {
                at: whole["t"].as_f64().unwrap(),
                kind: whole["kind"].as_str().unwrap().to_owned(),
                topic: whole["topic"].as_str().and_then(Topic::named),
                json: whole["json"].as_str().unwrap_or_default().to_owned(),
                whole,
            }
        })
        .collect()
}

/// Our member in the place of the recorded client.
struct Replay {
    member: Member,
    now: f64,
    said: Vec<(f64, Value)>,
    /// The recorded client's event ids, in the order in which it said them, and how many of them we have used.
    theirs: Vec<String>,
    readings: Readings,
    state: Option<Value>,
    log: BTreeMap<u64, String>,
}

impl Replay {
    fn of(lines: &[Line]) -> Self {
        let tx = lines.iter().filter(|line| line.kind == "tx" && line.topic == Some(Topic::LocalEvents));
        let events: Vec<Value> =
            tx.map(|line| serde_json::from_str::<Value>(&line.json).unwrap()["event"].take()).collect();
        let theirs =
            events.iter().map(|event| body(event)["event_id"].as_str().unwrap().to_owned()).collect();
        let able =
            events.iter().any(|event| body(event)["info"]["NodeBackends"]["backends"] == json!(["MlxCpu"]));
        let config = MemberConfig::of(NodeId::parse(PHONE).unwrap());
        let member = Member::new(config, Random::seeded(1), moment(0.0));
        Self {
            member,
            now: 0.0,
            said: Vec::new(),
            theirs,
            readings: pixel(able),
            state: None,
            log: BTreeMap::new(),
        }
    }

    fn input(&mut self, input: Input<'_>) {
        self.member.handle(moment(self.now), input);
        while let Some(output) = self.member.poll() {
            match output {
                Output::Dial(to) => self.input(Input::Linked { locator: to[0], zid: None }),
                Output::Measure => {
                    let readings = self.readings.clone();
                    self.input(Input::Readings(readings));
                }
                Output::FetchState(_) => match self.state.clone() {
                    Some(state) => self.input(Input::State(Ok(state.to_string().as_bytes()))),
                    None => self.input(Input::State(Err("not recorded".into()))),
                },
                Output::Publish(sealed) => {
                    assert!(gate::verdict(sealed.topic(), sealed.payload()).accept);
                    let said: Value = serde_json::from_slice(sealed.payload()).unwrap();
                    if sealed.topic() == Topic::LocalEvents {
                        self.said.push((self.now, said));
                    } else {
                        self.replay(said["command"]["RequestEventLog"]["since_idx"].as_u64().unwrap());
                    }
                }
                Output::Engine(wish) => panic!("the recorded phone had no engine: {wish:?}"),
                Output::HangUp | Output::Search(_) | Output::Offer(_) | Output::Changed => {}
            }
        }
    }

    /// The master answers a NACK. What the recording left out becomes an event without effect.
    fn replay(&mut self, since: u64) {
        let Some((last, event)) = self.log.last_key_value().map(|(last, event)| (*last, event.clone()))
        else {
            return;
        };
        for index in since..=last {
            let mut filler: Value = serde_json::from_str(&event).unwrap();
            filler["origin_idx"] = json!(index);
            filler["event"] = json!({"TestEvent": {"event_id": format!("left out {index}")}});
            let payload = self.log.get(&index).cloned().unwrap_or_else(|| filler.to_string());
            self.input(Input::Heard { topic: Topic::GlobalEvents, payload: payload.as_bytes() });
        }
    }

    fn until(&mut self, at: f64) {
        while let Some(due) =
            self.member.deadline().map(|due| due.since_start().as_secs_f64()).filter(|due| *due < at)
        {
            self.now = self.now.max(due);
            self.input(Input::Tick);
        }
        self.now = self.now.max(at);
    }

    fn found(&mut self) {
        let locators = vec![Locator::new(SocketAddr::from(([10, 77, 0, 1], 52414)))];
        self.input(Input::Found(Found { locators, zid: None, api: None, by: Provider::Multicast }));
    }

    /// Hears a recorded payload, with our event ids in the place of the recorded client's.
    fn hear(&mut self, topic: Topic, payload: &str) {
        let ids: HashMap<&str, String> = self
            .theirs
            .iter()
            .map(String::as_str)
            .zip(
                self.said
                    .iter()
                    .map(|(_, said)| body(&said["event"])["event_id"].as_str().unwrap().to_owned()),
            )
            .collect();
        let ours = ids.iter().find(|(theirs, _)| payload.contains(*theirs));
        let payload = ours.map_or_else(|| payload.to_owned(), |(theirs, ours)| payload.replace(theirs, ours));
        if topic == Topic::GlobalEvents {
            let index = serde_json::from_str::<Value>(&payload).unwrap()["origin_idx"].as_u64().unwrap();
            self.log.insert(index, payload.clone());
        }
        self.input(Input::Heard { topic, payload: payload.as_bytes() });
    }

    /// What `GET /state` would have said just before that event.
    fn knows_state_before(&mut self, first: &Value) {
        let path = format!("{}/../../tests/vectors/exo/state_before_join.json", env!("CARGO_MANIFEST_DIR"));
        let mut state: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        state["lastEventAppliedIdx"] = json!(first["origin_idx"].as_u64().unwrap() - 1);
        state["topology"]["nodes"] = json!([first["origin"]]);
        self.state = Some(state);
    }
}

fn moment(seconds: f64) -> Now {
    let since = Duration::from_secs_f64(seconds);
    Now { mono: Moment::after_start(since), wall: Duration::from_secs(1_794_787_644) + since }
}

fn pixel(able: bool) -> Readings {
    let eth0 = Interface {
        name: "eth0".into(),
        index: 2,
        kind: InterfaceKind::Wifi,
        multicast: true,
        addresses: vec![InterfaceAddress { ip: IpAddr::from([10, 77, 0, 3]), prefix: 24 }],
    };
    Readings {
        memory: Some(Memory {
            total: 12_000_000_000,
            available: 5_000_000_000,
            swap_total: 4_000_000_000,
            swap_available: 3_900_000_000,
        }),
        disk: Some(Disk { total: 128_000_000_000, available: 64_000_000_000 }),
        identity: Some(Identity {
            name: "Pixel 9".into(),
            model: "Pixel 9".into(),
            chip: "Tensor G4".into(),
            os_version: "Android 16".into(),
            os_build: "BP2A.250605.031".into(),
        }),
        interfaces: Some(vec![eth0]),
        gauges: Gauges {
            temperature: Some(38.5),
            gpu_use: Some(0.12),
            power: Some(2.4),
            fast_cores: Some(0.3),
            slow_cores: Some(0.1),
        },
        able,
        backends: if able { vec![Backend::MlxCpu] } else { Vec::new() },
    }
}

fn body(event: &Value) -> &Value {
    event.as_object().unwrap().values().next().unwrap()
}

/// The news in an event as the recorded client would have told it.
fn news(event: &Value) -> Option<Value> {
    let mut info = body(event).get("info")?.clone();
    if let Some(identity) = info.get_mut("StaticNodeInformation") {
        let build = identity["os_build_version"].as_str().unwrap().replace(" (exo-mobile)", "");
        identity["os_build_version"] = json!(build);
    }
    Some(info)
}

/// Replays everything that was heard.
fn replayed(name: &str) -> (Replay, Vec<Line>) {
    let lines = recording(name);
    let mut replay = Replay::of(&lines);
    let first = lines.iter().find(|line| line.topic == Some(Topic::GlobalEvents)).unwrap();
    replay.knows_state_before(&serde_json::from_str(&first.json).unwrap());
    for line in &lines {
        replay.until(line.at);
        match (line.kind.as_str(), line.topic) {
            ("zenoh_open", _) => replay.found(),
            ("rx", Some(topic)) => replay.hear(topic, &line.json),
            _ => {}
        }
        if line.kind == "summary" {
            break;
        }
    }
    (replay, lines)
}

fn registration(lines: &[Line]) -> Vec<Value> {
    let tx = lines.iter().filter(|line| line.kind == "tx" && line.topic == Some(Topic::LocalEvents));
    tx.map_while(|line| news(&serde_json::from_str::<Value>(&line.json).unwrap()["event"])).take(6).collect()
}

#[test]
fn an_able_phone_registers_as_the_recorded_client_did() {
    for name in
        ["captured_phone_inference", "captured_phone_inference_cancel", "captured_phone_inference_minimal"]
    {
        let (replay, lines) = replayed(name);
        // Two of the recordings were cut before the interfaces.
        let theirs = registration(&lines);
        let ours: Vec<Value> =
            replay.said.iter().filter_map(|(_, said)| news(&said["event"])).take(6).collect();
        let ours: Vec<Value> = ours
            .into_iter()
            .filter(|info| theirs.len() == 6 || info.get("NodeNetworkInterfaces").is_none())
            .collect();
        assert_eq!(ours, theirs, "{name}");
    }
}

#[test]
fn a_watching_phone_registers_as_the_recorded_client_did_but_without_its_memory() {
    for name in ["captured_phone_join", "captured_phone_master_restart"] {
        let lines = recording(name);
        let (replay, _) = replayed(name);
        let mut theirs = registration(&lines);
        assert!(theirs[5].get("MacmonMetrics").is_some());
        theirs[5] = json!({"NodeConfig": {}});
        let ours: Vec<Value> =
            replay.said.iter().take(6).filter_map(|(_, said)| news(&said["event"])).collect();
        assert_eq!(ours, theirs, "{name}");
        let indices: Vec<u64> =
            replay.said.iter().take(6).map(|(_, said)| said["origin_idx"].as_u64().unwrap()).collect();
        assert_eq!(indices, [0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn it_registers_at_the_first_event_and_is_joined_at_the_first_acknowledgement() {
    let lines = recording("captured_phone_join");
    let mut replay = Replay::of(&lines);
    let heard: Vec<&Line> = lines.iter().filter(|line| line.topic == Some(Topic::GlobalEvents)).collect();
    replay.knows_state_before(&serde_json::from_str(&heard[0].json).unwrap());
    replay.until(0.03);
    replay.found();
    assert_eq!(*replay.member.state(), MemberState::Joining);
    replay.until(heard[0].at);
    replay.hear(Topic::GlobalEvents, &heard[0].json);
    assert_eq!(replay.said.len(), 6);
    assert_eq!(*replay.member.state(), MemberState::Joining);
    replay.until(heard[1].at);
    replay.hear(Topic::GlobalEvents, &heard[1].json);
    assert!(matches!(replay.member.state(), MemberState::Joined { nodes: 2 }), "{:?}", replay.member.state());
    heard[2..].iter().for_each(|line| replay.hear(Topic::GlobalEvents, &line.json));
    assert_eq!((replay.member.stats().acked, replay.member.stats().resent), (6, 0));
    assert_eq!(replay.member.view().complete_to, Some(1424));
}

#[test]
fn the_instance_that_the_recorded_client_served_is_in_our_view() {
    let (replay, _) = replayed("captured_phone_inference");
    let view = replay.member.view();
    let (model, nodes) = view.instances.values().next().unwrap();
    assert_eq!(model, "mlx-community/Qwen3-0.6B-4bit");
    assert_eq!(nodes[0].as_str(), PHONE);
}

#[test]
fn the_goodbye_is_the_recorded_one() {
    let (mut replay, lines) = replayed("captured_phone_join");
    replay.said.clear();
    let master = lines.iter().find(|line| line.topic == Some(Topic::GlobalEvents)).unwrap();
    replay.hear(Topic::GlobalEvents, &master.json);
    replay.input(Input::Request(Request::Leave));
    let goodbye = &replay.said.last().unwrap().1["event"];
    let theirs = recording("captured_phone_inference");
    let theirs = theirs.iter().rfind(|line| line.kind == "tx").unwrap();
    let theirs: Value = serde_json::from_str(&theirs.json).unwrap();
    assert_eq!(body(goodbye)["node_id"], body(&theirs["event"])["node_id"]);
    assert_eq!(
        goodbye.as_object().unwrap().keys().next(),
        theirs["event"].as_object().unwrap().keys().next()
    );
}

#[test]
fn a_restarted_master_is_followed_when_it_was_in_the_recording() {
    let lines = recording("captured_phone_master_restart");
    let mut replay = Replay::of(&lines);
    let heard: Vec<&Line> = lines.iter().filter(|line| line.topic == Some(Topic::GlobalEvents)).collect();
    replay.knows_state_before(&serde_json::from_str(&heard[0].json).unwrap());
    replay.until(0.034);
    replay.found();
    for line in &heard {
        replay.until(line.at);
        replay.hear(Topic::GlobalEvents, &line.json);
    }
    // The master's own news of the following seconds were left out of the recording; its token went at 9.85 s.
    let mut event: Value = serde_json::from_str(&heard[0].json).unwrap();
    for second in 1..10u32 {
        replay.until(f64::from(second));
        event["origin_idx"] = json!(142 + second);
        event["event"]["NodeGatheredInfo"]["event_id"] = json!(format!("left out {second}"));
        replay.hear(Topic::GlobalEvents, &event.to_string());
    }
    assert!(matches!(replay.member.state(), MemberState::Joined { .. }), "{:?}", replay.member.state());
    replay.until(24.8);
    assert!(matches!(replay.member.state(), MemberState::Degraded { .. }), "{:?}", replay.member.state());
    assert!(replay.member.stats().resent > 0, "the recorded client sent again too");

    let switch = lines.iter().find(|line| line.kind == "foreign_session").unwrap();
    replay.until(switch.at);
    replay.said.clear();
    replay.state = None;
    event["session"] = switch.whole["session"].clone();
    event["origin"] = event["session"]["master_node_id"].clone();
    for (index, at) in
        [(123, switch.at), (124, switch.at + 0.5), (125, switch.at + 1.0), (126, switch.at + 1.5)]
    {
        replay.until(at);
        event["origin_idx"] = json!(index);
        event["event"]["NodeGatheredInfo"]["node_id"] = event["origin"].clone();
        replay.hear(Topic::GlobalEvents, &event.to_string());
    }
    assert_eq!(json!(replay.member.session().unwrap()), switch.whole["session"]);
    let fresh: Vec<&Value> = replay
        .said
        .iter()
        .map(|(_, said)| said)
        .filter(|said| said["session"] == switch.whole["session"])
        .collect();
    let indices: Vec<u64> = fresh.iter().map(|said| said["origin_idx"].as_u64().unwrap()).collect();
    assert_eq!(indices, [0, 1, 2, 3, 4, 5], "a new stream, from 0");
}
