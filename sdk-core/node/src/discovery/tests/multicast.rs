//! exo's own Hello.

use std::{collections::BTreeSet, net::SocketAddr};

use exo_wire::datagram::GROUP;

use super::{super::*, lan::*};
use crate::InterfaceKind;

const BY: Provider = Provider::Multicast;

#[test]
fn a_hello_with_a_new_nonce_goes_to_the_group_each_second() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.run(millis(9_500));
    assert_eq!(lan.sent.len(), 10);
    let nonces: BTreeSet<&[u8]> = lan.sent.iter().map(|sent| &sent.bytes[4..12]).collect();
    assert_eq!(nonces.len(), 10);
    for sent in &lan.sent {
        let SocketAddr::V6(to) = sent.to else { panic!("{sent:?}") };
        assert_eq!((*to.ip(), to.port(), to.scope_id()), (GROUP, 52413, 3));
        assert_eq!(
            sent.bytes[12..],
            [0x6e, 0x2b, 0xf1, 0xda, 0xd2, 0xaa, 0x12, 0x68],
            "exo's default namespace"
        );
    }
    assert_eq!(lan.note(BY), "10 Hellos on wlan0, nobody answered");
}

#[test]
fn an_exo_on_the_network_is_found_within_milliseconds() {
    let mut lan = Lan::ready(BY, &[wifi()]).exo("[fe80::7%3]:52413", 7).searching();
    lan.run(millis(100));
    let (at, found) = &lan.found[0];
    assert_eq!(*at, millis(3));
    assert_eq!(found.locators[0].to_string(), "tcp/[fe80::7%3]:52414");
    assert_eq!(found.zid, Some(zid(7)));
    assert_eq!(found.by, BY);
    assert_eq!(found.api, None, "exo's HTTP interface has no IPv6");
    assert_eq!(lan.activity(BY), Activity::Found);
}

#[test]
fn only_interfaces_that_can_carry_it_are_used_and_the_rest_is_explained() {
    use InterfaceKind::{Cellular, Ethernet, Loopback, PointToPoint, Wifi};
    let mut deaf = interface("eth1", 5, Ethernet, &["fe80::5/64"]);
    deaf.multicast = false;
    let mut lan = Lan::only(
        BY,
        &[
            wifi(),
            interface("lo", 1, Loopback, &["::1/128"]),
            interface("rmnet0", 2, Cellular, &["fe80::2/64"]),
            interface("tun0", 4, PointToPoint, &["fe80::4/64"]),
            deaf,
            interface("wlan1", 6, Wifi, &["192.168.2.6/24"]),
        ],
    );
    lan.run(secs(3));
    let scopes: BTreeSet<u32> = lan.sent.iter().map(|sent| scope(sent.to)).collect();
    assert_eq!(scopes, [3].into());
    let note = lan.note(BY);
    for part in [
        "on wlan0, nobody answered",
        "tun0 is a point-to-point link",
        "no multicast on eth1",
        "no IPv6 on wlan1",
    ] {
        assert!(note.contains(part), "{note:?} lacks {part:?}");
    }
    assert!(!note.contains("rmnet0"), "{note}");
}

fn scope(to: SocketAddr) -> u32 {
    match to {
        SocketAddr::V6(v6) => v6.scope_id(),
        SocketAddr::V4(_) => panic!("multicast over IPv4: {to}"),
    }
}

#[test]
fn a_network_without_ipv6_blocks_it_and_says_so() {
    let mut lan = Lan::only(BY, &[interface("wlan0", 3, InterfaceKind::Wifi, &["192.168.1.20/24"])]);
    lan.run(secs(5));
    assert!(lan.sent.is_empty());
    assert_eq!((lan.activity(BY), lan.note(BY).as_str()), (Activity::Blocked, "no IPv6 on wlan0"));
}

#[test]
fn no_network_at_all_blocks_it_and_says_so() {
    let lan = Lan::only(BY, &[]);
    assert_eq!((lan.activity(BY), lan.note(BY).as_str()), (Activity::Blocked, "no network to search on"));
}

#[test]
fn an_answer_counts_for_less_than_a_second() {
    for (delay, counts) in [(999, true), (1_000, false), (1_500, false)] {
        let mut lan = Lan::only(BY, &[wifi()]);
        lan.exo_that_takes("[fe80::7%3]:52413", 7, millis(delay));
        lan.run(millis(2_700));
        assert_eq!(!lan.found.is_empty(), counts, "an answer after {delay} ms");
    }
}

#[test]
fn an_answer_with_another_nonce_is_not_one() {
    let mut lan = Lan::only(BY, &[wifi()]);
    let mut bytes = lan.sent[0].bytes.clone();
    bytes[3] = 1;
    bytes.truncate(12);
    bytes.extend([7; 16]);
    bytes.extend(52414_u16.to_le_bytes());
    for flip in 4..12 {
        let mut other = bytes.clone();
        other[flip] ^= 1;
        lan.give(Input::Datagram { from: place("[fe80::7%3]:52413"), bytes: &other });
    }
    assert!(lan.found.is_empty());
    lan.give(Input::Datagram { from: place("[fe80::7%3]:52413"), bytes: &bytes });
    assert_eq!(lan.found.len(), 1, "the same with the right nonce is one");
}

#[test]
fn an_answer_that_makes_no_sense_is_not_one() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.answer("[fe80::7%3]:52413", zid(7), 0);
    lan.answer("[fe80::7%3]:52413", zid(0), 52414);
    lan.answer("[fe80::7]:52413", zid(7), 52414);
    lan.answer("[::]:52413", zid(7), 52414);
    lan.answer("[ff02::1%3]:52413", zid(7), 52414);
    assert!(lan.found.is_empty(), "{:?}", lan.found);
}

#[test]
fn nothing_counts_while_the_search_rests() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.give(Input::Rest);
    lan.answer("[fe80::7%3]:52413", zid(7), 52414);
    lan.run(secs(30));
    assert!(lan.found.is_empty());
    assert_eq!(lan.sent.len(), 1);
    assert_eq!(lan.phone.deadline(), None);
    assert_eq!(lan.activity(BY), Activity::Off);
}

#[test]
fn a_missing_right_is_named_and_tried_again_seldom() {
    let mut lan = Lan::only(BY, &[wifi()]);
    let mut tries = Vec::new();
    for _ in 0..100 {
        if let Some(sent) = lan.sent.pop() {
            tries.push(sent.at);
            refuse(&mut lan, Obstacle::NotPermitted, "operation not permitted");
        }
        lan.run(millis(200));
    }
    assert_eq!(
        (lan.activity(BY), lan.note(BY).as_str()),
        (Activity::Blocked, "no multicast permission on wlan0")
    );
    assert_eq!(tries.len(), 4, "{tries:?}");
    lan.run(secs(12));
    assert_eq!(lan.activity(BY), Activity::Searching, "the right was given: {}", lan.note(BY));
}

#[test]
fn an_unreachable_network_is_tried_again_each_second() {
    let mut lan = Lan::only(BY, &[wifi()]);
    for _ in 0..10 {
        refuse(&mut lan, Obstacle::Unreachable, "no route to host");
        lan.run(secs(1));
    }
    assert_eq!(lan.sent.len(), 11);
    assert_eq!(lan.activity(BY), Activity::Blocked);
    assert!(lan.note(BY).contains("no route to host"), "{}", lan.note(BY));
    lan.run(secs(2));
    assert_eq!(lan.activity(BY), Activity::Searching, "{}", lan.note(BY));
}

fn refuse(lan: &mut Lan, obstacle: Obstacle, why: &str) {
    lan.give(Input::Refused { provider: BY, interface: Some(3), obstacle, why: why.to_owned() });
}

#[test]
fn a_new_interface_is_greeted_at_once_and_a_vanished_one_is_forgotten() {
    let second = interface("wlan1", 9, InterfaceKind::Wifi, &["fe80::9/64"]);
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.run(millis(2_600));
    lan.sent.clear();
    lan.give(Input::Interfaces(&[wifi(), second.clone()]));
    assert!(lan.sent.iter().any(|sent| scope(sent.to) == 9), "{:?}", lan.sent);
    lan.give(Input::Interfaces(&[second]));
    lan.sent.clear();
    lan.run(secs(3));
    assert_eq!(lan.sent.iter().map(|sent| scope(sent.to)).collect::<BTreeSet<_>>(), [9].into());
    assert!(!lan.note(BY).contains("wlan0"), "{}", lan.note(BY));
}

#[test]
fn an_interface_that_flaps_does_not_make_it_send_faster() {
    let mut lan = Lan::only(BY, &[]);
    for _ in 0..200 {
        lan.give(Input::Interfaces(&[wifi()]));
        lan.run(millis(5));
        lan.give(Input::Interfaces(&[]));
        lan.run(millis(5));
    }
    assert!(lan.busiest_second() <= 5, "{} in a second", lan.busiest_second());
}

#[test]
fn an_address_change_alone_does_not_restart_it() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.run(millis(500));
    let moved = interface("wlan0", 3, InterfaceKind::Wifi, &["192.168.1.21/24", "fe80::21/64"]);
    lan.give(Input::Interfaces(&[moved]));
    lan.run(secs(2));
    assert_eq!(lan.sent.len(), 3);
}

#[test]
fn after_a_long_sleep_one_hello_goes_out_not_thousands() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.sleep(secs(7_200));
    lan.give(Input::Tick);
    assert_eq!(lan.sent.len(), 2);
}
