//! Probes over real sockets, on loopback.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket},
    sync::{Arc, Mutex},
    time::Instant,
};

use exo_telemetry::{
    reading::NetworkKind,
    topology::{Direction, LinkKind, LinkProber, Order, PeerKind, ProbeLimits, Work, wire::Refused},
};

use super::{Answerer, Asker, Clock, Outcome, ProbeError, perform, tell};
use crate::{Now, Random, now::Moment};

/// Two minutes after its start: the tank is full.
fn clock() -> Clock {
    let started = Instant::now();
    Arc::new(move || {
        let since = started.elapsed() + std::time::Duration::from_mins(2);
        Now { mono: Moment::after_start(since), wall: since }
    })
}

fn prober(own: &str) -> LinkProber {
    let mut prober = LinkProber::new(own, ProbeLimits::default(), Moment::default(), Random::seeded(1));
    prober.network(Some(NetworkKind::Ethernet), Some(false));
    prober
}

fn answerer(ip: std::net::IpAddr) -> Answerer {
    let prober = Arc::new(Mutex::new(prober("there")));
    Answerer::start(SocketAddr::new(ip, 0), prober, clock()).unwrap()
}

fn here() -> std::net::IpAddr {
    Ipv4Addr::LOCALHOST.into()
}

#[test]
fn echoes_come_back_over_both_families() {
    for ip in [here(), Ipv6Addr::LOCALHOST.into()] {
        let there = answerer(ip);
        let times = Asker::open(there.address()).unwrap().echoes(3).unwrap();
        assert_eq!(times.iter().flatten().count(), 3, "{times:?}");
    }
}

#[test]
fn trains_arrive_in_both_directions() {
    let there = answerer(here());
    let mut asker = Asker::open(there.address()).unwrap();
    for direction in [Direction::Up, Direction::Down] {
        let said = asker.train(direction, 40).unwrap();
        assert!(said.packets > 1 && said.packets <= 40, "{said:?}");
    }
}

#[test]
fn a_refusal_is_told_in_its_own_words() {
    let there = answerer(here());
    there.refuse_trains(Some(Refused::Metered));
    let mut asker = Asker::open(there.address()).unwrap();
    for direction in [Direction::Up, Direction::Down] {
        let refused = asker.train(direction, 40).unwrap_err();
        assert!(matches!(refused, ProbeError::Refused(Refused::Metered)), "{refused}");
    }
}

#[test]
fn an_order_is_performed_and_told() {
    let there = answerer(here());
    let mut prober = prober("here");
    let clock = clock();
    prober.peer_seen(Moment::default(), "there", PeerKind::Sdk, LinkKind::Loopback);
    let order = prober.poll(clock().mono).unwrap();
    assert_eq!(order, Order { peer: "there".into(), work: Work::Echoes(10) });
    let outcome = perform(&order, there.address());
    tell(&mut prober, clock(), &order, &outcome);
    let link = prober.links(clock()).remove(0);
    assert!(link.latency_p50.get().is_some(), "{link:?}");
}

#[test]
fn the_round_trip_to_a_node_of_exo_is_the_time_to_connect() {
    let exo = TcpListener::bind((here(), 0)).unwrap();
    let order = Order { peer: "mac".into(), work: Work::Connects(2) };
    let Outcome::RoundTrips(times) = perform(&order, exo.local_addr().unwrap()) else {
        panic!("a round of connects gives round trips")
    };
    assert_eq!(times.iter().flatten().count(), 2);
}

#[test]
fn nobody_answers_where_nobody_listens() {
    let closed = UdpSocket::bind((here(), 0)).unwrap().local_addr().unwrap();
    assert!(matches!(Asker::open(closed), Err(ProbeError::Silent)));
}

#[test]
fn strangers_get_no_answer_and_the_next_who_asks_does() {
    let there = answerer(here());
    let stranger = UdpSocket::bind((here(), 0)).unwrap();
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[], &[0; 1472]] {
        stranger.send_to(bytes, there.address()).unwrap();
    }
    assert!(Asker::open(there.address()).is_ok());
    stranger.set_nonblocking(true).unwrap();
    assert!(stranger.recv(&mut [0; 64]).is_err());
}

#[test]
fn closing_twice_is_no_error_and_frees_the_port() {
    let mut there = answerer(here());
    let address = there.address();
    there.close();
    there.close();
    drop(there);
    assert!(UdpSocket::bind(address).is_ok());
}
