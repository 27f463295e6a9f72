//! What a member keeps to itself: until it knows whom it speaks to, and until it knows where it is.

use crate::stage::{Exo, PHONE, Stage, pixel, router};

use exo_node::member::{Input, MemberState, Readings, Request};
use exo_wire::gathered::Backend;
use serde_json::json;

const MAC: &str = "669743c9aef71413b3b6698f4bce62d0";
const STUDIO: &str = "c9bf9d4a85283c61b261ba4cbc2fd81f";

#[test]
fn a_restarted_exo_hears_nothing_before_we_heard_it() {
    let mut stage = Stage::joined(Exo::named(MAC).aged(100));
    // Something is on its way when the process ends; the new one may be of a build that dies of it.
    stage.exo.hears = false;
    stage.until(14.0).said.clear();
    assert!(stage.member.stats().acked < stage.member.stats().sent);
    stage.exo = Exo::named(STUDIO);
    stage.exo.talks = false;
    stage.unlink().until(24.0);
    assert_eq!(stage.linked, Some(router(1)));
    assert!(stage.said.is_empty() && stage.commands.is_empty(), "{:?} {:?}", stage.said, stage.commands);
}

#[test]
fn an_exo_that_was_upgraded_under_us_is_only_listened_to() {
    let mut stage = Stage::joined(Exo::named(MAC).aged(100));
    stage.exo.hears = false;
    stage.until(14.0).said.clear();
    stage.exo = Exo::named(STUDIO);
    stage.exo.talks = false;
    stage.exo.log.push(json!({"BrandNew": {"event_id": "e0"}}));
    stage.unlink().until(14.1);
    for _ in 0..10 {
        stage.publish(0);
        stage.until(stage.now + 1.0);
    }
    assert!(stage.said.is_empty(), "{:?}", stage.said);
    assert!(matches!(stage.member.state(), MemberState::ListeningOnly { .. }), "{:?}", stage.member.state());
}

#[test]
fn on_another_network_nobody_is_dialled_whom_discovery_has_not_found_there() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(10.0).network = false;
    stage.dials.clear();
    stage.input(Input::NetworkChanged).until(10.5);
    // At the same address there may be an exo of another namespace here.
    stage.network = true;
    stage.unlink().until(20.0);
    assert!(stage.dials.is_empty(), "{:?}", stage.dials);
    assert!(stage.searching, "discovery is asked instead");
    stage.found(&[1]).until(22.0);
    assert_eq!(stage.dials.len(), 1);
    assert!(stage.is_joined(), "{:?}", stage.member.state());
}

#[test]
fn a_link_that_survived_a_change_of_the_network_is_dialled_again_when_it_is_lost() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.input(Input::NetworkChanged).until(6.0);
    assert!(stage.is_joined());
    stage.dials.clear();
    stage.unlink().until(8.0);
    assert_eq!(stage.dials.first().map(|(_, to)| to.clone()), Some(vec![router(1)]));
    assert!(stage.is_joined(), "{:?}", stage.member.state());
}

#[test]
fn memory_that_a_killed_run_left_on_offer_is_taken_back() {
    let bytes = |n: u64| json!({"inBytes": n});
    let mut stage = Stage::with(Exo::named(MAC).aged(3));
    stage.exo.state = json!({"nodeMemory": {PHONE: {"ramTotal": bytes(12 << 30), "ramAvailable": bytes(5 << 30),
        "swapTotal": bytes(0), "swapAvailable": bytes(0)}}});
    stage.found(&[1]).until(2.0);
    let offers: Vec<_> = stage
        .said
        .iter()
        .filter_map(|(_, local)| {
            local["event"]["NodeGatheredInfo"]["info"]["ram_available"]["in_bytes"].as_u64()
        })
        .collect();
    assert_eq!(offers, [0], "placements of others would fail for as long as we stay");
}

#[test]
fn an_engine_that_stopped_while_we_were_cut_off_is_taken_back_when_we_return() {
    let mut stage = Stage::with(Exo::named(MAC));
    stage.readings = Readings { able: true, backends: vec![Backend::MlxCpu], ..pixel() };
    stage.found(&[1]).until(5.0);
    assert!(stage.kinds().contains(&"MemoryUsage".to_owned()));
    stage.network = false;
    stage.readings = pixel();
    stage.unlink().until(33.0).network = true;
    stage.until(40.0);
    let last = stage.said.iter().rev().find_map(|(_, local)| {
        local["event"]["NodeGatheredInfo"]["info"]["ram_available"]["in_bytes"].as_u64()
    });
    assert_eq!(last, Some(0));
}

#[test]
fn a_goodbye_is_said_over_a_new_link_if_the_old_one_is_lost() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(5.0).unlink().request(Request::Leave).until(7.5);
    assert_eq!(*stage.member.state(), MemberState::Left);
    assert!(stage.exo.log.iter().any(|event| event.get("NodeTimedOut").is_some()), "exo was not told");
    assert!(stage.member.goodbye_was_heard());
}

#[test]
fn a_goodbye_that_nobody_can_hear_ends_at_its_deadline() {
    let mut stage = Stage::joined(Exo::named(MAC));
    stage.until(5.0).network = false;
    stage.unlink().request(Request::Leave).until(7.1);
    assert_eq!(*stage.member.state(), MemberState::Left);
    assert!(!stage.member.goodbye_was_heard());
}
