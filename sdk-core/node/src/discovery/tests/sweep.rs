//! The unicast sweep and its budget.

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr},
};

use super::{super::*, lan::*};
use crate::{Interface, InterfaceKind};

const BY: Provider = Provider::Unicast;

fn on_wifi(addresses: &[&str]) -> Interface {
    interface("wlan0", 3, InterfaceKind::Wifi, addresses)
}

fn with_past_hosts(past: &[&str]) -> SearchConfig {
    let past_hosts = past.iter().map(|host| ip(host)).collect();
    SearchConfig { only: Some([BY].into()), past_hosts, ..SearchConfig::default() }
}

#[test]
fn the_budget_is_two_rounds_then_one_a_minute() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.run(secs(60));
    // 254 hosts but our own, twice.
    assert_eq!(lan.sent.len(), 2 * 253);
    lan.run(secs(3_600));
    let rounds = lan.sent.len() / 253;
    assert!((58..=62).contains(&rounds), "{rounds} rounds in an hour and a minute");
    assert!(lan.busiest_second() < 100, "{} datagrams in a second", lan.busiest_second());
}

#[test]
fn each_host_of_the_subnet_is_asked_once_a_round_and_no_other() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.run(secs(30));
    let asked: BTreeSet<IpAddr> = lan.sent.iter().map(|sent| sent.to.ip()).collect();
    let hosts = (1..=254).filter(|last| *last != 20);
    assert_eq!(asked, hosts.map(|last| IpAddr::V4(Ipv4Addr::new(192, 168, 1, last))).collect());
    assert!(lan.sent.iter().all(|sent| sent.to.port() == 52413));
    assert!(asked.iter().all(|host| lan.sent_to(*host) == 2));
}

#[test]
fn the_nearest_hosts_come_first_and_a_big_subnet_is_cut_short() {
    let mut lan = Lan::only(BY, &[on_wifi(&["10.20.30.40/8"])]);
    lan.run(secs(30));
    assert_eq!(lan.sent.len(), 2 * 254);
    let first: Vec<String> = lan.sent.iter().take(4).map(|sent| sent.to.ip().to_string()).collect();
    assert_eq!(first, ["10.20.30.41", "10.20.30.39", "10.20.30.42", "10.20.30.38"]);
    let ours = u32::from(Ipv4Addr::new(10, 20, 30, 40));
    for sent in &lan.sent {
        let IpAddr::V4(host) = sent.to.ip() else { panic!("{sent:?}") };
        assert!(u32::from(host).abs_diff(ours) <= 127, "{host} is far away");
    }
}

#[test]
fn an_address_at_the_edge_of_its_subnet_has_all_neighbours_on_one_side() {
    let mut lan = Lan::only(BY, &[on_wifi(&["172.16.0.1/29"])]);
    lan.run(secs(30));
    let asked: BTreeSet<String> = lan.sent.iter().map(|sent| sent.to.ip().to_string()).collect();
    let hosts = ["172.16.0.2", "172.16.0.3", "172.16.0.4", "172.16.0.5", "172.16.0.6"];
    assert_eq!(asked, hosts.map(str::to_owned).into());
}

#[test]
fn what_is_not_a_private_subnet_of_a_local_network_is_never_swept() {
    use InterfaceKind::{Cellular, Loopback, PointToPoint, Unknown, Wifi};
    for (kind, address, why) in [
        (Wifi, "8.8.8.8/24", "no private IPv4 subnet on x0"),
        (Wifi, "100.64.0.2/24", "no private IPv4 subnet on x0"),
        (Wifi, "172.32.0.2/24", "no private IPv4 subnet on x0"),
        (Wifi, "192.168.1.2/31", "no private IPv4 subnet on x0"),
        (Wifi, "192.168.1.2/32", "no private IPv4 subnet on x0"),
        (Wifi, "fe80::2/64", "no own IPv4 subnet on x0"),
        (Cellular, "10.0.0.2/24", "no network to search on"),
        (Loopback, "127.0.0.1/8", "no network to search on"),
        (PointToPoint, "10.8.0.2/24", "x0 is a point-to-point link, never swept"),
        (Unknown, "10.9.0.2/24", "x0 is no local network that we know, never swept"),
    ] {
        let mut lan = Lan::only(BY, &[interface("x0", 3, kind, &[address])]);
        lan.run(secs(120));
        assert_eq!(lan.sent.len(), 0, "{kind:?} {address} was swept");
        assert_eq!((lan.activity(BY), lan.note(BY).as_str()), (Activity::Blocked, why), "{kind:?} {address}");
    }
}

#[test]
fn an_absurd_netmask_does_not_lead_out_of_the_private_block() {
    let mut lan = Lan::only(
        BY,
        &[on_wifi(&["192.168.0.5/0"]), interface("e0", 4, InterfaceKind::Ethernet, &["10.0.0.3/1"])],
    );
    lan.run(secs(60));
    assert!(lan.sent.len() > 500);
    for sent in &lan.sent {
        let IpAddr::V4(host) = sent.to.ip() else { panic!("{sent:?}") };
        assert!(host.is_private(), "{host}");
    }
}

#[test]
fn an_exo_is_found_and_the_sweep_stops() {
    let mut lan = Lan::ready(BY, &[wifi()]).exo("192.168.1.60", 7).searching();
    lan.run(secs(5));
    let (at, found) = lan.found[0].clone();
    assert_eq!(found.locators[0].to_string(), "tcp/192.168.1.60:52414");
    assert_eq!(found.api, Some(place("192.168.1.60:52415")));
    assert_eq!(found.by, BY);
    let after = lan.sent.iter().filter(|sent| sent.at > at && sent.to.ip() != ip("192.168.1.60")).count();
    assert_eq!(after, 0, "{after} hosts were asked after the finding");
    lan.give(Input::Rest);
    lan.sent.clear();
    lan.run(secs(600));
    assert!(lan.sent.is_empty());
}

#[test]
fn the_sweep_goes_on_if_what_was_found_did_not_do() {
    let mut lan = Lan::ready(BY, &[wifi()]).exo("192.168.1.21", 7).searching();
    lan.run(millis(500));
    assert_eq!(lan.found.len(), 1);
    lan.sent.clear();
    lan.give(Input::Search);
    lan.run(millis(500));
    assert!(lan.sent.len() > 20, "{}", lan.sent.len());
}

#[test]
fn nobody_who_says_that_we_joined_is_as_good_as_nothing_found() {
    let mut lan = Lan::ready(BY, &[wifi()]).exo("192.168.1.21", 7).searching();
    lan.run(millis(500));
    assert_eq!(lan.found.len(), 1);
    lan.kill();
    lan.run(secs(120));
    assert!(lan.sent_to(ip("192.168.1.200")) >= 2);
}

#[test]
fn a_host_that_answers_each_second_cannot_keep_it_from_finding_another() {
    let config = SearchConfig { only: Some([BY, Provider::Multicast].into()), ..SearchConfig::default() };
    let mut lan = Lan::new(config).exo("[fe80::bad%3]:52413", 666).exo("192.168.1.200", 7);
    lan = lan.on(&[wifi()]).searching();
    lan.run(secs(30));
    assert!(lan.found.iter().any(|(_, found)| found.zid == Some(zid(7))));
}

#[test]
fn hosts_that_answer_do_not_push_out_those_that_the_app_remembers() {
    let mut lan = Lan::new(with_past_hosts(&["192.168.1.200"])).on(&[wifi()]).searching();
    for n in 30..90_u128 {
        lan.answer(&format!("192.168.1.{n}:52413"), zid(n), 52414);
        lan.run(millis(300));
    }
    lan.sent.clear();
    lan.run(millis(2_100));
    assert!(lan.sent_to(ip("192.168.1.200")) > 0);
}

#[test]
fn two_nonces_live_side_by_side_so_no_host_falls_between_them() {
    for last in 21..=254 {
        let host = format!("192.168.1.{last}");
        let mut lan = Lan::only(BY, &[wifi()]);
        lan.exo_that_takes(&host, 7, millis(400));
        lan.run(millis(3_400));
        assert!(!lan.found.is_empty(), "{host} answered in time and was not heard");
    }
}

#[test]
fn past_hosts_come_first_and_stay_in_mind() {
    let config = with_past_hosts(&["192.168.1.200", "192.168.1.150"]);
    let mut lan = Lan::new(config).on(&[wifi()]).searching();
    let first: Vec<IpAddr> = lan.sent.iter().take(2).map(|sent| sent.to.ip()).collect();
    assert_eq!(first, [ip("192.168.1.200"), ip("192.168.1.150")]);
    lan.run(secs(20));
    // Each two seconds, and once in each of the two rounds.
    assert_eq!(lan.sent_to(ip("192.168.1.150")), 11 + 2);
    assert!(lan.busiest_second() < 100);
}

#[test]
fn a_past_host_of_another_network_is_not_asked() {
    let past = ["10.1.1.1", "8.8.8.8", "fe80::1", "192.168.2.7", "127.0.0.1", "192.168.1.20"];
    let mut lan = Lan::new(with_past_hosts(&past)).on(&[wifi()]).searching();
    lan.run(secs(60));
    for host in past {
        assert_eq!(lan.sent_to(ip(host)), 0, "{host} was asked");
    }
}

#[test]
fn a_past_host_beyond_the_nearest_is_found_all_the_same() {
    let mut lan = Lan::new(with_past_hosts(&["10.99.0.1"])).exo("10.99.0.1", 7);
    lan = lan.on(&[on_wifi(&["10.20.30.40/8"])]).searching();
    lan.run(millis(10));
    assert_eq!(lan.found.len(), 1);
}

#[test]
fn a_cluster_that_comes_back_is_found_within_two_seconds() {
    let mut lan = Lan::ready(BY, &[wifi()]).exo("192.168.1.60", 7).searching();
    lan.run(secs(5));
    lan.give(Input::Rest);
    lan.run(secs(300));
    lan.kill();
    lan.give(Input::Search);
    lan.run(secs(47));
    lan.found.clear();
    let mut lan = lan.exo("192.168.1.60", 8);
    lan.run(millis(2_100));
    assert_eq!(lan.found.len(), 1);
}

#[test]
fn a_new_subnet_gets_a_budget_of_its_own() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.run(secs(30));
    lan.sent.clear();
    lan.give(Input::Interfaces(&[on_wifi(&["192.168.7.20/24"])]));
    lan.run(secs(30));
    assert_eq!(lan.sent.len(), 2 * 253);
    assert!(lan.sent.iter().all(|sent| sent.to.ip().to_string().starts_with("192.168.7.")));
    assert!(!lan.note(BY).contains("192.168.1."), "{}", lan.note(BY));
}

#[test]
fn a_new_address_in_the_same_subnet_does_not() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.run(secs(30));
    lan.sent.clear();
    lan.give(Input::Interfaces(&[on_wifi(&["192.168.1.99/24"])]));
    lan.run(secs(20));
    assert!(lan.sent.is_empty());
}

#[test]
fn a_network_that_flaps_does_not_earn_a_budget_each_time() {
    let mut lan = Lan::only(BY, &[]);
    for _ in 0..300 {
        lan.give(Input::Interfaces(&[wifi()]));
        lan.run(millis(100));
        lan.give(Input::Interfaces(&[]));
        lan.run(millis(100));
    }
    // One minute: at most two budgets, and the round that each minute has.
    assert!(lan.sent.len() <= 5 * 253, "{}", lan.sent.len());
}

#[test]
fn searching_again_and_again_earns_no_new_budget() {
    let mut lan = Lan::only(BY, &[wifi()]);
    for _ in 0..200 {
        lan.give(Input::Rest);
        lan.give(Input::Search);
        lan.run(millis(300));
    }
    assert!(lan.sent.len() <= 3 * 253, "{}", lan.sent.len());
    assert!(lan.busiest_second() < 100);
}

#[test]
fn several_subnets_share_the_rate_and_a_host_with_many_is_cut_short() {
    let networks: Vec<Interface> = (0..9)
        .map(|n| interface(&format!("eth{n}"), n + 1, InterfaceKind::Ethernet, &[&format!("10.0.{n}.5/24")]))
        .collect();
    let mut lan = Lan::only(BY, &networks);
    lan.run(secs(50));
    assert_eq!(lan.sent.len(), 4 * 2 * 253);
    assert!(lan.busiest_second() < 100);
    assert!(lan.note(BY).contains("5 more subnets, not swept"), "{}", lan.note(BY));
}

#[test]
fn a_late_clock_does_not_lead_to_a_burst() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.sleep(secs(600));
    lan.give(Input::Tick);
    lan.give(Input::Tick);
    lan.run(secs(10));
    assert!(lan.busiest_second() < 100, "{}", lan.busiest_second());
}

#[test]
fn a_host_that_cannot_be_reached_is_nothing_to_tell_but_all_of_them_is() {
    let mut lan = Lan::only(BY, &[wifi()]);
    let refuse = |lan: &mut Lan, obstacle| {
        let why = "no route to host".to_owned();
        lan.give(Input::Refused { provider: BY, interface: None, obstacle, why });
    };
    refuse(&mut lan, Obstacle::Unreachable);
    assert_eq!(lan.activity(BY), Activity::Searching);
    for _ in 0..8 {
        refuse(&mut lan, Obstacle::Unreachable);
    }
    assert_eq!(lan.activity(BY), Activity::Blocked);
    assert!(lan.note(BY).starts_with("no host can be reached (no route to host"), "{}", lan.note(BY));
    refuse(&mut lan, Obstacle::NotPermitted);
    assert_eq!(lan.note(BY), "no local network permission (no route to host)");
    lan.run(secs(1));
    assert_eq!(lan.activity(BY), Activity::Searching, "it works again");
}

#[test]
fn the_note_tells_how_far_it_came() {
    let mut lan = Lan::only(BY, &[wifi()]);
    lan.run(millis(1_050));
    assert_eq!(lan.note(BY), "99 of 253 hosts of 192.168.1.0/24 on wlan0 asked, nobody answered");
    lan.run(secs(20));
    let done = "253 hosts of 192.168.1.0/24 on wlan0 asked 2 times, nobody answered; again each minute";
    assert_eq!(lan.note(BY), done);
}
