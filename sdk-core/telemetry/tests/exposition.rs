//! The text for Prometheus, read by a parser that forgives nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use exo_telemetry::{
    aggregator::Aggregator,
    exposition::{MOST_DEVICES, exposition},
    protocol::{Body, GpuMetrics, Message},
    reading::Quantity,
};
use serde_json::Value;

mod common;
use common::{at, heartbeat, id, message, phone, registration, stamp};

#[derive(Debug, PartialEq)]
struct Sample {
    labels: BTreeMap<String, String>,
    value: f64,
}

/// Families by name: HELP, then TYPE, then samples; nothing else, nothing twice.
fn parse(text: &str) -> BTreeMap<String, Vec<Sample>> {
    let mut families = BTreeMap::<String, Vec<Sample>>::new();
    let (mut current, mut helped) = (String::new(), String::new());
    assert!(text.ends_with('\n'));
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(!help.is_empty() && !families.contains_key(name), "{name} comes twice");
            helped = name.into();
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert_eq!(name, helped);
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
            assert!(["gauge", "counter"].contains(&kind));
            current = name.into();
            families.insert(current.clone(), Vec::new());
        } else {
            let rest = line.strip_prefix(&current).unwrap_or_else(|| panic!("{line:?} is not of {current}"));
            let (labels, value) = match rest.strip_prefix('{') {
                Some(rest) => labels(rest),
                None => (BTreeMap::new(), rest),
            };
            let value = value.strip_prefix(' ').unwrap().parse::<f64>().unwrap();
            assert!(value.is_finite());
            let samples = families.get_mut(&current).unwrap();
            assert!(samples.iter().all(|other| other.labels != labels), "{line:?} comes twice");
            samples.push(Sample { labels, value });
        }
    }
    families
}

fn labels(mut rest: &str) -> (BTreeMap<String, String>, &str) {
    let mut labels = BTreeMap::new();
    loop {
        let (name, after) = rest.split_once("=\"").unwrap();
        assert!(!name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        let (mut value, mut characters) = (String::new(), after.char_indices());
        let end = loop {
            match characters.next().unwrap() {
                (place, '"') => break place + 1,
                (_, '\\') => value.push(match characters.next().unwrap().1 {
                    'n' => '\n',
                    c @ ('\\' | '"') => c,
                    other => panic!("\\{other} means nothing"),
                }),
                (_, c) => value.push(c),
            }
        };
        assert!(labels.insert(name.to_owned(), value).is_none());
        match after[end..].split_at(1) {
            ("}", value) => return (labels, value),
            (",", more) => rest = more,
            other => panic!("{other:?}"),
        }
    }
}

fn vectors(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/telemetry").join(file)
}

/// All vectors, and a device with a name that needs care.
fn everybody() -> Aggregator {
    let mut aggregator = Aggregator::default();
    let all: Value = serde_json::from_str(&fs::read_to_string(vectors("messages.json")).unwrap()).unwrap();
    for vector in all["messages"].as_array().unwrap() {
        let message = Message::parse(vector["message"].as_str().unwrap().as_bytes()).unwrap();
        if message.protocol.minor == 0 && message.body.kind() != "goodbye" {
            aggregator.take(at(0), message);
        }
    }
    let mut quoted = registration("quoted");
    quoted.name = "a \"quoted\" \\ name".into();
    aggregator.take(at(0), message(1, 0, Body::Registration(quoted.into())));
    let metrics = GpuMetrics::everything(id("quoted"), stamp(at(0)), &phone(at(0), true));
    aggregator.take(at(0), message(1, 1, heartbeat(metrics, std::time::Duration::from_secs(5))));
    aggregator
}

#[test]
fn the_text_is_the_one_that_is_kept() {
    let text = exposition(&everybody(), at(2_500));
    let path = vectors("metrics.txt");
    if env::var_os("EXO_WRITE_VECTORS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == kept,
        "it differs from {}: look at it, then run with EXO_WRITE_VECTORS=1",
        path.display()
    );
}

#[test]
fn every_quantity_is_a_family_with_help_and_unit() {
    let families = parse(&exposition(&everybody(), at(2_500)));
    for quantity in Quantity::ALL {
        assert!(families.contains_key(&format!("exo_device_{}", quantity.name())), "{quantity:?}");
    }
}

#[test]
fn what_cannot_be_had_is_absent_and_not_nought() {
    let families = parse(&exposition(&everybody(), at(2_500)));
    let of = |name: &str, device: &str| {
        families[name].iter().find(|sample| sample.labels["device"] == device).map(|sample| sample.value)
    };
    assert_eq!(of("exo_device_temperature_celsius", "pixel-9"), None);
    assert_eq!(of("exo_device_temperature_celsius", "desk"), Some(71.0));
    assert_eq!(of("exo_device_battery_charging", "pixel-9"), Some(1.0));
    assert_eq!(of("exo_device_silence_seconds", "desk"), Some(2.5));
    let busy = &families["exo_device_compute_utilisation_ratio"];
    assert!(busy.iter().any(|s| s.labels["device"] == "pixel-9" && s.labels["source"] == "estimated"));
}

#[test]
fn names_of_others_are_escaped() {
    let families = parse(&exposition(&everybody(), at(0)));
    let info = &families["exo_device_info"];
    assert!(info.iter().any(|sample| sample.labels["name"] == "a \"quoted\" \\ name"));
}

#[test]
fn the_text_is_bounded_and_says_what_is_left_out() {
    let mut aggregator = Aggregator::default();
    for number in 0..MOST_DEVICES + 7 {
        let name = format!("d{number}");
        let metrics = GpuMetrics::everything(id(&name), stamp(at(0)), &phone(at(0), true));
        aggregator.take(at(0), message(1, 0, heartbeat(metrics, std::time::Duration::from_secs(5))));
    }
    let text = exposition(&aggregator, at(0));
    let families = parse(&text);
    assert_eq!(families["exo_devices_not_listed"][0].value, 7.0);
    assert_eq!(families["exo_device_up"].len(), MOST_DEVICES);
    assert!(text.len() < 4 << 20, "{} bytes", text.len());
}

#[test]
fn the_schema_knows_every_quantity() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/telemetry-1.0.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let fields = schema["$defs"]["gpu_metrics"]["properties"].as_object().unwrap();
    let known = Quantity::ALL.map(Quantity::name);
    assert!(known.iter().all(|name| fields.contains_key(*name)));
    assert_eq!(fields.len(), known.len() + 3);
}
