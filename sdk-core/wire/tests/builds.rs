//! Builds that we know: their files, how they are recognised, and what drifts away from them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod vectors;

use exo_wire::{
    Topic,
    builds::{self, Recogniser, Recognition, drift, known, learn, newest},
};
use serde_json::{Value, json};
use vectors::{captured, file, golden};

fn export() -> Value {
    serde_json::from_str(&file("json_schemas_by_topic.json")).unwrap()
}

/// What changes when every copy of a class in the export is changed.
fn after(change: impl Fn(&mut Value), class: &str) -> builds::Drift {
    let mut export = export();
    let mut found = 0;
    for schema in export.as_object_mut().unwrap().values_mut() {
        if let Some(class) = schema["$defs"].get_mut(class) {
            change(class);
            found += 1;
        }
    }
    assert!(found > 0, "no class {class}");
    drift(newest().unwrap(), &export.to_string()).unwrap()
}

fn state_keys(name: &str) -> Vec<String> {
    let state: serde_json::Map<String, Value> = serde_json::from_str(&file(name)).unwrap();
    state.keys().cloned().collect()
}

fn global_events() -> Vec<String> {
    let golden = golden().into_iter().filter(|line| line.topic == "global_events").map(|line| line.json);
    let captured = captured().into_iter().filter(|message| message.topic == Topic::GlobalEvents);
    golden.chain(captured.map(|message| message.payload)).collect()
}

#[test]
fn every_file_of_a_build_is_read() {
    assert_eq!(known().len(), 1);
    assert_eq!(newest().unwrap().facts().commit, "b5375f8cee43");
}

#[test]
fn the_file_of_the_newest_build_is_what_its_export_teaches() {
    let build = newest().unwrap();
    let learnt = learn(build.facts().clone(), &export().to_string()).unwrap();
    let stored = include_str!("../builds/2026-06-22.json");
    assert_eq!(learnt, stored.trim_end(), "scripts/exo-drift --learn writes another file");
    assert!(stored.len() < 40_000, "{} bytes are embedded in every app", stored.len());
    assert_eq!(build.facts().state_keys, state_keys("state_before_join.json"));
}

#[test]
fn a_cluster_of_the_known_build_is_recognised_by_what_it_writes() {
    let mut ear = Recogniser::new();
    assert!(matches!(ear.recognition(), Recognition::Undecided));
    for payload in global_events() {
        ear.hear(payload.as_bytes());
        assert!(
            !matches!(ear.recognition(), Recognition::Unknown(_)),
            "{:?} after {payload}",
            ear.recognition()
        );
    }
    let Recognition::Known(build) = ear.recognition() else { panic!("{:?}", ear.recognition()) };
    assert_eq!(build.facts().name, "2026-06-22");
}

#[test]
fn one_event_is_enough_beside_a_state_that_fits() {
    let mut ear = Recogniser::new();
    let keys = state_keys("state_after_join_at_A.json");
    ear.see_state(keys.iter().map(String::as_str));
    assert!(matches!(ear.recognition(), Recognition::Undecided), "the state alone says little");
    ear.hear(global_events()[1].as_bytes());
    assert!(matches!(ear.recognition(), Recognition::Known(_)));
}

#[test]
fn a_state_with_another_key_is_of_an_unknown_build() {
    let keys = state_keys("state_before_join.json");
    for (gone, new) in [(None, Some("nodeBatteries")), (Some("nodeBackends"), None)] {
        let mut ear = Recogniser::new();
        let kept = keys.iter().map(String::as_str).filter(|key| Some(*key) != gone);
        ear.see_state(kept.chain(new));
        let Recognition::Unknown(why) = ear.recognition() else { panic!("recognised") };
        assert!(why.contains(gone.or(new).unwrap()), "{why}");
    }
}

#[test]
fn a_field_more_or_less_or_a_new_tag_is_of_an_unknown_build() {
    let known = global_events()[1].clone();
    assert!(known.contains("\"MiscData\":{\"friendly_name\""), "{known}");
    let more = known.replace("\"friendly_name\"", "\"battery\":0.5,\"friendly_name\"");
    let less = known.replace("\"event_id\":\"00000000-0000-4000-8000-0000000000e0\",", "");
    let tag = known.replace("MiscData", "BatteryInfo");
    for strange in [more, less, tag] {
        assert_ne!(strange, known);
        let mut ear = Recogniser::new();
        for _ in 0..8 {
            ear.hear(known.as_bytes());
        }
        ear.hear(strange.as_bytes());
        // The shape of the first is known by heart by now: it is looked at again only where its tags differ.
        let fresh = {
            let mut ear = Recogniser::new();
            ear.hear(strange.as_bytes());
            matches!(ear.recognition(), Recognition::Unknown(_))
        };
        assert!(fresh, "{strange}");
        let again = matches!(ear.recognition(), Recognition::Unknown(_));
        assert_eq!(again, strange.contains("BatteryInfo"), "{strange}");
    }
}

#[test]
fn diagnostics_that_exo_writes_and_cannot_read_are_still_its_own_hand() {
    let status = json!({ "RunnerFailed": { "error_message": null, "diagnostics": [
        { "RunnerMetalGpuTimeout": { "message": "m", "evidence": ["a", "b"] } }] } });
    let event =
        json!({ "RunnerStatusUpdated": { "event_id": "e", "runner_id": "r", "runner_status": status } });
    let session = json!({ "master_node_id": "m", "election_clock": 0 });
    let payload = json!({ "origin_idx": 0, "origin": "m", "session": session, "event": event }).to_string();
    let mut ear = Recogniser::new();
    ear.hear(payload.as_bytes());
    assert!(matches!(ear.recognition(), Recognition::Undecided), "{:?}", ear.recognition());
}

#[test]
fn noise_is_of_an_unknown_build_and_costs_little() {
    let mut ear = Recogniser::new();
    for noise in [&b"\xff\xfe"[..], b"", b"[]", b"{\"event\":{\"A\":{}}}"] {
        ear.hear(noise);
        assert!(matches!(ear.recognition(), Recognition::Unknown(_)));
    }
}

#[test]
fn the_same_schemas_have_not_drifted() {
    let drift = drift(newest().unwrap(), &export().to_string()).unwrap();
    assert_eq!(drift.changes, Vec::<String>::new());
    assert!(drift.is_safe_to_send());
    assert!(drift.to_string().ends_with("safe to send: yes. This is a build that we know."));
}

#[test]
fn a_field_newly_demanded_of_what_we_send_is_a_danger() {
    let drift = after(
        |class| {
            class["properties"]["battery"] = json!({ "type": "number" });
            class["required"].as_array_mut().unwrap().push(json!("battery"));
        },
        "NodeGatheredInfo",
    );
    assert!(!drift.is_safe_to_send());
    assert_eq!(drift.dangers, ["NodeGatheredInfo.battery: is demanded, and we do not know it"]);
    assert!(drift.to_string().contains("safe to send: NO"));
}

#[test]
fn a_field_gone_a_value_gone_or_a_type_changed_is_a_danger() {
    let gone =
        after(|class| drop(class["properties"].as_object_mut().unwrap().remove("friendly_name")), "MiscData");
    assert_eq!(gone.dangers, ["MiscData.friendly_name: is unknown to it"]);
    let value = after(|class| class["enum"] = json!(["MlxMetal", "MlxCuda", "Vllm"]), "Backend");
    assert!(
        value.dangers.contains(&"NodeBackends.backends: no longer takes MlxCpu".to_owned()),
        "{:?}",
        value.dangers
    );
    let kind = after(|class| class["properties"]["text"] = json!({ "type": "integer" }), "TokenChunk");
    assert_eq!(kind.dangers, ["TokenChunk.text: takes another type"]);
    let null = after(|class| class["properties"]["usage"] = json!({ "$ref": "#/$defs/Usage" }), "TokenChunk");
    assert_eq!(null.dangers, ["TokenChunk.usage: takes another type"]);
}

#[test]
fn what_is_only_added_or_what_we_never_say_is_no_danger() {
    let optional = after(|class| class["properties"]["battery"] = json!({ "type": "number" }), "MiscData");
    assert!(optional.is_safe_to_send(), "{:?}", optional.dangers);
    assert_eq!(optional.changes, ["~ MiscData: + battery, optional: \"number\""]);
    assert!(optional.to_string().contains("listen only"));
    let value = after(|class| class["enum"].as_array_mut().unwrap().push(json!("LlamaCpp")), "Backend");
    assert!(value.is_safe_to_send(), "{:?}", value.dangers);
    let command =
        after(|class| class["required"].as_array_mut().unwrap().push(json!("priority")), "PlaceInstance");
    assert!(command.is_safe_to_send(), "{:?}", command.dangers);
}

#[test]
fn a_new_event_is_told_and_an_event_gone_is_a_danger_if_we_send_it() {
    let mut added = export();
    for topic in ["global_events", "local_events"] {
        added[topic]["$defs"]["NodeAsleep"] = json!({ "type": "object", "additionalProperties": false, "properties": { "node_id": { "type": "string" } } });
        let union = added[topic]["properties"]["event"]["anyOf"].as_array_mut().unwrap();
        union.push(json!({ "$ref": "#/$defs/NodeAsleep" }));
    }
    let drifted = drift(newest().unwrap(), &added.to_string()).unwrap();
    assert!(drifted.is_safe_to_send(), "{:?}", drifted.dangers);
    assert!(drifted.changes.contains(&"+ NodeAsleep {node_id}".to_owned()), "{:?}", drifted.changes);

    let without = |event: &str| {
        let mut export = export();
        for topic in ["global_events", "local_events"] {
            export[topic]["$defs"].as_object_mut().unwrap().remove(event);
            let reference = json!({ "$ref": format!("#/$defs/{event}") });
            export[topic]["properties"]["event"]["anyOf"]
                .as_array_mut()
                .unwrap()
                .retain(|choice| *choice != reference);
        }
        drift(newest().unwrap(), &export.to_string()).unwrap()
    };
    assert_eq!(without("NodeTimedOut").dangers, ["LocalForwarderEvent.event: no longer takes NodeTimedOut"]);
    assert!(without("InstanceLinkDeleted").is_safe_to_send());
}

#[test]
fn an_export_that_is_none_is_told_apart_from_a_drift() {
    for bad in ["", "{}", "[]", "{\"global_events\":{}}"] {
        assert!(drift(newest().unwrap(), bad).is_err(), "{bad}");
    }
}
