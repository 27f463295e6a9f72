//! Conversations of a real exo, and what becomes of them when bytes are lost or changed on the way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod any;
mod vectors;

use any::Dice;
use exo_wire::{
    ElectionMessage, ForwardedCommand, ForwardedDownloadCommand, GlobalEvent, LocalEvent, NodeId, Topic,
    datagram::{Datagram, Namespace, Nonce, Zid},
    heard::{self, Event, Info},
};
use serde_json::Value;
use vectors::{Captured, captured, datagrams, golden};

/// Every message of every file.
fn messages() -> Vec<Captured> {
    let golden = golden().into_iter().filter_map(|line| {
        Some(Captured { topic: Topic::named(&line.topic)?, payload: line.json, tag: None })
    });
    golden.chain(captured()).collect()
}

fn variant(event: &Event<'_>) -> String {
    format!("{event:?}").split('(').next().unwrap().to_owned()
}

#[test]
fn everything_that_a_real_exo_said_is_heard() {
    let mut events = 0;
    for Captured { topic, payload, tag } in captured() {
        let bytes = payload.as_bytes();
        let event = match topic {
            Topic::GlobalEvents => heard::global(bytes).unwrap().event(),
            Topic::LocalEvents => heard::local(bytes).unwrap().event(),
            Topic::ElectionMessages => {
                heard::election(bytes).unwrap();
                continue;
            }
            Topic::Commands => {
                let asked = heard::command(bytes).unwrap();
                assert!(!matches!(asked.command(), heard::Command::Unknown(_)), "{payload}");
                continue;
            }
            Topic::DownloadCommands => {
                let asked = heard::download_command(bytes).unwrap();
                assert!(!matches!(asked.download_command(), heard::DownloadCommand::Unknown(_)), "{payload}");
                continue;
            }
        };
        assert!(!matches!(event, Event::Unknown(_)), "{payload}");
        assert!(event.event_id().is_some_and(|id| payload.contains(id)), "{payload}");
        if let Event::NodeGatheredInfo(heard::NodeGatheredInfo { info: Info::Other(_), .. }) = event {
            panic!("a Linux machine told what a member cannot use: {payload}");
        }
        if let Some(tag) = tag {
            // "NodeGatheredInfo" or "NodeGatheredInfo/MiscData".
            assert!(tag.starts_with(&variant(&event)), "{tag}: {payload}");
        }
        events += 1;
    }
    assert!(events > 250, "only {events} events were captured");
}

#[test]
fn everything_that_a_real_exo_said_fits_the_closed_types_and_is_written_again_as_equal_json() {
    fn again<T: serde::Serialize + serde::de::DeserializeOwned>(payload: &str) -> Value {
        let read: T = serde_json::from_str(payload).unwrap_or_else(|why| panic!("{why}: {payload}"));
        serde_json::to_value(read).unwrap()
    }
    for Captured { topic, payload, .. } in captured() {
        let again = match topic {
            Topic::GlobalEvents => again::<GlobalEvent>(&payload),
            Topic::LocalEvents => again::<LocalEvent>(&payload),
            Topic::Commands => again::<ForwardedCommand>(&payload),
            Topic::ElectionMessages => again::<ElectionMessage>(&payload),
            Topic::DownloadCommands => again::<ForwardedDownloadCommand>(&payload),
        };
        assert_eq!(again, serde_json::from_str::<Value>(&payload).unwrap());
    }
}

/// What a patient reader, who builds the whole tree, finds in a message that was heard.
fn agrees(topic: Topic, bytes: &[u8]) {
    let session = |heard: &heard::Session<'_>, meant: &Value| {
        assert_eq!(*heard.master_node_id, *meant["master_node_id"].as_str().unwrap());
        assert_eq!(heard.election_clock, meant["election_clock"].as_u64().unwrap());
    };
    let event = |heard: &Event<'_>, meant: &Value| {
        if matches!(heard, Event::Unknown(_)) {
            return;
        }
        let (tag, body) = meant.as_object().unwrap().iter().next().unwrap();
        assert_eq!(&variant(heard), tag);
        assert_eq!(heard.event_id(), body["event_id"].as_str());
        match heard {
            Event::NodeGatheredInfo(news) => assert_eq!(*news.node_id, *body["node_id"].as_str().unwrap()),
            Event::NodeTimedOut(gone) => assert_eq!(*gone.node_id, *body["node_id"].as_str().unwrap()),
            Event::ChunkGenerated(chunk) => {
                assert_eq!(*chunk.command_id, *body["command_id"].as_str().unwrap());
            }
            _ => {}
        }
    };
    let meant = || serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    match topic {
        Topic::GlobalEvents => {
            if let Ok(heard) = heard::global(bytes)
                && let meant @ Value::Object(_) = meant()
            {
                session(&heard.session, &meant["session"]);
                assert_eq!(heard.origin_idx, meant["origin_idx"].as_u64().unwrap());
                event(&heard.event(), &meant["event"]);
            }
        }
        Topic::LocalEvents => {
            if let Ok(heard) = heard::local(bytes)
                && let meant @ Value::Object(_) = meant()
            {
                session(&heard.session, &meant["session"]);
                assert_eq!(heard.origin_idx, meant["origin_idx"].as_u64().unwrap());
                event(&heard.event(), &meant["event"]);
            }
        }
        Topic::Commands => drop(heard::command(bytes).map(|asked| asked.command())),
        Topic::DownloadCommands => drop(heard::download_command(bytes).map(|asked| asked.download_command())),
        Topic::ElectionMessages => {
            if let Ok(heard) = heard::election(bytes) {
                session(&heard.proposed_session, &meant()["proposed_session"]);
            }
        }
    }
}

fn is_heard(topic: Topic, bytes: &[u8]) -> bool {
    match topic {
        Topic::GlobalEvents => heard::global(bytes).is_ok(),
        Topic::LocalEvents => heard::local(bytes).is_ok(),
        Topic::Commands => heard::command(bytes).is_ok(),
        Topic::DownloadCommands => heard::download_command(bytes).is_ok(),
        Topic::ElectionMessages => heard::election(bytes).is_ok(),
    }
}

#[test]
fn a_message_that_was_cut_short_is_not_heard() {
    for Captured { topic, payload, .. } in messages() {
        // Every few bytes, and at each of the last, where only brackets are missing.
        let (length, step) = (payload.len(), 1 + payload.len() / 250);
        for end in (0..length).step_by(step).chain(length - 20..length) {
            assert!(!is_heard(topic, &payload.as_bytes()[..end]), "{topic} cut at {end}: {payload}");
        }
    }
}

#[test]
fn a_message_with_changed_bytes_is_never_taken_for_another() {
    let seed = 0x0066_6c69;
    println!("seed {seed}");
    let mut dice = Dice::seeded(seed);
    for Captured { topic, payload, .. } in messages() {
        for _ in 0..200 {
            let mut bytes = payload.clone().into_bytes();
            for _ in 0..=dice.below(3) {
                let at = dice.below(bytes.len());
                bytes[at] = match dice.below(3) {
                    0 => bytes[at] ^ (1 << dice.below(8)),
                    1 => dice.bits() as u8,
                    _ => b"{}[]\",:0"[dice.below(8)],
                };
            }
            agrees(topic, &bytes);
        }
    }
}

#[test]
fn a_datagram_that_was_read_is_written_again_to_the_byte() {
    let exo = Namespace::named("0.3.70");
    assert_eq!(exo.to_string(), "6e2bf1dad2aa1268");
    let mut seen = (0, 0);
    for line in datagrams() {
        let read = Datagram::parse(&line.bytes).unwrap();
        assert_eq!(read.to_bytes(), line.bytes);
        match read {
            Datagram::Hello { namespace, nonce } => {
                assert_eq!((namespace, nonce), (exo, Nonce(line.nonce())));
                seen.0 += 1;
            }
            Datagram::WhatsUp { nonce, zid, port } => {
                assert_eq!((nonce, port), (Nonce(line.nonce()), 52414));
                assert_eq!(zid.node_id().unwrap().as_str(), line.node_id());
                assert_eq!(Zid::of(&zid.node_id().unwrap()), Some(zid));
                seen.1 += 1;
            }
        }
        for end in 0..line.bytes.len() {
            assert_eq!(Datagram::parse(&line.bytes[..end]), None);
        }
        assert_eq!(Datagram::parse(&[line.bytes, vec![0]].concat()), None);
    }
    assert!(seen.0 > 0 && seen.1 > 0, "{seen:?}");
}

#[test]
fn nodes_are_ordered_by_the_little_end_of_their_ids() {
    let zid = |id| Zid::of(&NodeId::parse(id).unwrap()).unwrap();
    let (dialled, dials) = (zid("d63b0000000000000000000000000764"), zid("be130000000000000000000000000fbe"));
    assert!(dials > dialled);
}

mod state {
    use super::{Dice, heard, vectors::file};

    const FILES: [&str; 4] = [
        "state_before_join.json",
        "state_after_join_at_A.json",
        "state_after_join_at_B.json",
        "state_with_phone_serving.json",
    ];

    #[test]
    fn a_state_tells_its_nodes_and_what_they_run() {
        let body = file("state_with_phone_serving.json");
        let state = heard::snapshot(body.as_bytes()).unwrap();
        let phone = "a1b2c3d4e5f60718293a4b5c6d7e8f90";
        assert_eq!(state.last_event_applied_idx, Some(201));
        assert_eq!(state.nodes, ["55bc5879960e2590844b45f980f0ab2f", phone]);
        assert_eq!(state.keys.len(), 20);
        let (_, identity) = state.node_identities.iter().find(|(node, _)| *node == phone).unwrap();
        assert_eq!(identity.os_version.as_deref(), Some("Android 16"));
        assert_eq!(identity.friendly_name.as_deref(), Some("Pixel 9"));
        let (_, memory) = state.node_memory.iter().find(|(node, _)| *node == phone).unwrap();
        assert_eq!((memory.ram_total, memory.swap_available), (12_000_000_000, 3_900_000_000));
        assert_eq!(state.node_disk.len(), 2);
        assert_eq!(state.node_system[0].1.temp, Some(38.5));
        assert_eq!(state.node_network[0].1.len(), 4);
        assert_eq!(state.node_backends[1].1, ["MlxCpu"]);
        let (id, instance) = &state.instances[0];
        assert_eq!((id, &*instance.tag), (&instance.instance_id, "MlxRingInstance"));
        assert_eq!(instance.model_id, "mlx-community/Qwen3-0.6B-4bit");
        let (runner, status) = &state.runners[0];
        assert_eq!(instance.node_to_runner, [(phone.into(), runner.clone())]);
        assert_eq!(status.tag, "RunnerReady");
    }

    #[test]
    fn every_state_is_read_with_its_edges() {
        let states = FILES.map(file);
        let edges = states.each_ref().map(|body| {
            let state = heard::snapshot(body.as_bytes()).unwrap();
            assert!(state.last_event_applied_idx.is_some() && !state.nodes.is_empty());
            state.connections.iter().map(|link| link.ways).sum::<usize>()
        });
        assert_eq!(edges, [0, 2, 2, 0]);
    }

    #[test]
    fn parts_of_a_state_that_cannot_be_read_are_left_out() {
        let body = br#"{"lastEventAppliedIdx":"x","nodeMemory":{"a":7,"b":{"ramTotal":{"inBytes":1},"ramAvailable":
            {"inBytes":1},"swapTotal":{"inBytes":0},"swapAvailable":{"inBytes":0}}},"instances":[],"future":{"x":[1]},
            "topology":{"nodes":["a",5,"b"],"connections":{"a":{"b":[{}],"c":"?"},"d":null}},
            "nodeBackends":{"a":["MlxCpu",null],"b":{}},"nodeNetwork":{"a":{"interfaces":["cut",{"name":"lo"}]}}}"#;
        let state = heard::snapshot(body).unwrap();
        assert_eq!(state.last_event_applied_idx, None);
        assert_eq!(state.node_memory.len(), 1);
        assert_eq!(state.nodes, ["a", "b"]);
        assert_eq!(state.connections.len(), 1);
        assert_eq!(state.node_backends, [("a".into(), vec!["MlxCpu".into()])]);
        assert_eq!(state.node_network, [("a".into(), vec![])]);
        assert!(state.instances.is_empty() && state.keys.iter().any(|key| *key == "future"));
    }

    #[test]
    fn a_damaged_state_is_read_or_refused_and_no_more() {
        let seed = 0x0073_7461;
        println!("seed {seed}");
        let mut dice = Dice::seeded(seed);
        for body in FILES.map(file) {
            for _ in 0..300 {
                let mut bytes = body.clone().into_bytes();
                let at = dice.below(bytes.len());
                bytes[at] = dice.bits() as u8;
                bytes.truncate(bytes.len() - dice.below(2) * dice.below(bytes.len()));
                let _ = heard::snapshot(&bytes);
            }
        }
    }
}
