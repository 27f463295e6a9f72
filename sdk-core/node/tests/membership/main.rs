//! The driver against a zenoh router that plays exo, on loopback. What the machines decide is tested without I/O
//! elsewhere; here it is shown that a node carries it out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod exo;
mod links;
mod phones;
mod telemetry;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use exo::Exo;
use exo_node::{
    discovery::{Advertisement, Link, Provider},
    driver::{
        JoinOptions, Node, NodeErrorKind, WhoAmI,
        dns_sd::{DiscoveryProvider, DnsSdError, ServiceListener},
    },
    member::{ClusterView, MemberState, Request},
};
use serde_json::Value;
use tokio::time::timeout;

const MASTER: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";
const OTHER: &str = "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2";
/// Nothing here takes a second; a machine under load may.
const PATIENCE: Duration = Duration::from_secs(20);

fn to(exo: &Exo) -> JoinOptions {
    let mut options = JoinOptions::new(WhoAmI::New);
    options.search.link = Some(Link::parse(&exo.link()).unwrap().confirm());
    options.search.only = Some(BTreeSet::from([Provider::Link]));
    options
}

async fn until(node: &Node, what: &str, wanted: impl Fn(&MemberState) -> bool) {
    let mut states = node.states();
    let mut seen = Vec::new();
    let reached = timeout(PATIENCE, async {
        while let Some(state) = states.next().await {
            seen.push(state.clone());
            if wanted(&state) {
                return;
            }
        }
        panic!("the node ended");
    });
    let reached = reached.await.is_ok();
    assert!(reached, "never {what}: {seen:?}; {:?}; {:?}", node.stats(), node.trouble());
}

async fn joined(node: &Node) {
    until(node, "joined", |state| matches!(state, MemberState::Joined { .. })).await;
}

async fn seen(node: &Node, what: &str, wanted: impl Fn(&ClusterView) -> bool) {
    let mut views = node.views();
    let reached = timeout(PATIENCE, async {
        while let Some(view) = views.next().await {
            if wanted(&view) {
                return;
            }
        }
        panic!("the node ended");
    });
    let reached = reached.await.is_ok();
    assert!(reached, "never seen: {what}: {:?}; {:?}; {:?}", node.view(), node.stats(), node.trouble());
}

fn of<'a>(heard: &'a [Value], node: &Node) -> Vec<&'a Value> {
    let id = node.node_id().as_str().to_owned();
    heard.iter().filter(|local| local["event"].to_string().contains(&id)).collect()
}

fn tag(local: &Value) -> String {
    local["event"].as_object().unwrap().keys().next().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_registers_with_indices_from_0_and_is_joined_when_it_is_acknowledged() {
    let exo = Exo::start(MASTER).await;
    let node = Node::join(to(&exo)).unwrap();
    joined(&node).await;
    let heard = exo.heard();
    let ours = of(&heard, &node);
    let indices: Vec<u64> = ours.iter().map(|local| local["origin_idx"].as_u64().unwrap()).collect();
    assert_eq!(indices, (0..indices.len() as u64).collect::<Vec<_>>());
    assert!(node.stats().member.acked > 0, "{:?}", node.stats());
    seen(&node, "ourselves", |view| view.nodes.contains_key(node.node_id())).await;
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_is_one_event_that_the_master_acknowledges() {
    let exo = Exo::start(MASTER).await;
    let node = Node::join(to(&exo)).unwrap();
    joined(&node).await;
    node.leave(PATIENCE).await.unwrap();
    assert_eq!(node.state(), MemberState::Left);
    let heard = exo.heard();
    let last = of(&heard, &node).last().map(|local| tag(local));
    assert_eq!(last.as_deref(), Some("NodeTimedOut"));
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goodbye_that_nobody_hears_is_told_to_the_caller() {
    let exo = Exo::start(MASTER).await;
    let node = Node::join(to(&exo)).unwrap();
    joined(&node).await;
    exo.kill().await;
    until(&node, "unlinked", |state| !matches!(state, MemberState::Joined { .. })).await;
    assert_eq!(node.leave(PATIENCE).await.unwrap_err().kind(), NodeErrorKind::Unheard);
    assert_eq!(node.state(), MemberState::Left);
}

#[test]
fn a_node_needs_no_runtime_of_its_caller() {
    let mut options = JoinOptions::new(WhoAmI::New);
    options.search.only = Some(BTreeSet::from([Provider::Loopback]));
    options.search.discovery_port = 9;
    let node = Node::join(options).unwrap();
    let mut states = node.states();
    assert_eq!(alone(states.next()), Some(MemberState::Searching));
    alone(node.leave(PATIENCE)).unwrap();
    assert_eq!(node.state(), MemberState::Left);
}

/// Runs a future on an executor that knows nothing of tokio.
fn alone<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_a_node_leaves_too() {
    let exo = Exo::start(MASTER).await;
    let node = Node::join(to(&exo)).unwrap();
    joined(&node).await;
    let id = node.node_id().to_string();
    drop(node);
    let goodbye =
        |exo: &Exo| exo.heard().iter().any(|local| local["event"]["NodeTimedOut"]["node_id"] == id.as_str());
    let said = timeout(PATIENCE, async {
        while !goodbye(&exo) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    said.await.expect("no goodbye");
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_listens_only_says_nothing() {
    let exo = Exo::start(MASTER).await;
    let mut options = to(&exo);
    options.listen_only = true;
    let node = Node::join(options).unwrap();
    until(&node, "listening", |state| matches!(state, MemberState::ListeningOnly { .. })).await;
    node.leave(PATIENCE).await.unwrap();
    assert_eq!(exo.heard(), Vec::<Value>::new());
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_router_that_dies_is_noticed_and_its_successor_is_joined() {
    let first = Exo::start(MASTER).await;
    let port = first.port;
    let node = Node::join(to(&first)).unwrap();
    joined(&node).await;
    first.kill().await;
    until(&node, "unlinked", |state| !matches!(state, MemberState::Joined { .. })).await;
    let second = Exo::start_at(OTHER, port).await;
    let new_reign =
        |view: &ClusterView| view.session.as_ref().is_some_and(|s| s.master_node_id.as_str() == OTHER);
    let with_us = |view: &ClusterView| new_reign(view) && view.nodes.contains_key(node.node_id());
    seen(&node, "the new reign, with us", with_us).await;
    joined(&node).await;
    // What was still said in the old session is nothing to the new master.
    let heard = second.heard();
    let mut ours = of(&heard, &node).into_iter();
    let first =
        ours.find(|local| local["session"]["master_node_id"] == OTHER).expect("nothing in its session");
    assert_eq!(first["origin_idx"], 0);
    assert_eq!(node.stats().links_lost, 1);
    node.leave(PATIENCE).await.unwrap();
    second.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_end_with_the_node() {
    let exo = Exo::start(MASTER).await;
    let node = Node::join(to(&exo)).unwrap();
    joined(&node).await;
    let (mut states, mut views) = (node.states(), node.views());
    node.leave(PATIENCE).await.unwrap();
    drop(node);
    let ended = timeout(PATIENCE, async {
        let mut last = None;
        while let Some(state) = states.next().await {
            last = Some(state);
        }
        while views.next().await.is_some() {}
        last
    });
    assert_eq!(ended.await.expect("the streams never end"), Some(MemberState::Left));
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_inside_the_node_ends_the_node_and_not_the_app() {
    struct Faulty;
    impl DiscoveryProvider for Faulty {
        fn browse(&self, _: Arc<dyn ServiceListener>) -> Result<(), DnsSdError> {
            panic!("a fault on purpose")
        }
        fn stop_browsing(&self) {}
        fn advertise(&self, _: Advertisement) -> Result<(), DnsSdError> {
            Ok(())
        }
        fn withdraw(&self) {}
    }
    let mut options = JoinOptions::new(WhoAmI::New);
    options.search.only = Some(BTreeSet::from([Provider::Loopback, Provider::DnsSd]));
    options.search.discovery_port = 9;
    options.dns_sd = Some(Arc::new(Faulty));
    let node = Node::join(options).unwrap();
    let failed =
        |state: &MemberState| matches!(state, MemberState::Failed { why } if why.contains("on purpose"));
    until(&node, "failed", failed).await;
    assert!(node.leave(PATIENCE).await.is_err());
    assert_eq!(node.request(Request::ScreenShown(true)).unwrap_err().kind(), NodeErrorKind::Over);
}
