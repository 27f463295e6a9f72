//! What a search is confined to, it does not leave.

use std::collections::BTreeSet;

use super::{super::*, lan::*};
use crate::{Interface, InterfaceKind};

fn everywhere() -> Vec<Interface> {
    use InterfaceKind::{Cellular, Ethernet, Loopback, PointToPoint};
    vec![
        wifi(),
        interface("lo", 1, Loopback, &["127.0.0.1/8", "::1/128"]),
        interface("eth0", 2, Ethernet, &["10.0.0.2/24", "fe80::2/64"]),
        interface("rmnet0", 4, Cellular, &["10.64.0.2/24", "fe80::4/64"]),
        interface("wg0", 5, PointToPoint, &["10.8.0.2/24", "fe80::5/64"]),
    ]
}

fn confined(on: Option<&str>, only: Option<&[Provider]>) -> Lan {
    let config = SearchConfig {
        on: on.map(str::to_owned),
        only: only.map(|only| only.iter().copied().collect()),
        link: Some(Link::parse("exo://10.0.0.9").unwrap().confirm()),
        ..SearchConfig::default()
    };
    let mut lan = Lan::new(config).on(&everywhere()).searching();
    lan.give(Input::Service(Service {
        name: "x".to_owned(),
        addresses: vec![ip("10.0.0.77"), ip("192.168.1.77"), ip("10.64.0.77"), ip("10.8.0.77")],
        interface: None,
        port: 52414,
        txt: Vec::new(),
    }));
    lan.run(secs(20));
    lan
}

fn ways(lan: &Lan) -> BTreeSet<Provider> {
    lan.sent.iter().map(|sent| sent.by).collect()
}

#[test]
fn free_it_uses_every_way_at_once() {
    let lan = confined(None, None);
    assert_eq!(ways(&lan), Provider::ALL.into());
    assert_eq!(lan.browsing, [true]);
}

#[test]
fn confined_to_loopback_nothing_goes_to_any_other_address() {
    let lan = confined(None, Some(&[Provider::Loopback]));
    assert!(!lan.sent.is_empty());
    for sent in &lan.sent {
        assert!(sent.to.ip().is_loopback(), "{sent:?}");
    }
    assert!(lan.browsing.is_empty() && lan.lookups.is_empty() && lan.found.is_empty());
    for status in lan.phone.statuses() {
        let wanted = if status.provider == Provider::Loopback { Activity::Searching } else { Activity::Off };
        assert_eq!(status.activity, wanted, "{status:?}");
    }
    let config = SearchConfig { only: Some([Provider::Loopback].into()), ..SearchConfig::default() };
    assert!(config.is_confined_to_loopback());
    assert!(!SearchConfig::default().is_confined_to_loopback());
}

#[test]
fn an_exo_on_this_very_device_is_found() {
    for host in ["127.0.0.1:52413", "[::1]:52413"] {
        let mut lan = Lan::ready(Provider::Loopback, &[]).exo(host, 7).searching();
        lan.run(millis(50));
        assert_eq!(lan.found.len(), 1, "{host}");
        assert_eq!(lan.found[0].1.by, Provider::Loopback);
    }
}

#[test]
fn each_way_can_be_used_alone() {
    for provider in Provider::ALL {
        let lan = confined(None, Some(&[provider]));
        assert_eq!(ways(&lan), [provider].into());
        assert_eq!(lan.browsing.is_empty(), provider != Provider::DnsSd);
    }
}

#[test]
fn confined_to_an_interface_no_other_is_searched() {
    let lan = confined(Some("eth0"), None);
    assert_eq!(ways(&lan), [Provider::Multicast, Provider::Unicast, Provider::DnsSd, Provider::Link].into());
    for sent in &lan.sent {
        let text = sent.to.to_string();
        assert!(text.starts_with("10.0.0.") || text.contains("%2]"), "{sent:?}");
    }
}

#[test]
fn an_interface_that_costs_money_or_is_a_tunnel_is_not_searched_even_by_name() {
    for name in ["rmnet0", "wg0"] {
        let lan = confined(Some(name), None);
        assert_eq!(ways(&lan), [Provider::Link].into(), "{name}");
    }
}

#[test]
fn no_cellular_tunnel_or_public_address_is_ever_asked() {
    let lan = confined(None, None);
    for sent in lan.sent.iter().filter(|sent| sent.by != Provider::Link) {
        let text = sent.to.to_string();
        let allowed =
            ["192.168.1.", "10.0.0.", "127.0.0.1:", "[::1]:"].iter().any(|begin| text.starts_with(begin));
        assert!(allowed || text.contains("%2]") || text.contains("%3]"), "{sent:?}");
    }
}

#[test]
fn another_namespace_is_another_cluster() {
    let config =
        |namespace: &str| SearchConfig { namespace: namespace.to_owned(), ..SearchConfig::default() };
    let mut lan = Lan::new(config("lab")).exo("[fe80::7%3]:52413", 7).on(&[wifi()]).searching();
    lan.run(secs(3));
    assert!(lan.found.is_empty(), "it answers for 0.3.70 alone");
    let link = Link::parse("exo://10.0.0.9?ns=0.3.70").unwrap().confirm();
    let mut lan = Lan::new(SearchConfig { link: Some(link), ..config("lab") });
    lan = lan.exo("[fe80::7%3]:52413", 7).on(&[wifi()]).searching();
    lan.run(secs(1));
    let by_multicast = lan.found.iter().any(|(_, found)| found.by == Provider::Multicast);
    assert!(by_multicast, "the namespace of a link is what all ways search for");
}

#[test]
fn the_names_of_the_ways_are_those_of_the_command_line() {
    for name in ["loopback", "link", "dns-sd", "unicast", "multicast"] {
        assert_eq!(name.parse::<Provider>().unwrap().to_string(), name);
    }
    let error = "broadcast".parse::<Provider>().unwrap_err().to_string();
    assert!(error.contains("write one of loopback, link, dns-sd, unicast, multicast"), "{error}");
}
