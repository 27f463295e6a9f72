//! How a device is, through a real router: what exo is told, what other members hear, what a scraper reads.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};

use exo_node::{
    Now,
    driver::{JoinOptions, Node},
    vitals::Condition,
};
use exo_telemetry::{
    Reading, Readings, Timestamp,
    aggregator::{ClusterState, Presence},
    policy::Policy,
    probe::{Identity, Probe},
    protocol::{DeviceCapabilities, DeviceType},
    reading::{Group, Groups, Quantity},
};
use exo_wire::gathered::Backend;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{Exo, MASTER, PATIENCE, joined, seen, to};

/// A phone whose charger the test holds.
struct Phone {
    charging: Arc<AtomicBool>,
}

impl Probe for Phone {
    fn identity(&mut self) -> Identity {
        Identity { name: "Ada's phone".into(), device_type: DeviceType::MobileAndroid, ..Identity::unknown() }
    }

    fn read(&mut self, now: Now, wanted: Groups, into: &mut Readings) {
        let at = now.wall.into();
        if wanted.contains(Group::Memory) {
            into.memory.total = Reading::measured(8 << 30, at);
            into.memory.available = Reading::measured(4 << 30, at);
        }
        if wanted.contains(Group::Battery) {
            into.battery.charging = Reading::measured(self.charging.load(SeqCst), at);
        }
        if wanted.contains(Group::Thermal) {
            into.thermal.temperature = Reading::measured(31.5, at);
        }
    }
}

pub(crate) fn phone(exo: &Exo) -> (JoinOptions, Arc<AtomicBool>) {
    let charging = Arc::new(AtomicBool::new(true));
    let mut options = to(exo);
    options.probe = Box::new(Phone { charging: charging.clone() });
    options.probe_links = Some(Ipv4Addr::LOCALHOST);
    (options, charging)
}

pub(crate) async fn told(node: &Node, what: &str, wanted: impl Fn(&ClusterState) -> bool) {
    let mut telemetries = node.telemetries();
    let reached = timeout(PATIENCE, async {
        while let Some(state) = telemetries.next().await {
            if wanted(&state) {
                return;
            }
        }
    });
    assert!(reached.await.is_ok(), "never {what}: {:?}", node.telemetry());
}

async fn is(node: &Node, what: &str, wanted: impl Fn(&Condition) -> bool) {
    let mut conditions = node.conditions();
    let reached = timeout(PATIENCE, async {
        while let Some(condition) = conditions.next().await {
            if condition.is_some_and(|condition| wanted(&condition)) {
                return;
            }
        }
    });
    assert!(reached.await.is_ok(), "never {what}: {:?}", node.condition());
}

fn presence(state: &ClusterState, of: &Node) -> Option<Presence> {
    let id = of.node_id().as_str();
    state.devices.iter().find(|device| device.device_id.as_str() == id).map(|device| device.presence)
}

#[tokio::test(flavor = "multi_thread")]
async fn members_tell_each_other_how_they_are_and_say_goodbye() {
    let exo = Exo::start(MASTER).await;
    let (one, other) = (Node::join(phone(&exo).0).unwrap(), Node::join(phone(&exo).0).unwrap());
    joined(&one).await;
    joined(&other).await;
    let id = other.node_id().as_str().to_owned();
    told(&one, "told of the other", |state| {
        let device = state.devices.iter().find(|device| device.device_id.as_str() == id);
        device.is_some_and(|device| {
            device.readings.get(Quantity::Temperature).value().is_some()
                && device.registration.as_ref().is_some_and(|said| said.name == "Ada's phone")
        })
    })
    .await;
    let mut able = DeviceCapabilities::unknown("not measured", Timestamp::default());
    able.peak_flops_per_s = Reading::measured(1e12, Timestamp::default()).into();
    other.set_capabilities(able).unwrap();
    told(&one, "told what the other can do", |state| {
        let device = state.devices.iter().find(|device| device.device_id.as_str() == id);
        let registration = device.and_then(|device| device.registration.as_ref());
        registration.is_some_and(|said| said.capabilities.peak_flops_per_s.reading.get() == Some(1e12))
    })
    .await;
    other.leave(PATIENCE).await.unwrap();
    told(&one, "told of the goodbye", |state| presence(state, &other) == Some(Presence::Left)).await;
    assert_eq!(one.telemetry().refused, 0);
    one.leave(PATIENCE).await.unwrap();
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_only_listens_tells_nobody() {
    let exo = Exo::start(MASTER).await;
    let (mut options, _) = phone(&exo);
    options.listen_only = true;
    let quiet = Node::join(options).unwrap();
    let loud = Node::join(phone(&exo).0).unwrap();
    joined(&loud).await;
    told(&quiet, "told of the other", |state| presence(state, &loud).is_some()).await;
    assert_eq!(presence(&loud.telemetry(), &quiet), None);
    loud.leave(PATIENCE).await.unwrap();
    drop(quiet);
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_newcomer_is_told_everything_though_nobody_can_count_it() {
    let exo = Exo::start(MASTER).await;
    let (one, other) = (Node::join(phone(&exo).0).unwrap(), Node::join(phone(&exo).0).unwrap());
    told(&one, "told of the other", |state| presence(state, &other).is_some()).await;
    let (mut options, _) = phone(&exo);
    options.listen_only = true;
    let late = Node::join(options).unwrap();
    told(&late, "told everything", |state| {
        state.devices.len() == 2
            && state.devices.iter().all(|device| device.whole && device.registration.is_some())
    })
    .await;
    drop((late, one, other));
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_off_its_charger_stops_offering_before_the_next_announcement_is_due() {
    let exo = Exo::start(MASTER).await;
    let (mut options, charging) = phone(&exo);
    options.policy = Policy { only_while_charging: true, memory_cap: Some(1 << 30), ..Policy::default() };
    options.backends = vec![Backend::MlxCpu];
    let node = Node::join(options).unwrap();
    joined(&node).await;
    let id = node.node_id().clone();
    seen(&node, "offering a backend and a capped memory", |view| {
        view.nodes.get(&id).is_some_and(|us| {
            us.backends == ["MlxCpu"] && us.memory.is_some_and(|memory| memory.available == 1 << 30)
        })
    })
    .await;
    charging.store(false, SeqCst);
    node.noticed(Group::Battery.into()).unwrap();
    is(&node, "draining", |condition| !condition.allowance.admit && !condition.offers).await;
    seen(&node, "offering nothing", |view| {
        view.nodes
            .get(&id)
            .is_some_and(|us| us.backends.is_empty() && us.memory.is_some_and(|memory| memory.available == 0))
    })
    .await;
    node.leave(PATIENCE).await.unwrap();
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scraper_on_this_computer_reads_the_metrics() {
    let exo = Exo::start(MASTER).await;
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (mut options, _) = phone(&exo);
    options.metrics = Some(address);
    let node = Node::join(options).unwrap();
    told(&node, "watched by ourselves", |state| presence(state, &node).is_some()).await;
    let metrics = page(address, "/metrics").await;
    assert!(metrics.contains("text/plain; version=0.0.4"), "{metrics}");
    assert!(metrics.contains(&format!("device=\"{}\"", node.node_id())), "{metrics}");
    assert!(metrics.contains("31.5"), "{metrics}");
    let telemetry = page(address, "/telemetry").await;
    assert!(telemetry.contains("Ada's phone"), "{telemetry}");
    drop(node);
    exo.kill().await;
}

async fn page(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_cannot_be_meant_is_refused() {
    let exo = Exo::start(MASTER).await;
    let (mut options, _) = phone(&exo);
    options.policy.min_battery = Some(20.0);
    let error = Node::join(options).unwrap_err();
    assert!(error.message().contains("write 0.2 for 20%"), "{error}");
    let node = Node::join(phone(&exo).0).unwrap();
    assert!(node.set_policy(Policy { memory_cap: Some(0), ..Policy::default() }).is_err());
    drop(node);
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_that_panics_costs_its_readings_and_nothing_else() {
    struct Broken;
    impl Probe for Broken {
        fn identity(&mut self) -> Identity {
            panic!("a probe that panics on purpose")
        }
        fn read(&mut self, _: Now, _: Groups, _: &mut Readings) {
            panic!("a probe that panics on purpose")
        }
    }
    let exo = Exo::start(MASTER).await;
    let mut options = to(&exo);
    options.probe = Box::new(Broken);
    let node = Node::join(options).unwrap();
    joined(&node).await;
    node.leave(PATIENCE).await.unwrap();
    exo.kill().await;
}
