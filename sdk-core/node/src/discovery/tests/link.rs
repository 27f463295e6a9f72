//! Links: what can be written, what cannot, and what is done with them.

use super::{super::*, lan::*};
use crate::{InterfaceKind, Random};

const BY: Provider = Provider::Link;

#[test]
fn links_are_read_as_they_are_meant() {
    for (text, host, port, namespace, api) in [
        ("exo://192.168.1.7", "192.168.1.7", 52414, None, 52415),
        ("192.168.1.7", "192.168.1.7", 52414, None, 52415),
        ("192.168.1.7:7447", "192.168.1.7", 7447, None, 52415),
        ("mac.local", "mac.local", 52414, None, 52415),
        ("  Mac.Local.:1 ", "mac.local", 1, None, 52415),
        ("EXO://mac", "mac", 52414, None, 52415),
        ("exo://mac/", "mac", 52414, None, 52415),
        ("exo://mac?ns=lab", "mac", 52414, Some("lab"), 52415),
        ("exo://mac/?ns=lab", "mac", 52414, Some("lab"), 52415),
        ("exo://mac?api=80", "mac", 52414, None, 80),
        ("exo://mac:65535?ns=a%20b%26c%3Dd&api=1", "mac", 65535, Some("a b&c=d"), 1),
        ("exo://mac?ns=b%C3%BCro+1", "mac", 52414, Some("büro+1"), 52415),
        ("exo://mac?ns=büro", "mac", 52414, Some("büro"), 52415),
        ("exo://[fd00::7]:9", "[fd00::7]", 9, None, 52415),
        ("[fe80::7%wlan0]", "[fe80::7%25wlan0]", 52414, None, 52415),
        ("exo://[fe80::7%253]?ns=x", "[fe80::7%253]", 52414, Some("x"), 52415),
        ("exo://[fe80::7%25]", "[fe80::7%2525]", 52414, None, 52415),
        ("exo://[::ffff:192.168.1.7]", "192.168.1.7", 52414, None, 52415),
        ("exo://127.0.0.1", "127.0.0.1", 52414, None, 52415),
        ("exo://mac?", "mac", 52414, None, 52415),
    ] {
        let unconfirmed = Link::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let link = unconfirmed.confirm();
        assert_eq!(link.host().to_string(), host, "{text}");
        assert_eq!((link.port(), link.namespace(), link.api()), (port, namespace, api), "{text}");
        assert_eq!(Link::parse(&link.to_string()).unwrap().confirm(), link, "{text} is shown as {link}");
    }
}

#[test]
fn a_bad_link_gets_an_error_that_says_what_to_write() {
    for (text, says) in [
        ("", "write exo://HOST"),
        ("exo://", "write exo://HOST"),
        ("exo://:52414", "write exo://HOST"),
        ("exo://?ns=lab", "write exo://HOST"),
        ("http://mac", "write exo://HOST instead of http://HOST"),
        ("fe80::1", "write it in brackets, exo://[fe80::1]"),
        ("exo://fd00::7:52414", "write it in brackets"),
        ("exo://[192.168.1.7]", "write exo://[fe80::1%INTERFACE] or exo://192.168.1.7"),
        ("exo://[fe80::1", "is not an IPv6 address"),
        ("exo://[fe80::1%]", "is not an IPv6 address"),
        ("exo://[fe80::1%a/b]", "does not belong"),
        ("exo://[fe80::1]x", "does not belong"),
        ("exo://192.168.1.300", "write an address such as 192.168.1.7"),
        ("exo://192.168.1", "write an address such as 192.168.1.7"),
        ("exo://1234", "write an address such as 192.168.1.7"),
        ("exo://-mac", "is not a host"),
        ("exo://mac..local", "is not a host"),
        ("exo://my mac", "is not a host"),
        ("exo://bücher.local", "is not a host"),
        ("exo://0.0.0.0", "is not the address of one host"),
        ("exo://255.255.255.255", "is not the address of one host"),
        ("exo://224.0.0.1", "is not the address of one host"),
        ("exo://[::]", "is not the address of one host"),
        ("exo://[ff02::1]", "is not the address of one host"),
        ("exo://mac:0", "write a number from 1 to 65535"),
        ("exo://mac:65536", "write a number from 1 to 65535"),
        ("exo://mac:+80", "write a number from 1 to 65535"),
        ("exo://mac:", "write a number from 1 to 65535"),
        ("exo://mac:80a", "write a number from 1 to 65535"),
        ("exo://mac?api=", "write a number from 1 to 65535"),
        ("exo://user@mac", "does not belong in a link to exo"),
        ("exo://mac/path", "does not belong in a link to exo"),
        ("exo://mac#top", "does not belong in a link to exo"),
        ("exo://mac?name=x", "write ns=NAME or api=PORT"),
        ("exo://mac?ns=a&ns=b", "write it once"),
        ("exo://mac?ns=", "write ns=NAME"),
        ("exo://mac?ns=%", "write ns=NAME"),
        ("exo://mac?ns=%zz", "write ns=NAME"),
        ("exo://mac?ns=%ff", "write ns=NAME"),
        ("exo://mac?ns=%00", "write ns=NAME"),
        ("exo://mac?ns=a%0Ab", "write ns=NAME"),
    ] {
        let error = Link::parse(text).expect_err(text).to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
    let long = format!("exo://{}", "a".repeat(600));
    assert!(Link::parse(&long).unwrap_err().to_string().contains("longer than"));
}

#[test]
fn no_text_whatever_breaks_the_parser_and_what_it_takes_it_can_show() {
    let seed = 0x11c;
    println!("seed {seed:#x}");
    let mut random = Random::seeded(seed);
    let pieces = [
        "exo",
        "://",
        "mac",
        ".",
        ":",
        "52414",
        "?",
        "ns",
        "=",
        "&",
        "api",
        "%",
        "25",
        "[",
        "]",
        "fe80::1",
        "@",
        "/",
        "#",
        " ",
        "é",
        "\u{0}",
        "\u{1b}[2J",
        "%F0%9F",
        "192.168.1.7",
        "0",
        "-",
        "\u{202e}",
        "99999999999999999999",
    ];
    let mut taken = 0;
    for _ in 0..50_000 {
        let text: String =
            (0..random.below(9)).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        match Link::parse(&text) {
            Ok(link) => {
                taken += 1;
                let shown = link.to_string();
                assert_eq!(Link::parse(&shown).unwrap(), link, "{text:?} is shown as {shown:?}");
                assert!(shown.bytes().all(|byte| byte.is_ascii_graphic()), "{shown:?}");
            }
            Err(error) => assert!(!error.to_string().chars().any(char::is_control), "{text:?}"),
        }
    }
    assert!(taken > 100, "{taken} links among them");
}

fn with_link(text: &str) -> Lan {
    let link = Some(Link::parse(text).unwrap().confirm());
    Lan::new(SearchConfig { only: Some([BY].into()), link, ..SearchConfig::default() })
        .on(&[wifi()])
        .searching()
}

fn places(lan: &Lan) -> Vec<String> {
    let (_, found) = lan.found.last().expect("nothing was found");
    found.locators.iter().map(ToString::to_string).collect()
}

#[test]
fn a_confirmed_address_is_told_at_once_and_asked_who_it_is() {
    let mut lan = with_link("exo://203.0.113.5:7447?api=8080");
    let (_, found) = lan.found[0].clone();
    assert_eq!((found.by, found.zid, found.api), (BY, None, Some(place("203.0.113.5:8080"))));
    assert_eq!(places(&lan), ["tcp/203.0.113.5:7447"]);
    assert_eq!(lan.sent[0].to, place("203.0.113.5:52413"));
    lan.answer("203.0.113.5:52413", zid(7), 7447);
    assert_eq!(lan.found[1].1.zid, Some(zid(7)));
    assert_eq!(lan.found[1].1.api, Some(place("203.0.113.5:8080")));
    assert_eq!(lan.activity(BY), Activity::Found);
}

#[test]
fn an_address_that_does_not_answer_is_told_again_now_and_then() {
    let mut lan = with_link("203.0.113.5");
    for _ in 0..60 {
        lan.run(millis(500));
        lan.give(Input::Search);
    }
    assert!((10..=16).contains(&lan.found.len()), "told {} times in 30 s", lan.found.len());
    assert_eq!(lan.note(BY), "203.0.113.5 did not answer a Hello, dialled all the same");
}

#[test]
fn a_name_is_looked_up_first_and_again_if_that_fails() {
    let mut lan = with_link("exo://mac.local");
    assert_eq!(
        (lan.lookups.as_slice(), lan.found.len(), lan.sent.len()),
        (&["mac.local".to_owned()][..], 0, 0)
    );
    assert_eq!(lan.note(BY), "looking up mac.local");
    lan.give(Input::Resolved { host: "mac.local", addresses: Err("no such host".to_owned()) });
    assert_eq!(
        (lan.activity(BY), lan.note(BY).as_str()),
        (Activity::Blocked, "mac.local could not be resolved: no such host")
    );
    lan.run(secs(21));
    assert_eq!(lan.lookups.len(), 5);
    lan.give(Input::Resolved { host: "other.local", addresses: Ok(&[ip("192.168.1.9")]) });
    assert!(lan.found.is_empty());
    let addresses = [ip("192.168.1.7"), ip("0.0.0.0"), ip("fd00::7")];
    lan.give(Input::Resolved { host: "mac.local", addresses: Ok(&addresses) });
    assert_eq!(places(&lan), ["tcp/192.168.1.7:52414", "tcp/[fd00::7]:52414"]);
}

#[test]
fn a_scope_is_a_number_or_the_name_of_an_interface() {
    assert_eq!(places(&with_link("[fe80::7%9]")), ["tcp/[fe80::7%9]:52414"]);
    assert_eq!(places(&with_link("[fe80::7%wlan0]")), ["tcp/[fe80::7%3]:52414"]);
    let mut lan = with_link("[fe80::7%eth9]");
    assert!(lan.found.is_empty());
    assert_eq!(lan.activity(BY), Activity::Blocked);
    lan.give(Input::Interfaces(&[interface("eth9", 12, InterfaceKind::Ethernet, &["fe80::1/64"])]));
    lan.run(secs(1));
    assert_eq!(places(&lan), ["tcp/[fe80::7%12]:52414"]);
}

#[test]
fn without_a_link_this_way_is_off() {
    let lan = Lan::only(BY, &[wifi()]);
    assert_eq!((lan.activity(BY), lan.note(BY).as_str()), (Activity::Off, "no link was given"));
}
