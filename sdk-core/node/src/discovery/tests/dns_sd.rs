//! Announcements, and what is made of them.

use exo_wire::Namespace;

use super::{super::*, lan::*};
use crate::InterfaceKind;

const BY: Provider = Provider::DnsSd;

fn announced(txt: &[(&str, &str)], addresses: &[&str]) -> Service {
    Service {
        name: "exo-mobile-1._exo._tcp.local.".to_owned(),
        addresses: addresses.iter().map(|address| ip(address)).collect(),
        interface: Some(3),
        port: 9,
        txt: txt.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
    }
}

/// A phone at .30 that is attached to what `via` names.
fn phone_attached_to(via: &str) -> Service {
    let txt = [("v", "1"), ("ns", "6e2bf1dad2aa1268"), ("role", "client"), ("via", via)];
    announced(&txt, &["192.168.1.30"])
}

#[test]
fn it_browses_while_it_searches() {
    let mut lan = Lan::only(BY, &[wifi()]);
    assert_eq!(lan.note(BY), "no _exo._tcp service seen");
    lan.give(Input::Rest);
    lan.give(Input::Search);
    lan.give(Input::Search);
    assert_eq!(lan.browsing, [true, false, true]);
}

#[test]
fn the_exo_that_a_client_is_attached_to_is_asked_and_then_found_but_never_the_client() {
    let mut lan = Lan::only(BY, &[wifi()]).exo("192.168.1.60", 7).exo("192.168.1.30", 3);
    lan.give(Input::Service(phone_attached_to("tcp/192.168.1.60:52414")));
    assert!(lan.found.is_empty(), "nothing is found before it answered");
    lan.run(secs(30));
    let (at, found) = &lan.found[0];
    assert_eq!((*at, found.by, found.zid), (millis(3), BY, Some(zid(7))));
    assert_eq!(found.locators[0].to_string(), "tcp/192.168.1.60:52414");
    assert_eq!(lan.sent_to(ip("192.168.1.30")), 0);
}

#[test]
fn what_is_announced_but_does_not_answer_is_not_found() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.give(Input::Service(phone_attached_to("tcp/192.168.1.60:52414")));
    lan.run(secs(60));
    assert!(lan.found.is_empty());
    assert_eq!(lan.note(BY), "1 _exo._tcp announcements; 1 hosts asked, nobody answered");
    assert!((3..=9).contains(&lan.sent.len()), "{} Hellos in a minute", lan.sent.len());
}

#[test]
fn an_answer_has_to_be_for_our_namespace() {
    let mut lan = Lan::only(BY, &[wifi()]).exo("192.168.1.60", 7);
    let txt = [("v", "1"), ("ns", "0123456789abcdef"), ("role", "client"), ("via", "tcp/192.168.1.60:52414")];
    lan.give(Input::Service(announced(&txt, &[])));
    lan.run(secs(20));
    assert!(lan.sent.is_empty());
    assert_eq!(lan.note(BY), "1 _exo._tcp announcements, 1 of other namespaces");
}

#[test]
fn a_router_is_asked_itself_at_the_port_that_it_names() {
    let mut lan = Lan::only(BY, &[wifi()]).exo("192.168.1.40:52423", 4);
    let txt = [("v", "1"), ("ns", "6e2bf1dad2aa1268"), ("role", "router"), ("hello", "52423")];
    lan.give(Input::Service(announced(&txt, &["192.168.1.40"])));
    lan.run(secs(1));
    assert_eq!(lan.found[0].1.locators[0].to_string(), "tcp/192.168.1.40:52414");
}

#[test]
fn an_exo_that_a_person_announced_by_hand_is_asked_too() {
    let mut lan = Lan::only(BY, &[wifi()]).exo("192.168.1.60", 7);
    lan.give(Input::Service(announced(&[], &["192.168.1.60"])));
    lan.run(secs(1));
    assert_eq!(lan.found.len(), 1);
}

#[test]
fn a_link_local_address_is_asked_on_the_interface_where_it_was_announced() {
    let mut lan = Lan::only(BY, &[wifi(), interface("eth0", 2, InterfaceKind::Ethernet, &["fe80::2/64"])]);
    lan = lan.exo("[fe80::7%3]:52413", 7);
    lan.give(Input::Service(phone_attached_to("tcp/[fe80::7]:52414")));
    lan.run(secs(1));
    assert_eq!(lan.found[0].1.locators[0].to_string(), "tcp/[fe80::7%3]:52414");
}

#[test]
fn nobody_can_make_us_send_out_of_our_own_subnets() {
    let far = [
        "tcp/8.8.8.8:52414",
        "tcp/10.0.0.1:52414",
        "tcp/192.168.2.1:52414",
        "tcp/127.0.0.1:52414",
        "tcp/[::1]:52414",
        "tcp/[::ffff:127.0.0.1]:52414",
        "tcp/[::ffff:8.8.8.8]:52414",
        "tcp/0.0.0.0:52414",
        "tcp/224.0.0.1:52414",
        "tcp/[ff02::1]:52414",
        "tcp/[2001:db8::1]:52414",
    ];
    let mut lan = Lan::only(BY, &[wifi()]);
    for via in far {
        lan.give(Input::Service(phone_attached_to(via)));
    }
    let addresses = ["8.8.8.8", "127.0.0.1", "::1", "ff02::1", "10.0.0.1", "::ffff:10.0.0.1"];
    lan.give(Input::Service(announced(&[], &addresses)));
    lan.run(secs(30));
    assert!(lan.sent.is_empty(), "{:?}", lan.sent);
}

#[test]
fn an_unscoped_address_from_an_interface_that_we_may_not_search_is_not_asked() {
    let mut lan = Lan::only(BY, &[wifi()]);
    let mut service = phone_attached_to("tcp/[fe80::7]:52414");
    service.interface = Some(99);
    lan.give(Input::Service(service));
    lan.run(secs(5));
    assert!(lan.sent.is_empty());
}

#[test]
fn a_flood_of_announcements_makes_no_flood_of_hellos() {
    let mut lan = Lan::only(BY, &[wifi()]);
    for n in 0..100_000_u32 {
        let [.., low] = n.to_be_bytes();
        lan.give(Input::Service(phone_attached_to(&format!("tcp/192.168.1.{low}:52414"))));
        if n.is_multiple_of(100) {
            lan.run(millis(10));
        }
    }
    assert!(lan.busiest_second() <= 44, "{} in a second", lan.busiest_second());
    assert!(lan.sent.len() <= 420, "{} in ten seconds", lan.sent.len());
}

#[test]
fn an_honest_announcement_gets_its_turn_in_a_flood() {
    let mut lan = Lan::only(BY, &[wifi()]).exo("192.168.1.200", 7);
    for second in 0..10_u32 {
        for n in 0..50 {
            lan.give(Input::Service(phone_attached_to(&format!(
                "tcp/192.168.1.{}:52414",
                30 + (second * 50 + n) % 160
            ))));
        }
        lan.give(Input::Service(phone_attached_to("tcp/192.168.1.200:52414")));
        lan.run(secs(1));
    }
    assert!(!lan.found.is_empty());
}

#[test]
fn candidates_of_a_network_that_went_away_are_forgotten() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.give(Input::Service(phone_attached_to("tcp/192.168.1.60:52414")));
    lan.give(Input::Interfaces(&[interface("wlan0", 3, InterfaceKind::Wifi, &["10.0.0.5/24"])]));
    lan.sent.clear();
    lan.run(secs(30));
    assert!(lan.sent.is_empty());
}

#[test]
fn a_daemon_that_is_not_there_is_told() {
    let mut lan = Lan::only(BY, &[wifi()]);
    let why = "DNS-SD is not permitted: denied by the user".to_owned();
    lan.give(Input::Refused {
        provider: BY,
        interface: None,
        obstacle: Obstacle::NotPermitted,
        why: why.clone(),
    });
    assert_eq!((lan.activity(BY), lan.note(BY)), (Activity::Blocked, why));
}

#[test]
fn what_a_member_advertises_leads_others_to_its_exo() {
    let via = [Locator::new(place("[fe80::7%12]:52414")), Locator::new(place("192.168.1.60:52414"))];
    let ours = Advertisement::of_member(0xabcd, Namespace::named("0.3.70"), &via).unwrap();
    assert_eq!(ours.name, "exo-mobile-0000abcd");
    let via = ours.txt.iter().find(|(key, _)| key == "via").unwrap();
    assert_eq!(via.1, "tcp/[fe80::7]:52414,tcp/192.168.1.60:52414", "our scope means nothing to others");
    let mut lan = Lan::only(BY, &[wifi()]).exo("192.168.1.60", 7);
    let service = Service {
        name: ours.name,
        addresses: vec![ip("192.168.1.30")],
        interface: Some(3),
        port: ours.port,
        txt: ours.txt,
    };
    lan.give(Input::Service(service));
    lan.run(secs(1));
    assert_eq!(lan.found.len(), 1);
    assert_eq!(lan.sent_to(ip("192.168.1.30")), 0);
}

#[test]
fn a_member_on_loopback_has_nothing_to_advertise() {
    let namespace = Namespace::named("0.3.70");
    for via in ["127.0.0.1:52414", "[::1]:52414"] {
        assert_eq!(Advertisement::of_member(1, namespace, &[Locator::new(place(via))]), None);
    }
    assert_eq!(Advertisement::of_member(1, namespace, &[]), None);
}
