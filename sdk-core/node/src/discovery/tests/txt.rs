//! TXT records, honest and not.

use exo_wire::Namespace;

use super::{super::*, lan::*};
use crate::Random;

fn record(entries: &[(&str, &str)]) -> Option<Txt> {
    let owned: Vec<(String, String)> =
        entries.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    Txt::parse(&owned)
}

#[test]
fn a_record_is_read_as_it_is_meant() {
    let txt = record(&[
        ("v", "1"),
        ("ns", "6E2BF1DAD2AA1268"),
        ("role", "client"),
        ("via", "tcp/192.168.1.7:52414,tcp/[fe80::7]:52414"),
        ("colour", "blue"),
    ])
    .unwrap();
    assert_eq!(txt.namespace.as_deref(), Some("6e2bf1dad2aa1268"));
    assert_eq!(txt.role, Role::Client);
    assert_eq!(txt.via, [place("192.168.1.7:52414"), place("[fe80::7]:52414")]);
}

#[test]
fn what_is_of_another_version_or_makes_no_sense_is_not_read() {
    for entries in [
        [("v", "2")],
        [("v", "")],
        [("ns", "6e2bf1dad2aa126")],
        [("ns", "6e2bf1dad2aa126g")],
        [("ns", "")],
        [("role", "master")],
        [("role", "")],
    ] {
        assert_eq!(record(&entries), None, "{entries:?}");
    }
}

#[test]
fn places_that_cannot_be_dialled_are_left_out() {
    for via in [
        "",
        ",,,",
        "192.168.1.7:52414",
        "tcp/192.168.1.7",
        "tcp/192.168.1.7:0",
        "tcp/192.168.1.7:99999",
        "udp/192.168.1.7:52414",
        "tcp/mac.local:52414",
        "tcp/0.0.0.0:52414",
        "tcp/127.0.0.1:52414",
        "tcp/239.1.1.1:52414",
        "tcp/[::]:52414",
    ] {
        assert_eq!(record(&[("via", via)]).unwrap().via, [], "{via:?}");
    }
}

#[test]
fn a_record_is_read_no_further_than_its_bounds() {
    let many = ["tcp/192.168.1.7:52414"; 10].join(",");
    assert_eq!(record(&[("via", &many)]).unwrap().via.len(), 4);
    let long = format!("tcp/192.168.1.7:52414,{}", "x".repeat(300));
    assert_eq!(record(&[("via", &long)]).unwrap().via, []);
    let mut late = vec![("x", "y"); 16];
    late.push(("role", "client"));
    assert_eq!(record(&late).unwrap().role, Role::Router);
}

#[test]
fn what_we_write_fits_dns_and_reads_back() {
    let namespace = Namespace::named("0.3.70");
    let far = "[fe80:1111:2222:3333:4444:5555:6666:7777%4000000000]:52414";
    let via: Vec<Locator> = (0..9).map(|_| Locator::new(place(far))).collect();
    let ours = Advertisement::of_member(1, namespace, &via).unwrap();
    assert!(ours.txt.iter().all(|(key, value)| key.len() + 1 + value.len() <= 255));
    let read = Txt::parse(&ours.txt).unwrap();
    assert_eq!((read.role, read.namespace), (Role::Client, Some(namespace.to_string())));
    assert_eq!(read.via.len(), 4);
    let founder = Txt::parse(&Advertisement::of_founder(1, namespace, 7447, 52423).txt).unwrap();
    assert_eq!((founder.role, founder.hello), (Role::Router, Some(52423)));
}

#[test]
fn no_record_whatever_makes_the_search_fail() {
    let seed = 0x7e47;
    println!("seed {seed:#x}");
    let mut random = Random::seeded(seed);
    let keys = ["v", "ns", "role", "via", "hello", "", "=", "\0", "VIA"];
    let pieces = [
        "1",
        "client",
        "router",
        "tcp/",
        "192.168.1.7",
        ":",
        "52414",
        ",",
        "[",
        "]",
        "%",
        "fe80::1",
        "\u{0}",
        "é",
        "-1",
    ];
    let mut lan = Lan::only(Provider::DnsSd, &[wifi()]);
    for _ in 0..20_000 {
        let mut entry = || {
            let key = keys[random.below(keys.len() as u64) as usize].to_owned();
            let value =
                (0..random.below(12)).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
            (key, value)
        };
        let txt = (0..6).map(|_| entry()).collect();
        let service = Service {
            name: String::new(),
            addresses: vec![ip("192.168.1.9")],
            interface: None,
            port: 0,
            txt,
        };
        lan.give(Input::Service(service));
        lan.now += millis(1);
    }
    assert!(lan.busiest_second() <= 44);
}
