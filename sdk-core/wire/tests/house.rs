//! What exo's parser takes and we still do not send, one danger a test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod vectors;

use exo_wire::{
    NodeId, Topic,
    gate::{Gate, seal, verdict},
};
use serde_json::{Value, json};
use vectors::golden;

fn event(event: &Value) -> String {
    let session = json!({ "master_node_id": "f0e1", "election_clock": 3 });
    json!({ "origin_idx": 7, "origin": "o", "session": session, "event": event }).to_string()
}

fn info(info: &Value) -> String {
    let when = "2026-06-22 13:38:54.123456+00:00";
    event(&json!({ "NodeGatheredInfo": { "event_id": "e", "node_id": "a1b2", "when": when, "info": info } }))
}

fn metrics(field: &str, number: &str) -> String {
    let bytes = json!({ "in_bytes": 1 });
    let memory =
        json!({ "ram_total": bytes, "ram_available": bytes, "swap_total": bytes, "swap_available": bytes });
    let profile = json!({ field: "NUMBER" });
    info(&json!({ "MacmonMetrics": { "system_profile": profile, "memory": memory } }))
        .replace("\"NUMBER\"", number)
}

fn interface(ip: &str) -> String {
    info(
        &json!({ "NodeNetworkInterfaces": { "ifaces": [{ "name": "wlan0", "ip_address": ip, "interface_type": "wifi" }] } }),
    )
}

fn edge(address: &str) -> String {
    let edge = json!({ "sink_multiaddr": { "address": address } });
    event(
        &json!({ "TopologyEdgeCreated": { "event_id": "e", "conn": { "source": "a1b2", "sink": "c3", "edge": edge } } }),
    )
}

#[track_caller]
fn passes(gate: &Gate, topic: Topic, payload: &str) {
    if let Err(refusal) = gate.judge(topic, payload.as_bytes()) {
        panic!("{refusal}\n{payload}");
    }
}

/// exo's parser takes it, no gate of ours does.
#[track_caller]
fn only_exo_takes(topic: Topic, payload: &str) {
    assert!(verdict(topic, payload).accept, "exo refuses it too: {}\n{payload}", verdict(topic, payload).why);
    for gate in [Gate::guest(), Gate::master_of_phones()] {
        assert!(gate.judge(topic, payload.as_bytes()).is_err(), "{gate:?} let it through\n{payload}");
    }
}

#[test]
fn numbers_that_the_master_would_write_as_null_stay_here() {
    passes(&Gate::guest(), Topic::LocalEvents, &metrics("temp", "41.5"));
    passes(&Gate::guest(), Topic::LocalEvents, &metrics("temp", "-20"));
    for number in ["NaN", "Infinity", "-Infinity", "1e999"] {
        only_exo_takes(Topic::LocalEvents, &metrics("temp", number));
    }
}

#[test]
fn numbers_that_mean_nothing_stay_here() {
    for (field, number) in
        [("gpu_usage", "1.01"), ("gpu_usage", "-0.1"), ("temp", "1000"), ("sys_power", "-1")]
    {
        only_exo_takes(Topic::LocalEvents, &metrics(field, number));
    }
}

#[test]
fn integers_that_the_log_on_disk_has_no_room_for_stay_here() {
    let memory = |number: &str| {
        let bytes = "{\"in_bytes\":1}";
        info(&json!("INFO")).replace(
            "\"INFO\"",
            &format!(r#"{{"ram_total":{{"in_bytes":{number}}},"ram_available":{bytes},"swap_total":{bytes},"swap_available":{bytes}}}"#),
        )
    };
    passes(&Gate::guest(), Topic::LocalEvents, &memory("12000000000"));
    for number in ["18446744073709551616", "-1", "1152921504606846977", &"9".repeat(400)] {
        only_exo_takes(Topic::LocalEvents, &memory(number));
    }
}

#[test]
fn diagnostics_that_exo_cannot_read_back_stay_here() {
    let failed = |diagnostics: Value| {
        let status = json!({ "RunnerFailed": { "error_message": null, "diagnostics": diagnostics } });
        event(
            &json!({ "RunnerStatusUpdated": { "event_id": "e", "runner_id": "r", "runner_status": status } }),
        )
    };
    passes(&Gate::guest(), Topic::LocalEvents, &failed(json!([])));
    only_exo_takes(Topic::LocalEvents, &failed(json!([{ "RunnerMetalGpuTimeout": { "message": "m" } }])));
}

#[test]
fn an_edge_without_an_address_that_exo_can_write_stays_here() {
    passes(&Gate::guest(), Topic::LocalEvents, &edge("/ip4/192.168.1.7/tcp/52415"));
    passes(&Gate::guest(), Topic::LocalEvents, &edge("/ip6/fe80::1/tcp/52415"));
    for address in [
        "/ip4/1.2.3.4",
        "/dns/phone.local/tcp/52415",
        "/ip4/999.2.3.4/tcp/1",
        "/ip6/:/tcp/1",
        "/ip4/1.2.3.4/tcp/1\n",
    ] {
        only_exo_takes(Topic::LocalEvents, &edge(address));
    }
    let to_itself = edge("/ip4/1.2.3.4/tcp/1").replace("\"c3\"", "\"a1b2\"");
    only_exo_takes(Topic::LocalEvents, &to_itself);
}

#[test]
fn an_address_that_would_end_every_worker_that_probes_it_stays_here() {
    passes(&Gate::guest(), Topic::LocalEvents, &interface("192.168.1.7"));
    passes(&Gate::guest(), Topic::LocalEvents, &interface("fe80::1"));
    for ip in
        ["", "999.1.1.1", "01.2.3.4", "::g", "fe80::1%wlan0", "::ffff:1.2.3.4", "1.2.3.4:5", "phone.local"]
    {
        only_exo_takes(Topic::LocalEvents, &interface(ip));
    }
}

#[test]
fn an_empty_id_that_every_receiver_would_replace_stays_here() {
    let timed_out = |id: &str| event(&json!({ "NodeTimedOut": { "event_id": "e", "node_id": id } }));
    passes(&Gate::guest(), Topic::LocalEvents, &timed_out("a1b2"));
    for id in ["", "a\u{0}", &"a".repeat(300)] {
        only_exo_takes(Topic::LocalEvents, &timed_out(id));
    }
}

#[test]
fn a_time_that_exo_cannot_read_stays_here_if_nobody_writes_over_it() {
    let at = |when: &str| {
        event(
            &json!({ "NodeGatheredInfo": { "event_id": "e", "node_id": "a1", "when": when, "info": { "NodeConfig": {} } } }),
        )
    };
    passes(&Gate::guest(), Topic::LocalEvents, &at(""));
    passes(&Gate::master_of_phones(), Topic::GlobalEvents, &at("2026-06-22 13:38:54.123456+00:00"));
    passes(&Gate::master_of_phones(), Topic::GlobalEvents, &at("2028-02-29T00:00:00+00:00"));
    for when in [
        "",
        "now",
        "2026-06-22 13:38:54",
        "2026-02-29 00:00:00+00:00",
        "2026-13-01 00:00:00+00:00",
        "2026-01-01 24:00:00+00:00",
    ] {
        only_exo_takes(Topic::GlobalEvents, &at(when));
    }
}

#[test]
fn a_version_that_the_dashboard_takes_for_macos_stays_here() {
    let version = |text: &str| {
        info(
            &json!({ "StaticNodeInformation": { "model": "m", "chip": "c", "os_version": text, "os_build_version": "" } }),
        )
    };
    passes(&Gate::guest(), Topic::LocalEvents, &version("Android 16"));
    only_exo_takes(Topic::LocalEvents, &version("16"));
}

#[test]
fn other_spellings_that_exo_tolerates_stay_here() {
    let canonical = info(&json!({ "MiscData": { "friendly_name": "Pixel 9" } }));
    passes(&Gate::guest(), Topic::LocalEvents, &canonical);
    let bare = info(&json!({ "friendly_name": "Pixel 9" }));
    let camel = canonical.replace("friendly_name", "friendlyName");
    let twice = canonical.replace("\"origin\":", "\"origin\":\"p\",\"origin\":");
    for payload in [&bare, &camel, &twice] {
        only_exo_takes(Topic::LocalEvents, payload);
    }
}

#[test]
fn what_is_too_large_or_too_deep_stays_here() {
    let named = |name: &str| info(&json!({ "MiscData": { "friendly_name": name } }));
    passes(&Gate::guest(), Topic::LocalEvents, &named(&"é".repeat(100_000)));
    only_exo_takes(Topic::LocalEvents, &named(&"x".repeat(300 << 10)));
    only_exo_takes(Topic::LocalEvents, &(named("x") + &" ".repeat(1 << 20)));
    let tools = format!("[{{\"a\":{}{}}}]", "[".repeat(80), "]".repeat(80));
    let command = json!({ "TextGeneration": { "command_id": "c", "task_params": { "model": "m", "input": [], "tools": "TOOLS" } } });
    let payload = json!({ "origin": "o", "command": command }).to_string().replace("\"TOOLS\"", &tools);
    only_exo_takes(Topic::Commands, &payload);
}

#[test]
fn a_guest_neither_orders_nor_stands_for_election() {
    let election = |seniority: i32| {
        let session = json!({ "master_node_id": "a1", "election_clock": 1 });
        json!({ "clock": 1, "seniority": seniority, "proposed_session": session, "commands_seen": 0 })
            .to_string()
    };
    let global = info(&json!({ "NodeConfig": {} }));
    passes(&Gate::guest(), Topic::ElectionMessages, &election(-1));
    assert!(Gate::guest().judge(Topic::ElectionMessages, election(0).as_bytes()).is_err());
    assert!(Gate::guest().judge(Topic::GlobalEvents, global.as_bytes()).is_err());
    passes(&Gate::master_of_phones(), Topic::ElectionMessages, &election(1));
    passes(&Gate::master_of_phones(), Topic::GlobalEvents, &global);
    only_exo_takes(Topic::ElectionMessages, &election(-2));
    only_exo_takes(Topic::ElectionMessages, &election(2_000_000));
}

#[test]
fn a_guest_says_only_what_a_member_has_reason_to_say() {
    let said: Vec<String> = golden()
        .iter()
        .filter(|line| {
            let topic = Topic::named(&line.topic);
            topic.is_some_and(|topic| Gate::guest().judge(topic, line.json.as_bytes()).is_ok())
        })
        .map(|line| format!("{} {}", line.topic, line.variant.split('/').next().unwrap_or_default()))
        .collect();
    for word in ["local_events NodeGatheredInfo", "local_events ChunkGenerated", "commands RequestEventLog"] {
        assert!(said.iter().any(|one| one == word), "{word} is refused");
    }
    for word in [
        "InstanceCreated",
        "InstanceDeleted",
        "PlaceInstance",
        "TestEvent",
        "CustomModelCardAdded",
        "StartDownload",
    ] {
        assert!(!said.iter().any(|one| one.ends_with(word)), "{word} passes");
    }
}

#[test]
fn a_gate_that_speaks_for_one_node_is_silent_about_others() {
    let gate = Gate::guest().speaking_for(NodeId::heard("a1b2"));
    let gone = |id: &str| event(&json!({ "NodeTimedOut": { "event_id": "e", "node_id": id } }));
    passes(&gate, Topic::LocalEvents, &gone("a1b2"));
    passes(&gate, Topic::LocalEvents, &edge("/ip4/1.2.3.4/tcp/1"));
    assert!(gate.judge(Topic::LocalEvents, gone("c3").as_bytes()).is_err(), "it removed another node");
    let theirs = edge("/ip4/1.2.3.4/tcp/1").replace("a1b2", "d4");
    assert!(gate.judge(Topic::LocalEvents, theirs.as_bytes()).is_err(), "it drew another node's edge");
}

#[test]
fn what_is_sealed_are_the_very_bytes() {
    let message: Value = serde_json::from_str(&info(&json!({ "NodeConfig": {} }))).unwrap();
    let sealed = seal(Topic::LocalEvents, &message).unwrap();
    assert_eq!(sealed.payload(), serde_json::to_vec(&message).unwrap());
    assert_eq!(sealed.topic(), Topic::LocalEvents);
    let refusal = seal(Topic::GlobalEvents, &message).unwrap_err();
    assert_eq!(refusal.topic, Topic::GlobalEvents);
}
