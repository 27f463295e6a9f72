//! Discovery over real sockets, on loopback alone.
#![cfg(all(feature = "driver", not(any(target_os = "android", target_os = "ios"))))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    io,
    net::{IpAddr, SocketAddr, UdpSocket},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use exo_node::{
    Now, Random,
    discovery::{
        Activity, Advertisement, Discovery, Found, Input, Obstacle, Output, Provider, SearchConfig, Service,
    },
    driver::{
        dns_sd::{DiscoveryProvider, DnsSdError, ServiceListener},
        sockets::{Bind, LARGEST_DATAGRAM, Sockets},
    },
    now::Moment,
};
use exo_wire::{
    Namespace, Zid,
    datagram::{DEFAULT_NAMESPACE, Datagram, GROUP},
};

/// A host that answers one Hello as exo does, over a socket of its own.
fn exo_on(address: &str) -> (u16, thread::JoinHandle<io::Result<()>>) {
    let socket = UdpSocket::bind(format!("{address}:0")).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let port = socket.local_addr().unwrap().port();
    let answering = thread::spawn(move || {
        let mut buffer = [0; 64];
        let (length, from) = socket.recv_from(&mut buffer)?;
        let Some(Datagram::Hello { nonce, namespace }) = Datagram::parse(&buffer[..length]) else {
            return Err(io::Error::other("not a Hello"));
        };
        assert_eq!(namespace, Namespace::named(DEFAULT_NAMESPACE));
        let answer = Datagram::WhatsUp { nonce, zid: Zid(7_u128.to_le_bytes()), port: 52414 };
        socket.send_to(&answer.to_bytes(), from).map(|_| ())
    });
    (port, answering)
}

/// What a driver does, in twenty lines.
async fn search(config: SearchConfig) -> Found {
    let sockets = Sockets::open(Bind::Loopback).unwrap();
    let started = Instant::now();
    let now = || Now { mono: Moment::after_start(started.elapsed()), wall: Duration::ZERO };
    let mut discovery = Discovery::new(config, Random::seeded(1));
    discovery.handle(now(), Input::Search);
    let mut buffer = [0; LARGEST_DATAGRAM];
    loop {
        while let Some(output) = discovery.poll() {
            match output {
                Output::Send { provider, to, bytes } => {
                    if let Some(refused) = sockets.send(provider, to, &bytes).await {
                        discovery.handle(now(), refused);
                    }
                }
                Output::Found(found) => return found,
                _ => {}
            }
        }
        let wait = discovery.deadline().unwrap().since(now().mono);
        match tokio::time::timeout(wait, sockets.receive(&mut buffer)).await {
            Ok(received) => {
                let (length, from) = received.unwrap();
                discovery.handle(now(), Input::Datagram { from, bytes: &buffer[..length] });
            }
            Err(_) => discovery.handle(now(), Input::Tick),
        }
    }
}

fn on_loopback(discovery_port: u16) -> SearchConfig {
    SearchConfig { discovery_port, only: Some([Provider::Loopback].into()), ..SearchConfig::default() }
}

#[tokio::test]
async fn an_exo_on_this_device_is_found_over_ipv4() {
    let (port, exo) = exo_on("127.0.0.1");
    let found = search(on_loopback(port)).await;
    assert_eq!(found.locators[0].to_string(), "tcp/127.0.0.1:52414");
    assert_eq!(found.api, Some("127.0.0.1:52415".parse().unwrap()));
    exo.join().unwrap().unwrap();
}

#[tokio::test]
async fn an_exo_on_this_device_is_found_over_ipv6() {
    if UdpSocket::bind("[::1]:0").is_err() {
        println!("skipped: no IPv6 here");
        return;
    }
    let (port, exo) = exo_on("[::1]");
    let found = search(on_loopback(port)).await;
    assert_eq!(found.locators[0].to_string(), "tcp/[::1]:52414");
    exo.join().unwrap().unwrap();
}

#[tokio::test]
async fn confined_sockets_are_bound_to_loopback_and_nowhere_else() {
    let sockets = Sockets::open(Bind::Loopback).unwrap();
    let addresses = sockets.local_addresses();
    assert!(!addresses.is_empty());
    assert!(addresses.iter().all(|address| address.ip().is_loopback()), "{addresses:?}");
}

#[tokio::test]
async fn what_the_system_refuses_comes_back_as_an_input() {
    let sockets = Sockets::open(Bind::Loopback).unwrap();
    // No interface has this number.
    let to = SocketAddr::V6(std::net::SocketAddrV6::new(GROUP, 52413, 0, 4_000_000));
    match sockets.send(Provider::Multicast, to, b"x").await {
        Some(Input::Refused { provider, interface, obstacle, why }) => {
            assert_eq!((provider, interface), (Provider::Multicast, Some(4_000_000)));
            assert_ne!(obstacle, Obstacle::NotPermitted);
            assert!(!why.is_empty() && !why.contains("os error"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_datagram_that_is_too_long_is_cut_and_does_not_block_the_next() {
    let sockets = Sockets::open(Bind::Loopback).unwrap();
    let to = *sockets.local_addresses().iter().find(|address| address.is_ipv4()).unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    sender.send_to(&[7; 9_000], to).unwrap();
    sender.send_to(b"next", to).unwrap();
    let mut buffer = [0; LARGEST_DATAGRAM];
    assert_eq!(sockets.receive(&mut buffer).await.unwrap().0, LARGEST_DATAGRAM);
    let (length, from) = sockets.receive(&mut buffer).await.unwrap();
    assert_eq!((&buffer[..length], from), (&b"next"[..], sender.local_addr().unwrap()));
}

#[tokio::test]
async fn two_phones_of_one_device_can_be_asked_at_the_same_port() {
    let free = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let first = Sockets::open(Bind::At(free)).unwrap();
    let second = Sockets::open(Bind::At(free)).unwrap();
    assert_eq!(first.local_addresses(), second.local_addresses());
}

/// The DNS-SD of a phone's system, as an app would give it to us.
#[derive(Default)]
struct FakeSystem {
    calls: Mutex<Vec<String>>,
    listener: Mutex<Option<Arc<dyn ServiceListener>>>,
}

impl FakeSystem {
    fn called(&self, what: &str) {
        self.calls.lock().unwrap().push(what.to_owned());
    }
}

impl DiscoveryProvider for FakeSystem {
    fn browse(&self, listener: Arc<dyn ServiceListener>) -> Result<(), DnsSdError> {
        self.called("browse");
        *self.listener.lock().unwrap() = Some(listener);
        Ok(())
    }

    fn stop_browsing(&self) {
        self.called("stop browsing");
        *self.listener.lock().unwrap() = None;
    }

    fn advertise(&self, advertisement: Advertisement) -> Result<(), DnsSdError> {
        self.called(&format!("advertise {}", advertisement.name));
        Ok(())
    }

    fn withdraw(&self) {
        self.called("withdraw");
    }
}

/// Keeps what it is told.
#[derive(Default)]
struct Notebook(Mutex<Vec<Service>>);

impl ServiceListener for Notebook {
    fn resolved(&self, service: Service) {
        self.0.lock().unwrap().push(service);
    }

    fn failed(&self, error: DnsSdError) {
        panic!("{error}");
    }
}

#[test]
fn the_dns_sd_of_a_phones_system_can_take_the_place_of_ours() {
    let system = FakeSystem::default();
    let provider: &dyn DiscoveryProvider = &system;
    let notebook = Arc::new(Notebook::default());
    let mut discovery = Discovery::new(
        SearchConfig { only: Some([Provider::DnsSd].into()), ..SearchConfig::default() },
        Random::seeded(1),
    );
    let now = Now { mono: Moment::default(), wall: Duration::ZERO };
    discovery.handle(now, Input::Search);
    assert_eq!(discovery.poll(), Some(Output::Browse(true)));
    provider.browse(notebook.clone()).unwrap();
    let listener = system.listener.lock().unwrap().clone().unwrap();
    listener.resolved(Service {
        name: "somebody".to_owned(),
        addresses: vec!["192.168.1.9".parse::<IpAddr>().unwrap()],
        interface: None,
        port: 52414,
        txt: Vec::new(),
    });
    for service in notebook.0.lock().unwrap().drain(..) {
        discovery.handle(now, Input::Service(service));
    }
    let status = discovery.statuses().into_iter().find(|status| status.provider == Provider::DnsSd).unwrap();
    assert_eq!((status.activity, status.note.as_str()), (Activity::Searching, "1 _exo._tcp announcements"));
    provider.stop_browsing();
    provider.withdraw();
    assert_eq!(*system.calls.lock().unwrap(), ["browse", "stop browsing", "withdraw"]);
}

#[test]
fn our_own_mdns_does_nothing_until_it_is_asked() {
    let threads = || thread_names().iter().filter(|name| name.starts_with("mDNS")).count();
    let mdns = exo_node::driver::dns_sd::Mdns::new(None);
    mdns.stop_browsing();
    mdns.withdraw();
    drop(mdns);
    assert_eq!(threads(), 0);
}

/// The names of this process's threads, where the system tells.
fn thread_names() -> Vec<String> {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok()).collect()
}
