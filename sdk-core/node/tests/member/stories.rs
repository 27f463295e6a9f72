//! What a member does, told as stories: each begins with a cluster, lets something happen, and says how it ends.

use crate::stage::{Exo, PHONE, Stage, pixel, router};
use std::net::SocketAddr;

use exo_node::{
    discovery::{Found, Locator, Provider},
    member::{Gauges, Input, MemberConfig, MemberState, Memory, Readings, Request},
};
use exo_wire::{NodeId, Topic, gathered::Backend};
use serde_json::json;

const MAC: &str = "669743c9aef71413b3b6698f4bce62d0";
const STUDIO: &str = "c9bf9d4a85283c61b261ba4cbc2fd81f";

const REGISTRATION: [&str; 6] = [
    "NodeBackends",
    "MiscData",
    "StaticNodeInformation",
    "NodeDiskUsage",
    "NodeNetworkInterfaces",
    "NodeConfig",
];

#[test]
fn a_phone_is_joined_as_soon_as_the_master_speaks() {
    let mut stage = Stage::with(Exo::named(MAC).aged(1000));
    stage.found(&[1]).until(0.3);
    assert_eq!(stage.kinds(), REGISTRATION);
    assert!(stage.is_joined());
    let states: Vec<_> = stage.states.iter().map(|(_, state)| state.clone()).collect();
    assert_eq!(
        states,
        [
            MemberState::Connecting { to: router(1).to_string() },
            MemberState::Joining,
            MemberState::Joined { nodes: 2 }
        ]
    );
    assert!(!stage.searching);
    let view = stage.member.view();
    assert_eq!(view.complete_to, Some(stage.exo.log.len() as u64 - 1));
    assert_eq!(view.nodes[PHONE].model.as_deref(), Some("Pixel 9"));
}

#[test]
fn a_phone_speaks_every_ten_seconds_and_never_shouts() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.said.clear();
    stage.until(602.0);
    let times: Vec<f64> = stage.said.iter().map(|(at, _)| *at).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] < 15.0));
    assert!((58..=70).contains(&times.len()), "{} events in ten minutes", times.len());
    assert_eq!(stage.member.stats().resent, 0);
    assert_eq!(stage.member.stats().acked, stage.member.stats().sent);
}

#[test]
fn a_phone_whose_screen_is_shown_speaks_every_second() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.said.clear();
    stage.request(Request::ScreenShown(true)).until(32.0);
    assert!((29..=31).contains(&stage.said.len()), "{}", stage.said.len());
}

#[test]
fn memory_is_told_only_while_an_engine_is_able() {
    let mut stage = Stage::joined(Exo::named(MAC));
    assert!(!stage.kinds().contains(&"MemoryUsage".to_owned()));
    stage.readings = Readings { able: true, backends: vec![Backend::MlxCpu], ..pixel() };
    stage.until(30.0);
    assert_eq!(stage.kinds()[..2], ["NodeBackends", "MemoryUsage"]);
    stage.readings = pixel();
    stage.until(60.0);
    let said = stage.said.clone();
    let kinds = stage.kinds();
    let gone = kinds.iter().position(|kind| kind == "NodeBackends").unwrap();
    assert_eq!(said[gone - 1].1["event"]["NodeGatheredInfo"]["info"]["ram_available"]["in_bytes"], 0);
    assert!(kinds[gone..].iter().all(|kind| kind != "MemoryUsage"), "{kinds:?}");
}

#[test]
fn what_is_not_acknowledged_is_sent_again_unchanged_after_five_seconds() {
    let mut stage = Stage::with(Exo::named(MAC));
    stage.exo.hears = false;
    stage.found(&[1]).until(8.0);
    let first = &stage.said[..6];
    let again: Vec<_> =
        stage.said[6..].iter().filter(|(_, said)| first.iter().any(|(_, f)| f == said)).collect();
    assert_eq!(again.len(), 6);
    assert!(
        first.iter().zip(&again).all(|((_, first), (_, again))| first == again),
        "in order, and unchanged"
    );
    assert!(again[0].0 - first[0].0 >= 5.0 && again[0].0 - first[0].0 <= 7.1);
    stage.exo.hears = true;
    stage.until(20.0);
    assert!(stage.is_joined());
    assert_eq!(stage.member.stats().acked, stage.member.stats().sent);
}

#[test]
fn a_master_that_restarts_with_clocks_from_zero_is_followed_within_five_seconds() {
    let mut stage = Stage::joined(Exo::named(MAC).aged(500));
    stage.until(10.0).said.clear();
    // The process dies and is back at once, with a new id, an empty log and clock 0.
    stage.exo = Exo::named(STUDIO);
    stage.unlink().until(15.0);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
    assert_eq!(stage.member.session().unwrap().master_node_id.as_str(), STUDIO);
    stage.said.retain(|(_, local)| local["session"]["master_node_id"] == STUDIO);
    assert_eq!(stage.said[0].1["origin_idx"], 0);
    assert_eq!(stage.kinds()[..6], REGISTRATION);
}

#[test]
fn an_heir_elected_after_the_masters_death_is_followed_within_five_seconds() {
    let mut stage = Stage::joined(Exo::named(MAC).aged(500));
    stage.until(10.0);
    stage.exo = Exo::named(STUDIO);
    (stage.exo.clock, stage.exo.talks) = (4, false);
    stage.until(10.2).propose(4, 1, STUDIO).until(13.2).propose(4, 1, STUDIO);
    stage.exo.talks = true;
    stage.until(15.0);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
    assert_eq!(stage.member.session().unwrap().election_clock, 4);
}

#[test]
fn a_router_that_dies_is_replaced_by_another_within_a_second() {
    let mut stage = Stage::joined(Exo::named(MAC));
    assert_eq!(stage.linked, Some(router(1)));
    stage.until(10.0).routers = vec![router(2)];
    stage.unlink().until(11.1);
    assert_eq!(stage.linked, Some(router(2)));
    assert!(stage.is_joined(), "{:?}", stage.member.state());
    assert_eq!(stage.member.stats().sessions, 1, "the session is the same");
}

#[test]
fn a_partition_ends_in_joined_within_five_seconds_of_its_healing() {
    for length in [3.0, 8.0, 20.0, 90.0] {
        let mut stage = Stage::joined(Exo::named(MAC));
        stage.network = false;
        stage.until(2.0 + length).network = true;
        stage.until(2.0 + length + 5.0);
        assert!(stage.is_joined(), "after {length} s: {:?}", stage.member.state());
        stage.until(2.0 + length + 20.0);
        assert_eq!(stage.member.stats().acked, stage.member.stats().sent);
    }
}

#[test]
fn a_cluster_that_is_gone_for_a_minute_is_searched_anew() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.network = false;
    stage.unlink().until(30.0);
    assert!(matches!(stage.member.state(), MemberState::Degraded { .. }), "{:?}", stage.member.state());
    stage.until(100.0);
    let searches = matches!(stage.member.state(), MemberState::Searching | MemberState::Connecting { .. });
    assert!(searches, "{:?}", stage.member.state());
    stage.network = true;
    stage.until(105.0);
    assert!(stage.is_joined());
}

#[test]
fn a_silent_master_degrades_us_and_another_router_is_tried() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.routers = vec![router(1), router(2)];
    stage.exo.talks = false;
    stage.exo.hears = false;
    stage.dials.clear();
    stage.until(7.0);
    assert!(matches!(stage.member.state(), MemberState::Degraded { .. }), "{:?}", stage.member.state());
    assert!(stage.searching);
    stage.until(15.0);
    assert_eq!(stage.dials[0].1[0], router(2));
    (stage.exo.talks, stage.exo.hears) = (true, true);
    stage.until(20.0);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
}

#[test]
fn a_phone_that_roams_notices_its_dead_link() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(10.0);
    // The old address is gone: the link carries nothing, and nobody says so.
    stage.linked = None;
    stage.input(Input::NetworkChanged);
    assert!(stage.searching, "who is here is found while the link is doubted");
    stage.until(10.1).found(&[1]).until(14.0);
    assert!(stage.linked.is_some() && !stage.searching);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
}

#[test]
fn a_phone_that_slept_verifies_its_link_and_tells_everything_again() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(10.0).said.clear();
    // Two minutes: the link is dead, and the master has timed us out.
    stage.exo.log.push(json!({"NodeTimedOut": {"event_id": "t", "node_id": PHONE}}));
    stage.linked = None;
    stage.sleep(120.0).until(135.0);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
    assert_eq!(stage.kinds()[..6], REGISTRATION);
    assert!(stage.member.view().nodes[PHONE].present);
}

#[test]
fn a_phone_that_slept_on_a_link_that_lives_keeps_it() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(10.0).dials.clear();
    stage.sleep(20.0).until(35.0);
    assert!(stage.dials.is_empty());
    assert!(stage.is_joined(), "{:?}", stage.member.state());
}

#[test]
fn a_member_that_was_timed_out_tells_everything_again_but_does_not_shout() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(20.0).said.clear();
    for n in 0..50 {
        stage.exo.log.push(json!({"NodeTimedOut": {"event_id": format!("t{n}"), "node_id": PHONE}}));
        let index = stage.exo.log.len() - 1;
        stage.publish(index);
        stage.until(20.0 + f64::from(n) / 10.0);
    }
    let registrations = stage.kinds().iter().filter(|kind| *kind == "NodeBackends").count();
    assert_eq!(registrations, 1, "once in ten seconds");
}

#[test]
fn a_log_that_is_sent_from_its_beginning_and_tells_of_our_former_life_is_old_news() {
    let mut exo = Exo::named(MAC).aged(20);
    exo.api = false;
    exo.log.push(json!({"NodeTimedOut": {"event_id": "t", "node_id": PHONE}}));
    let config =
        MemberConfig { allow_unknown_build: true, ..MemberConfig::of(NodeId::parse(PHONE).unwrap()) };
    let mut stage = Stage::set(config, exo.aged(20));
    stage.found(&[1]).until(2.0);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
    assert_eq!(stage.kinds()[..6], REGISTRATION);
    (0..stage.exo.log.len()).for_each(|index| stage.publish(index));
    stage.until(2.1);
    assert_eq!(stage.member.view().complete_to, Some(stage.exo.log.len() as u64 - 1));
    stage.until(20.0);
    assert!(!stage.kinds().contains(&"NodeBackends".to_owned()), "all is known already");
}

#[test]
fn a_hole_in_the_log_is_healed_by_a_nack() {
    let mut stage = Stage::joined(Exo::named(MAC).aged(50));
    stage.exo.aged_quietly(3);
    stage.until(5.0);
    assert_eq!(stage.commands.len(), 1);
    assert_eq!(stage.member.stats().nacks, 1);
    assert_eq!(stage.member.view().complete_to, Some(stage.exo.log.len() as u64 - 1));
}

#[test]
fn a_hole_too_large_for_a_replay_is_healed_by_a_snapshot() {
    let mut stage = Stage::joined(Exo::named(MAC).aged(50));
    stage.exo.aged_quietly(5000);
    stage.until(6.0);
    assert!(stage.commands.is_empty(), "{:?}", stage.commands);
    assert_eq!(stage.fetches.len(), 2);
    assert_eq!(stage.member.view().complete_to, Some(stage.exo.log.len() as u64 - 1));
}

#[test]
fn without_a_state_the_view_is_partial_and_the_log_is_never_pulled_from_zero() {
    let mut stage = Stage::with(Exo::named(MAC).aged(5000));
    stage.exo.api = false;
    stage.found(&[1]).until(30.0);
    assert!(stage.is_joined());
    assert_eq!(stage.member.view().complete_to, None);
    assert!(stage.member.view().nodes[MAC].memory.is_some());
    assert!(stage.commands.is_empty());
    stage.exo.api = true;
    stage.until(80.0);
    assert_eq!(
        stage.member.view().complete_to,
        Some(stage.exo.log.len() as u64 - 1),
        "a later try completes it"
    );
}

#[test]
fn a_router_found_by_its_link_local_address_is_asked_for_its_state_when_an_ipv4_one_is_found_too() {
    let mut stage = Stage::with(Exo::named(MAC).aged(300));
    let scoped = Locator::new(SocketAddr::from(([0xfe80, 0, 0, 0, 0, 0, 0, 1], 52414)));
    stage.routers = vec![scoped];
    let found = |locators, api| Found { locators, zid: None, api, by: Provider::Multicast };
    stage.input(Input::Found(found(vec![scoped], None))).until(0.3);
    assert!(stage.fetches.is_empty());
    assert_eq!(*stage.member.state(), MemberState::Joining, "one event alone does not show the build");
    let api = Some(SocketAddr::from(([10, 0, 0, 1], 52415)));
    stage.input(Input::Found(found(vec![scoped, router(1)], api))).until(0.35);
    assert_eq!(stage.fetches.len(), 1);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
}

#[test]
fn a_state_of_another_session_is_not_believed() {
    for lie in [
        json!({"lastEventAppliedIdx": 90_000}),
        json!({"topology": {"nodes": ["somebody"], "connections": {}}}),
        json!({"lastEventAppliedIdx": "many"}),
    ] {
        let mut stage = Stage::with(Exo::named(MAC).aged(500));
        stage.exo.state = lie;
        stage.found(&[1]).until(3.0);
        assert_eq!(stage.member.stats().snapshots, 0);
        stage.exo.state = json!({});
        stage.until(5.0);
        assert_eq!(stage.member.stats().snapshots, 1);
        assert_eq!(stage.member.view().complete_to, Some(stage.exo.log.len() as u64 - 1));
    }
}

#[test]
fn leaving_is_said_acknowledged_and_then_the_link_is_closed() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.kinds();
    stage.request(Request::Leave);
    assert_eq!(*stage.member.state(), MemberState::Draining);
    stage.until(2.1);
    assert_eq!(stage.kinds(), ["NodeTimedOut"]);
    assert_eq!(*stage.member.state(), MemberState::Left);
    assert!(stage.hung_up && !stage.searching);
    assert_eq!(stage.exo.log.last().unwrap()["NodeTimedOut"]["node_id"], PHONE);
    stage.until(60.0).found(&[1]).until(120.0);
    assert!(stage.kinds().is_empty(), "nothing is said after the goodbye");
}

#[test]
fn leaving_a_deaf_master_takes_two_seconds() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.exo.hears = false;
    stage.request(Request::Leave).until(3.9);
    assert_eq!(*stage.member.state(), MemberState::Draining);
    stage.until(4.0);
    assert_eq!(*stage.member.state(), MemberState::Left);
    assert!(stage.hung_up);
}

#[test]
fn leaving_without_a_link_is_immediate() {
    let mut stage = Stage::with(Exo::named(MAC));
    stage.request(Request::Leave);
    assert_eq!(*stage.member.state(), MemberState::Left);
    assert!(stage.member.deadline().is_none());
}

#[test]
fn what_a_killed_phone_left_behind_is_cleaned_when_it_is_back() {
    let mut stage = Stage::with(Exo::named(MAC).aged(20));
    let shards = json!({"modelId": "m", "runnerToShard": {}, "nodeToRunner": {PHONE: "run-1"}});
    let others = json!({"modelId": "m", "runnerToShard": {}, "nodeToRunner": {MAC: "run-2"}});
    stage.exo.state = json!({
        "instances": {
            "i1": {"MlxRingInstance": {"instanceId": "i1", "shardAssignments": shards, "hostsByNode": {}, "ephemeralPort": 1}},
            "i2": {"MlxRingInstance": {"instanceId": "i2", "shardAssignments": others, "hostsByNode": {}, "ephemeralPort": 2}}},
        "runners": {"run-1": {"RunnerReady": {"prefillServerPort": null}}, "run-2": {"RunnerIdle": {}}},
        "tasks": {
            "t1": {"LoadModel": {"taskId": "t1", "taskStatus": "Running", "instanceId": "i1"}},
            "t2": {"LoadModel": {"taskId": "t2", "taskStatus": "Complete", "instanceId": "i1"}},
            "t3": {"LoadModel": {"taskId": "t3", "taskStatus": "Running", "instanceId": "i2"}}}});
    stage.found(&[1]).until(5.0);
    let cleaned: Vec<_> = stage.said[6..].iter().map(|(_, local)| local["event"].clone()).collect();
    assert_eq!(cleaned[0]["TaskStatusUpdated"]["task_id"], "t1");
    assert_eq!(cleaned[0]["TaskStatusUpdated"]["task_status"], "Failed");
    assert_eq!(cleaned[1]["RunnerStatusUpdated"]["runner_id"], "run-1");
    assert_eq!(cleaned[1]["RunnerStatusUpdated"]["runner_status"], json!({"RunnerShutdown": {}}));
    assert!(cleaned.get(2).is_none_or(|next| next.get("NodeGatheredInfo").is_some()));
}

#[test]
fn one_who_was_asked_to_listen_says_nothing_at_all() {
    let mut config = MemberConfig::of(NodeId::parse(PHONE).unwrap());
    config.listen_only = true;
    let mut stage = Stage::set(config, Exo::named(MAC).aged(50));
    stage.found(&[1]).until(20.0);
    stage.exo.aged_quietly(3);
    stage.until(120.0);
    assert!(matches!(stage.member.state(), MemberState::ListeningOnly { .. }));
    assert_eq!(stage.member.view().complete_to, Some(stage.exo.log.len() as u64 - 1));
    stage.request(Request::Leave).until(130.0);
    assert!(stage.said.is_empty() && stage.commands.is_empty());
}

#[test]
fn nothing_is_said_to_a_build_that_is_not_known() {
    let mut stage = Stage::with(Exo::named(MAC));
    stage.exo.log.push(json!({"QuantumEntangled": {"event_id": "q", "node_id": MAC}}));
    stage.exo.talks = false;
    stage.found(&[1]).until(0.1).publish(0);
    stage.exo.talks = true;
    stage.until(30.0);
    assert!(stage.said.is_empty());
    assert!(matches!(stage.member.state(), MemberState::ListeningOnly { .. }), "{:?}", stage.member.state());
    stage.request(Request::AllowUnknownBuild(true)).until(31.0);
    assert!(stage.is_joined(), "the app may allow it: {:?}", stage.member.state());
}

#[test]
fn a_known_cluster_that_begins_to_say_unknown_things_is_spoken_to_no_more() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(100.0).said.clear();
    stage.exo.log.push(json!({"QuantumEntangled": {"event_id": "q", "node_id": MAC}}));
    let index = stage.exo.log.len() - 1;
    stage.publish(index);
    stage.until(200.0);
    assert!(stage.said.is_empty());
    let MemberState::ListeningOnly { why } = stage.member.state() else {
        panic!("{:?}", stage.member.state())
    };
    assert!(why.contains("QuantumEntangled"), "{why}");
}

#[test]
fn a_state_with_unknown_keys_ends_our_speaking() {
    let mut stage = Stage::with(Exo::named(MAC).aged(10));
    stage.exo.state = json!({"quantumLinks": {}});
    stage.found(&[1]).until(2.0).said.clear();
    stage.until(60.0);
    assert!(stage.said.is_empty());
    assert!(matches!(stage.member.state(), MemberState::ListeningOnly { .. }), "{:?}", stage.member.state());
}

#[test]
fn a_fake_master_cannot_drag_us_from_one_that_talks() {
    let mut stage = Stage::joined(Exo::named(MAC));
    let fake = Exo::named("f00d").aged(1).global(0);
    for tenth in 0..600u32 {
        stage.until(2.0 + f64::from(tenth) / 10.0).hears(Topic::GlobalEvents, fake.as_bytes());
        stage.propose(1_000_000, 1_000_000, "f00d");
    }
    assert!(stage.is_joined());
    assert_eq!(stage.member.session().unwrap().master_node_id.as_str(), MAC);
    assert_eq!(stage.member.stats().sessions, 1);
}

#[test]
fn a_master_that_never_acknowledges_is_left_for_one_that_does() {
    let mut stage = Stage::with(Exo::named(MAC));
    let fake = Exo::named("f00d").aged(1).global(0);
    stage.exo.talks = false;
    stage.found(&[1]).until(0.1).hears(Topic::GlobalEvents, fake.as_bytes());
    assert_eq!(stage.member.session().unwrap().master_node_id.as_str(), "f00d");
    stage.exo.talks = true;
    for second in 1..25u32 {
        stage.until(f64::from(second)).hears(Topic::GlobalEvents, fake.as_bytes());
    }
    assert_eq!(stage.member.session().unwrap().master_node_id.as_str(), MAC);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
}

#[test]
fn a_phone_that_was_cut_off_for_longer_than_the_timeout_tells_everything_again() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(5.0).kinds();
    stage.network = false;
    stage.unlink().until(42.0);
    // The state that it finds shows it: its next sign of life came before the snapshot. Its disk is gone all the same.
    stage.network = true;
    stage.until(50.0);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
    let told = stage.kinds();
    for kind in ["NodeBackends", "MiscData", "StaticNodeInformation", "NodeDiskUsage"] {
        assert!(told.contains(&kind.to_owned()), "{kind} is not in {told:?}");
    }
}

#[test]
fn absurd_readings_harm_nobody_and_do_not_cost_us_our_place() {
    let mut stage = Stage::joined(Exo::named(MAC));
    let most = u64::MAX;
    let gauges =
        Gauges { temperature: Some(1e300), gpu_use: Some(-7.0), power: Some(f64::NAN), ..Gauges::default() };
    stage.readings = Readings {
        able: true,
        backends: vec![Backend::MlxCpu],
        memory: Some(Memory { total: most, available: most, swap_total: 0, swap_available: most }),
        gauges,
        ..pixel()
    };
    stage.until(60.0);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
    assert!(stage.said.last().unwrap().0 > 45.0, "something always goes out");
}

#[test]
fn a_probe_that_never_answers_does_not_keep_us_out() {
    let mut stage = Stage::with(Exo::named(MAC));
    stage.found(&[1]);
    stage.forget_readings();
    stage.until(1.9);
    stage.forget_readings();
    assert!(stage.said.len() <= 2);
    stage.until(3.0);
    assert_eq!(stage.kinds()[..2], ["NodeBackends", "NodeConfig"]);
}

#[test]
fn events_on_their_way_when_the_session_ends_are_not_said_in_the_next() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.exo.hears = false;
    stage.until(20.0).said.clear();
    let unheard = stage.member.stats();
    assert!(unheard.acked < unheard.sent);
    stage.exo = Exo::named(STUDIO);
    stage.until(40.0);
    let origins: std::collections::BTreeSet<_> = stage
        .said
        .iter()
        .filter(|(_, local)| local["session"]["master_node_id"] == STUDIO)
        .map(|(_, local)| local["origin"].to_string())
        .collect();
    assert_eq!(origins.len(), 1, "one new stream");
    assert!(stage.is_joined(), "{:?}", stage.member.state());
}

#[test]
fn a_timeout_that_is_heard_of_after_we_told_everything_again_is_old_news() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(5.0);
    stage.network = false;
    stage.unlink().until(40.0).kinds();
    // The master's word comes to us only with the gap that it left in what we heard.
    stage.exo.log.push(json!({"NodeTimedOut": {"event_id": "t", "node_id": PHONE}}));
    stage.exo.api = false;
    stage.network = true;
    stage.until(70.0);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
    let told = stage.kinds().iter().filter(|kind| *kind == "StaticNodeInformation").count();
    assert_eq!(told, 1, "everything was told again, once");
}
