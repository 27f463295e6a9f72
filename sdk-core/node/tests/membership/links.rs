//! Links that are measured over real sockets: between members, and to exo's nodes.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use exo_node::{
    discovery::Link,
    driver::{JoinOptions, Node},
};
use exo_telemetry::{Source, topology::LinkKind};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::timeout,
};

use super::{
    Exo, MASTER, OTHER, PATIENCE, joined,
    telemetry::{phone, told},
};

/// exo's HTTP interface, as far as a member asks who is there. Everybody else hears that there is no such page.
struct Api {
    port: u16,
    /// How often it was asked, and how often somebody connected and asked nothing.
    asked: Arc<AtomicUsize>,
    bare: Arc<AtomicUsize>,
}

impl Api {
    async fn start(node_id: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, bare) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (asking, silent) = (asked.clone(), bare.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 1024];
                let length = stream.read(&mut request).await.unwrap_or(0);
                let answer = if length == 0 {
                    silent.fetch_add(1, SeqCst);
                    continue;
                } else if request.starts_with(b"GET /node_id ") {
                    asking.fetch_add(1, SeqCst);
                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n\"{node_id}\"", node_id.len() + 2)
                } else {
                    "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned()
                };
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self { port, asked, bare }
    }

    /// Joins that exo, of which this is the HTTP interface.
    fn of(&self, exo: &Exo) -> JoinOptions {
        let (mut options, _) = phone(exo);
        options.search.link = Some(Link::parse(&exo.link_with(self.port)).unwrap().confirm());
        options
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_measure_the_link_between_them_and_all_hear_of_it() {
    let exo = Exo::start(MASTER).await;
    let (one, other) = (Node::join(phone(&exo).0).unwrap(), Node::join(phone(&exo).0).unwrap());
    let (mut options, _) = phone(&exo);
    (options.listen_only, options.probe_links) = (true, None);
    let third = Node::join(options).unwrap();
    let (a, b) = (one.node_id().to_string(), other.node_id().to_string());
    for node in [&one, &other, &third] {
        told(node, "told of the link", |state| {
            let topology = state.topology();
            let link = topology.link(&a, &b);
            link.is_some_and(|link| link.latency_p50.get().is_some_and(|figure| figure.value < 1.0))
        })
        .await;
    }
    drop((one, other, third));
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_measures_how_far_exo_is_though_nobody_else_is_there() {
    let (exo, api) = (Exo::start(MASTER).await, Api::start(MASTER).await);
    let node = Node::join(api.of(&exo)).unwrap();
    let us = node.node_id().to_string();
    told(&node, "linked to exo", |_| {
        node.topology().link(&us, MASTER).is_some_and(|link| link.latency_p50.source() == Source::Measured)
    })
    .await;
    let topology = node.topology();
    let link = topology.link(&us, MASTER).unwrap();
    assert_eq!(link.kind, LinkKind::Loopback);
    assert!(link.latency_p50.get().is_some_and(|figure| figure.value < 1.0), "{link:?}");
    for way in [&link.bandwidth_up, &link.bandwidth_down] {
        assert_eq!(way.why(), Some("exo's nodes do not answer trains"), "{link:?}");
    }
    assert_eq!(api.asked.load(SeqCst), 1, "who is there is asked once");
    node.leave(PATIENCE).await.unwrap();
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_members_hear_how_far_exo_is() {
    let (exo, api) = (Exo::start(MASTER).await, Api::start(MASTER).await);
    let one = Node::join(api.of(&exo)).unwrap();
    let (mut options, _) = phone(&exo);
    options.probe_links = None;
    let other = Node::join(options).unwrap();
    let id = one.node_id().to_string();
    told(&other, "told of the link", |_| {
        let topology = other.topology();
        let link = topology.link(&id, MASTER);
        link.is_some_and(|link| link.latency_p50.get().is_some() && link.bandwidth_up.get().is_none())
    })
    .await;
    assert!(other.topology().link(other.node_id().as_str(), MASTER).is_none(), "it measures nothing");
    drop((one, other));
    exo.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_put_down_to_a_node_that_is_not_there() {
    let (exo, api) = (Exo::start(MASTER).await, Api::start(OTHER).await);
    let node = Node::join(api.of(&exo)).unwrap();
    joined(&node).await;
    let asked = timeout(PATIENCE, async {
        let mut conditions = node.conditions();
        while api.asked.load(SeqCst) == 0 {
            conditions.next().await;
        }
        // Time to act upon the answer.
        for _ in 0..2 {
            node.noticed(exo_telemetry::reading::Groups::ALL).unwrap();
            conditions.next().await;
        }
    });
    asked.await.expect("nobody was asked");
    assert_eq!(node.topology().links().len(), 0);
    assert_eq!(api.bare.load(SeqCst), 0);
    drop(node);
    exo.kill().await;
}
