//! Hosts that answer too much.

use std::{collections::BTreeSet, net::SocketAddr};

use exo_wire::{Namespace, datagram::Datagram};

use super::{super::*, lan::*};
use crate::Random;

#[test]
fn a_host_that_answers_a_thousand_times_is_told_once() {
    let mut lan = Lan::only(Provider::Multicast, &[wifi()]);
    for _ in 0..1_000 {
        lan.answer("[fe80::7%3]:52413", zid(7), 52414);
    }
    assert_eq!(lan.found.len(), 1);
}

#[test]
fn a_host_with_a_thousand_names_is_told_once_a_second() {
    let mut lan = Lan::only(Provider::Multicast, &[wifi()]);
    for second in 0..10 {
        for n in 1..=1_000 {
            lan.answer("[fe80::7%3]:52413", zid(second * 1_000 + n), n as u16);
        }
        lan.run(secs(1));
    }
    assert_eq!(lan.found.len(), 10);
}

#[test]
fn a_thousand_hosts_are_told_a_few_times_a_second() {
    let mut lan = Lan::only(Provider::Multicast, &[wifi()]);
    for second in 0..10_u128 {
        for n in 1..=1_000 {
            lan.answer(&format!("[fe80::{n:x}%3]:52413"), zid(second * 1_000 + n), 52414);
        }
        lan.run(secs(1));
    }
    assert_eq!(lan.found.len(), 40);
    assert!(lan.found.iter().all(|(_, found)| (1..=4).contains(&found.locators.len())));
}

#[test]
fn two_exo_nodes_on_one_host_and_two_on_others_are_all_told_in_time() {
    let mut lan = Lan::only(Provider::Multicast, &[wifi()]);
    for _ in 0..6 {
        for (from, number, port) in [
            ("[fe80::7%3]:52413", 70, 52414),
            ("[fe80::7%3]:52413", 71, 52424),
            ("[fe80::8%3]:52413", 80, 52414),
            ("[fe80::9%3]:52413", 90, 52414),
        ] {
            lan.answer(from, zid(number), port);
        }
        lan.run(secs(1));
    }
    let told: BTreeSet<String> = lan.found.iter().map(|(_, found)| found.locators[0].to_string()).collect();
    let all = ["[fe80::7%3]:52414", "[fe80::7%3]:52424", "[fe80::8%3]:52414", "[fe80::9%3]:52414"];
    assert_eq!(told, all.map(|place| format!("tcp/{place}")).into());
    assert!(lan.found.len() <= 13, "{} times in six seconds", lan.found.len());
}

#[test]
fn a_node_that_is_found_twice_is_told_with_both_places() {
    let config = SearchConfig { past_hosts: vec![ip("192.168.1.60")], ..SearchConfig::default() };
    let mut lan =
        Lan::new(config).exo("[fe80::7%3]:52413", 7).exo("192.168.1.60", 7).on(&[wifi()]).searching();
    lan.run(millis(100));
    let last = &lan.found.last().unwrap().1;
    assert_eq!(last.locators.len(), 2);
    assert_eq!(last.api, Some(place("192.168.1.60:52415")));
}

#[test]
fn garbage_costs_nothing_and_changes_nothing() {
    let seed = 0x5eed;
    println!("seed {seed:#x}");
    let mut random = Random::seeded(seed);
    let mut lan = Lan::only(Provider::Multicast, &[wifi()]);
    let (before, statuses) = (lan.sent.len(), lan.phone.statuses());
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..random.below(80)).map(|_| random.bits() as u8).collect();
        if random.below(2) == 0 {
            let head = [b'E', b'X', b'O', random.below(3) as u8];
            bytes.iter_mut().zip(head).for_each(|(byte, begin)| *byte = begin);
        }
        let from = SocketAddr::new(ip("fe80::7"), random.bits() as u16);
        lan.phone.handle(lan.time(), Input::Datagram { from, bytes: &bytes });
        assert_eq!(lan.phone.poll(), None);
    }
    assert_eq!((lan.sent.len(), lan.phone.statuses()), (before, statuses));
}

#[test]
fn a_hello_is_never_answered() {
    let mut lan = Lan::only(Provider::Multicast, &[wifi()]);
    lan.sent.clear();
    for namespace in ["0.3.70", "lab"] {
        let nonce = exo_wire::datagram::Nonce([1; 8]);
        let bytes = Datagram::Hello { nonce, namespace: Namespace::named(namespace) }.to_bytes();
        lan.give(Input::Datagram { from: place("[fe80::7%3]:52413"), bytes: &bytes });
    }
    assert!(lan.sent.is_empty());
}

#[test]
fn a_driver_that_never_polls_does_not_cost_memory() {
    let mut lan = Lan::only(Provider::Unicast, &[wifi()]);
    for n in 0..10_000 {
        lan.now = millis(n * 100);
        lan.phone.handle(lan.time(), Input::Tick);
    }
    let waiting = std::iter::from_fn(|| lan.phone.poll()).count();
    assert!(waiting <= 257, "{waiting} outputs wait");
}
