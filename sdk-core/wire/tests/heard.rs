//! A member that only listens lives through whatever exo becomes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use exo_wire::{
    GlobalEvent, NodeId, SessionId, Topic, When,
    gate::Gate,
    heard::{self, Event, Info},
};

fn with_event(event: &str) -> String {
    let session = r#"{"master_node_id":"f0","election_clock":3}"#;
    format!(r#"{{"origin_idx":17,"origin":"f0","session":{session},"event":{event}}}"#)
}

fn hear<T>(event: &str, tell: impl FnOnce(Event<'_>) -> T) -> T {
    let payload = with_event(event);
    tell(heard::global(payload.as_bytes()).unwrap().event())
}

#[test]
fn an_event_of_a_later_exo_is_unknown_but_still_acknowledged() {
    let event = r#"{"NodeDreamt":{"dream":[1,{"of":"sheep"}],"event_id":"e1"}}"#;
    hear(event, |heard| {
        let Event::Unknown(unknown) = &heard else { panic!("{heard:?}") };
        assert_eq!((&*unknown.tag, unknown.raw.get()), ("NodeDreamt", event));
        assert_eq!(heard.event_id(), Some("e1"));
    });
}

#[test]
fn a_known_event_without_the_part_that_we_need_is_unknown() {
    for event in [
        r#"{"NodeTimedOut":{"event_id":"e1"}}"#,
        r#"{"NodeTimedOut":{"event_id":"e1","node_id":7}}"#,
        r#"{"InstanceCreated":{"event_id":"e1","instance":{"MlxRingInstance":{"instance_id":"i"}}}}"#,
        r#"{"RunnerStatusUpdated":{"event_id":"e1","runner_id":"r","runner_status":{}}}"#,
        r#"{"NodeDownloadProgress":{"event_id":"e1","download_progress":{"DownloadPending":{"node_id":"a"}}}}"#,
    ] {
        hear(event, |heard| {
            assert!(matches!(heard, Event::Unknown(_)), "{heard:?}");
            assert_eq!(heard.event_id(), Some("e1"), "{event}");
        });
    }
}

#[test]
fn what_is_no_tagged_value_at_all_is_unknown() {
    for event in
        ["null", "[]", "7", "{}", r#""TestEvent""#, r#"{"TestEvent":{},"NodeTimedOut":{"node_id":"a"}}"#]
    {
        hear(event, |heard| assert!(matches!(heard, Event::Unknown(_)), "{event}: {heard:?}"));
    }
}

#[test]
fn fields_of_a_later_exo_are_passed_over() {
    let payload = r#"{"new":{"x":[]},"origin_idx":1,"origin":"f0","hops":2,"session":{"master_node_id":"f0",
        "election_clock":0,"era":"late"},"event":{"NodeTimedOut":{"why":"bored","node_id":"a1","event_id":"e"}}}"#;
    let heard = heard::global(payload.as_bytes()).unwrap();
    let Event::NodeTimedOut(gone) = heard.event() else { panic!() };
    assert_eq!(gone.node_id, "a1");
}

#[test]
fn a_state_of_nested_nothings_stays_small() {
    let sinks = format!("{{{}}}", (0..4096).map(|n| format!("\"{n}\":[]")).collect::<Vec<_>>().join(","));
    let sources = (0..64).map(|n| format!("\"{n}\":{sinks}")).collect::<Vec<_>>().join(",");
    let many = vec!["\"\""; 5000].join(",");
    let body = format!(
        r#"{{"topology":{{"nodes":[],"connections":{{{sources}}}}},"nodeBackends":{{"a":[{many}]}}}}"#
    );
    let state = heard::snapshot(body.as_bytes()).unwrap();
    assert_eq!(state.connections.len(), 16_384);
    assert!(state.node_backends[0].1.len() <= 64);
}

#[test]
fn both_of_exos_spellings_are_heard() {
    let payload = r#"{"originIdx":1,"origin":"f0","session":{"masterNodeId":"f0","electionClock":0},
        "event":{"RunnerStatusUpdated":{"eventId":"e","runnerId":"r","runnerStatus":{"RunnerIdle":{}}}}}"#;
    let heard = heard::global(payload.as_bytes()).unwrap();
    let Event::RunnerStatusUpdated(runner) = heard.event() else { panic!() };
    assert_eq!((&*runner.runner_id, &*runner.runner_status.tag), ("r", "RunnerIdle"));
}

#[test]
fn news_of_an_unknown_kind_still_tells_that_a_node_lives() {
    for info in [
        r#"{"NodeBattery":{"percent":80}}"#,
        r#"{"ram_total":{"in_bytes":-5}}"#,
        "null",
        r#"{"MiscData":{}}"#,
    ] {
        hear(
            &format!(r#"{{"NodeGatheredInfo":{{"event_id":"e1","node_id":"a1","when":"","info":{info}}}}}"#),
            |heard| {
                let Event::NodeGatheredInfo(news) = &heard else { panic!("{heard:?}") };
                let Info::Other(raw) = news.info else { panic!("{heard:?}") };
                assert_eq!((&*news.node_id, raw.get(), heard.event_id()), ("a1", info, Some("e1")));
            },
        );
    }
}

#[test]
fn memory_is_read_whatever_the_order_of_its_fields() {
    let info = r#"{"swap_total":{"in_bytes":3},"extra":0,"ram_available":{"in_bytes":2},"ram_total":{"in_bytes":1},
        "swap_available":{"in_bytes":4}}"#;
    hear(&format!(r#"{{"NodeGatheredInfo":{{"node_id":"a1","info":{info}}}}}"#), |heard| {
        let Event::NodeGatheredInfo(heard::NodeGatheredInfo { info: Info::Memory(memory), .. }) = heard
        else {
            panic!("{heard:?}")
        };
        assert_eq!(
            [memory.ram_total, memory.ram_available, memory.swap_total, memory.swap_available],
            [1, 2, 3, 4]
        );
    });
}

#[test]
fn names_with_escapes_are_heard_as_they_were_meant() {
    let event = r#"{"NodeGatheredInfo":{"node_id":"a1","info":{"MiscData":{"friendly_name":"Ada\u2019s \ud83d\udcf1"}}}}"#;
    hear(event, |heard| {
        let Event::NodeGatheredInfo(heard::NodeGatheredInfo { info: Info::Name(name), .. }) = heard else {
            panic!()
        };
        assert_eq!(name, "Ada’s 📱");
    });
}

#[test]
fn a_pit_without_a_bottom_swallows_nobody() {
    let pit = "[".repeat(1 << 17);
    let shut = format!("{pit}{}", "]".repeat(1 << 17));
    assert!(heard::global(with_event(&pit).as_bytes()).is_err());
    hear(&shut, |heard| assert!(matches!(heard, Event::Unknown(_))));
    hear(&format!(r#"{{"ChunkGenerated":{{"command_id":"c","chunk":{shut}}}}}"#), |heard| {
        assert!(matches!(heard, Event::ChunkGenerated(_)));
    });
    hear(&format!(r#"{{"NodeGatheredInfo":{{"node_id":"a1","info":{shut}}}}}"#), |heard| {
        assert!(matches!(heard, Event::NodeGatheredInfo(_)));
    });
    assert!(heard::snapshot(format!(r#"{{"topology":{shut},"nodeMemory":{shut}}}"#).as_bytes()).is_ok());
}

#[test]
fn a_reason_never_repeats_a_long_lie() {
    let lie = format!(r#"{{"origin_idx":"{}"}}"#, "x".repeat(1 << 16));
    assert!(heard::global(lie.as_bytes()).unwrap_err().to_string().len() < 200);
    assert!(heard::global(b"\xff\xfe").is_err());
}

#[test]
fn a_master_says_what_it_heard_again_with_its_own_time_on_news() {
    let when = When::since_1970(Duration::from_secs(1_782_135_534));
    let session = SessionId { master_node_id: NodeId::heard("f0"), election_clock: 3 };
    let said_again = |event: &str| {
        let payload = with_event(event);
        let event = heard::local(payload.as_bytes()).unwrap().stamped(&when)?;
        let global = GlobalEvent {
            origin_idx: 5,
            origin: NodeId::heard("f0"),
            session: session.clone(),
            event: &*event,
        };
        let sealed = Gate::master_of_phones().seal(Topic::GlobalEvents, &global).unwrap();
        Some(heard::global(sealed.payload()).unwrap().event.get().to_owned())
    };
    let gone = r#"{"NodeTimedOut": {"event_id":"e1","node_id":"a1"}}"#;
    assert_eq!(said_again(gone).unwrap(), gone);
    let news = r#"{"NodeGatheredInfo":{"event_id":"e1","node_id":"a1","when":"whenever","info":{"NodeConfig": {}}}}"#;
    assert_eq!(said_again(news).unwrap(), news.replace("whenever", "2026-06-22 13:38:54.000000+00:00"));
    assert_eq!(said_again(r#"{"NodeGatheredInfo":{"node_id":7}}"#), None);
}
