//! Datagrams of real exo nodes.

use std::{fs, path::Path};

use exo_wire::{
    Namespace,
    datagram::{DEFAULT_NAMESPACE, Datagram},
};

use super::{super::*, lan::*};
use crate::InterfaceKind;

struct Captured {
    from: String,
    bytes: Vec<u8>,
    decoded: serde_json::Value,
}

fn captured() -> Vec<Captured> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/exo/captured_discovery.jsonl");
    let lines = fs::read_to_string(file).unwrap();
    let read = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let hex = value["hex"].as_str().unwrap();
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        Captured {
            from: value["src"].as_str().unwrap().to_owned(),
            bytes: (0..hex.len()).step_by(2).map(byte).collect(),
            decoded: value["decoded"].clone(),
        }
    };
    lines.lines().map(read).collect()
}

#[test]
fn every_captured_datagram_reads_as_it_was_decoded_and_writes_back_the_same() {
    let (mut hellos, mut answers) = (0, 0);
    for Captured { bytes, decoded, .. } in captured() {
        let datagram = Datagram::parse(&bytes).expect("exo sent it");
        match datagram {
            Datagram::Hello { namespace, .. } => {
                hellos += 1;
                assert_eq!(decoded["kind"], "Hello");
                assert_eq!(namespace, Namespace::named(DEFAULT_NAMESPACE));
            }
            Datagram::WhatsUp { zid, port, .. } => {
                answers += 1;
                assert_eq!(decoded["kind"], "WhatsUp");
                assert_eq!(decoded["port"], port);
                assert_eq!(decoded["zid"], zid.node_id().unwrap().as_str());
            }
        }
        assert_eq!(datagram.to_bytes(), bytes);
    }
    assert!(hellos > 0 && answers > 0);
}

#[test]
fn a_captured_answer_counts_once_it_carries_our_nonce() {
    let interface = interface("eth0", 2, InterfaceKind::Ethernet, &["fe80::1/64"]);
    for Captured { from, mut bytes, decoded } in captured() {
        if decoded["kind"] != "WhatsUp" {
            continue;
        }
        let mut lan = Lan::only(Provider::Multicast, std::slice::from_ref(&interface));
        let from = place(&from.replace("]:", "%2]:"));
        lan.give(Input::Datagram { from, bytes: &bytes });
        assert!(lan.found.is_empty(), "an answer to somebody else");
        let (nonce, _) = lan.latest_hello();
        bytes[4..12].copy_from_slice(&nonce.0);
        lan.give(Input::Datagram { from, bytes: &bytes });
        let found = &lan.found[0].1;
        assert_eq!(found.zid.unwrap().node_id().unwrap().as_str(), decoded["zid"].as_str().unwrap());
        assert_eq!(found.locators[0].address().port(), 52414);
    }
}
