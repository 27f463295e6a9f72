//! A phone among phones, whose host is played here: what the driver must keep apart.

use std::{
    collections::BTreeSet,
    net::{SocketAddr, UdpSocket},
    sync::{Arc, Mutex},
    time::Duration,
};

use exo_node::{
    discovery::Provider,
    driver::{FoundingOptions, JoinOptions, MeetingPlace, Node, NodeErrorKind, WhoAmI},
    member::{MemberState, Request},
};
use exo_wire::{Zid, datagram::Datagram};
use tokio::time::timeout;

use super::{MASTER, OTHER, PATIENCE, exo::Exo, joined, of, tag};

/// What answers a Hello of phones: the place and the id of the router that hosts.
struct Hosts {
    at: SocketAddr,
    answer: Arc<Mutex<Option<(Zid, u16)>>>,
    /// Held so that nobody takes its port: the search for exo asks there, and nobody answers.
    nobody: UdpSocket,
}

impl Hosts {
    fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let at = socket.local_addr().unwrap();
        let answer: Arc<Mutex<Option<(Zid, u16)>>> = Arc::default();
        let told = answer.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 64];
            while let Ok((length, from)) = socket.recv_from(&mut buffer) {
                let Some(Datagram::Hello { nonce, .. }) = Datagram::parse(&buffer[..length]) else {
                    continue;
                };
                if let Some((zid, port)) = *told.lock().unwrap() {
                    let _ = socket.send_to(&Datagram::WhatsUp { nonce, zid, port }.to_bytes(), from);
                }
            }
        });
        Self { at, answer, nobody: UdpSocket::bind("127.0.0.1:0").unwrap() }
    }

    fn are(&self, host: Option<(Zid, u16)>) {
        *self.answer.lock().unwrap() = host;
    }

    /// A phone that hears nobody else.
    fn phone(&self) -> Node {
        let mut options = JoinOptions::new(WhoAmI::New);
        options.search.only = Some(BTreeSet::from([Provider::Loopback]));
        options.search.discovery_port = self.nobody.local_addr().unwrap().port();
        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").unwrap());
        options.founding = Some(FoundingOptions {
            app: "test".to_owned(),
            place: MeetingPlace::Neighbours { socket, others: vec![self.at] },
            router: SocketAddr::from(([127, 0, 0, 1], 0)),
            alone_after: Duration::from_millis(50),
        });
        Node::join(options).unwrap()
    }
}

fn host(router: &Exo) -> (Zid, u16) {
    (Zid(router.zid()), router.port)
}

async fn eventually(what: &str, check: impl Fn() -> bool) {
    let reached = timeout(PATIENCE, async {
        while !check() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(reached.await.is_ok(), "never: {what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_whose_host_dies_during_its_goodbye_ends_all_the_same() {
    let (hosts, router) = (Hosts::start(), Exo::start(MASTER).await);
    hosts.are(Some(host(&router)));
    let node = Arc::new(hosts.phone());
    joined(&node).await;
    router.turn_deaf();
    let leaving = tokio::spawn({
        let node = node.clone();
        async move { node.leave(PATIENCE).await }
    });
    let goodbye = || of(&router.heard(), &node).iter().any(|local| tag(local) == "NodeTimedOut");
    eventually("a goodbye", goodbye).await;
    hosts.are(None);
    router.kill().await;
    assert_eq!(leaving.await.unwrap().unwrap_err().kind(), NodeErrorKind::Unheard);
    assert_eq!(node.state(), MemberState::Left);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_says_nothing_to_another_router_at_its_hosts_address() {
    let (hosts, router) = (Hosts::start(), Exo::start(MASTER).await);
    hosts.are(Some((Zid([255; 16]), router.port)));
    let node = hosts.phone();
    // It gives the others up and hosts itself.
    joined(&node).await;
    assert_eq!(node.view().session.as_ref().map(|session| &session.master_node_id), Some(node.node_id()));
    assert!(router.heard().is_empty(), "{:?}", router.heard());
    node.leave(PATIENCE).await.unwrap();
    router.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_changes_clusters_remembers_that_its_screen_is_shown() {
    let (hosts, first) = (Hosts::start(), Exo::start(MASTER).await);
    hosts.are(Some(host(&first)));
    let node = hosts.phone();
    joined(&node).await;
    node.request(Request::ScreenShown(true)).unwrap();
    let second = Exo::start(OTHER).await;
    hosts.are(Some(host(&second)));
    first.kill().await;
    eventually("the second host hears of it", || !of(&second.heard(), &node).is_empty()).await;
    joined(&node).await;
    assert_eq!(node.stats().member.sessions, 2, "counters never go back");
    let before = of(&second.heard(), &node).len();
    eventually("a word each second", || of(&second.heard(), &node).len() >= before + 6).await;
    node.leave(PATIENCE).await.unwrap();
    second.kill().await;
}
