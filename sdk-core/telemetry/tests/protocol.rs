//! Messages of protocol 1.0, against vectors that were written by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use exo_telemetry::{
    Reading, Timestamp,
    protocol::{Body, DeviceType, LARGEST, Message, ProtocolError, Version},
    reading::{Figure, Quantity},
};
use serde_json::{Value, json};

fn vectors(file: &str, list: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/telemetry/").to_owned() + file;
    let all: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    all[list].as_array().unwrap().clone()
}

fn vector(name: &str) -> String {
    let all = vectors("messages.json", "messages");
    let found = all.iter().find(|vector| vector["name"] == name);
    found.unwrap_or_else(|| panic!("no vector {name:?}"))["message"].as_str().unwrap().to_owned()
}

fn read(name: &str) -> Message {
    Message::parse(vector(name).as_bytes()).unwrap()
}

#[test]
fn every_vector_is_read_and_written_back_without_loss() {
    for vector in vectors("messages.json", "messages") {
        let text = vector["message"].as_str().unwrap();
        let message =
            Message::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", vector["name"]));
        let written = message.to_json().unwrap();
        if vector["exact"] == true {
            assert_eq!(written, text);
        }
        let [was, is] = [text, &written].map(|json| serde_json::from_str::<Value>(json).unwrap());
        assert_eq!(is, was, "{}", vector["name"]);
        assert_eq!(Message::parse(written.as_bytes()).unwrap(), message);
    }
}

#[test]
fn what_is_not_a_message_is_refused_and_the_error_says_why() {
    for vector in vectors("refused.json", "refused") {
        let error = Message::parse(vector["text"].as_str().unwrap().as_bytes())
            .expect_err(vector["name"].as_str().unwrap());
        let kind = match &error {
            ProtocolError::TooLarge { .. } => "too_large",
            ProtocolError::NotAnObject { .. } => "not_an_object",
            ProtocolError::TooDeep => "too_deep",
            ProtocolError::BadVersion { .. } => "bad_version",
            ProtocolError::OtherMajor { .. } => "other_major",
            ProtocolError::OtherDevice { .. } => "other_device",
            ProtocolError::UnknownType { .. } => "unknown_type",
            ProtocolError::Missing { .. } => "missing",
            ProtocolError::Field { .. } => "field",
        };
        assert_eq!(kind, vector["error"], "{}: {error}", vector["name"]);
    }
}

#[test]
fn errors_name_the_field_and_what_was_expected() {
    let text = vector("a heartbeat that tells what changed").replace("0.75", "\"hot\"");
    assert_eq!(
        Message::parse(text.as_bytes()).unwrap_err().to_string(),
        "the field `metrics.thermal_headroom_ratio` cannot be read: `value`: expected a number, found a text"
    );
    let text = vector("a goodbye").replace("1.0", "2.3");
    assert_eq!(
        Message::parse(text.as_bytes()).unwrap_err().to_string(),
        "the device speaks protocol 2.3, this member 1.0: update the older of the two"
    );
}

#[test]
fn a_heartbeat_brings_readings_with_their_provenance() {
    let Body::Heartbeat(heartbeat) = read("a heartbeat that tells everything").body else { panic!() };
    let reading = |quantity| &heartbeat.metrics.readings[&quantity].reading;
    assert!(heartbeat.metrics.full && heartbeat.metrics.readings.len() == Quantity::COUNT);
    assert_eq!(reading(Quantity::ThermalHeadroom).get(), Some(Figure::Number(0.625)));
    assert_eq!(reading(Quantity::Temperature).why(), Some("Android tells headroom, not degrees"));
    assert!(
        matches!(reading(Quantity::ComputeUtilisation), Reading::Estimated { how, .. } if how == "our own busy time")
    );
}

#[test]
fn absurd_values_of_others_are_refused_one_by_one_and_the_message_is_read() {
    for (absurd, why) in
        [("65535", "65535 °C is not between"), ("-273.15", "-273.15 °C is not between"), ("1e300", "")]
    {
        let mut json: Value = serde_json::from_str(&vector("a heartbeat with nothing new")).unwrap();
        let value: Value = serde_json::from_str(absurd).unwrap();
        json["metrics"]["temperature_celsius"] = json!({ "source": "measured", "value": value, "at": 0 });
        let Body::Heartbeat(heartbeat) = Message::parse(json.to_string().as_bytes()).unwrap().body else {
            panic!()
        };
        let reading = &heartbeat.metrics.readings[&Quantity::Temperature].reading;
        assert!(reading.get().is_none() && reading.why().unwrap().contains(why), "{reading:?}");
    }
}

#[test]
fn a_newer_minor_version_is_read_as_far_as_it_is_understood() {
    let message = read("a newer minor version with a word and a source that we do not know");
    assert_eq!(message.protocol, Version { major: 1, minor: 7 });
    let Body::Heartbeat(heartbeat) = message.body else { panic!() };
    assert!(heartbeat.metrics.readings.contains_key(&Quantity::ThermalHeadroom));
    assert!(heartbeat.metrics.extra.contains_key("thermal_status"));
    let Body::Registration(registration) =
        read("a newer minor version registers a type of device that we do not know").body
    else {
        panic!()
    };
    assert_eq!(registration.device_type, DeviceType::OtherGpu);
    assert_eq!(registration.extra["device_type"], "headset");
    assert!(registration.capabilities.compute_units.reading.get().is_none());
}

#[test]
fn the_size_limit_holds_both_ways() {
    let text = vector("a goodbye");
    let padded = |length: usize| format!("{text}{}", " ".repeat(length - text.len()));
    assert!(Message::parse(padded(LARGEST).as_bytes()).is_ok());
    assert_eq!(
        Message::parse(padded(LARGEST + 1).as_bytes()),
        Err(ProtocolError::TooLarge { bytes: LARGEST + 1 })
    );
    let mut message = Message::parse(text.as_bytes()).unwrap();
    let Body::Goodbye(goodbye) = &mut message.body else { panic!() };
    goodbye.extra.insert("padding".into(), "x".repeat(LARGEST).into());
    assert!(matches!(message.to_json(), Err(ProtocolError::TooLarge { .. })));
}

#[test]
fn what_our_own_writer_is_given_can_always_be_read() {
    let Message { protocol, run, sequence, body } = read("a heartbeat with nothing new");
    let Body::Heartbeat(mut heartbeat) = body else { panic!() };
    for (quantity, number) in
        [(Quantity::Temperature, f64::NAN), (Quantity::Power, f64::INFINITY), (Quantity::BatteryLevel, -1.0)]
    {
        heartbeat.metrics.tell(quantity, Reading::measured(Figure::Number(number), Timestamp(0)));
    }
    heartbeat.metrics.tell(Quantity::CpuLoad, Reading::unavailable("no\u{7}".repeat(900), Timestamp(0)));
    let message = Message { protocol, run, sequence, body: Body::Heartbeat(heartbeat) };
    let read = Message::parse(message.to_json().unwrap().as_bytes()).unwrap();
    assert_eq!(read, message);
}
