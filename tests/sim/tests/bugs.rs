//! The invariants can fail: each injected bug is caught, and the failure says how to see it again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use exo_sim::{Bug, Config, World};

/// Runs seeds with the bug until one is caught.
fn caught(bug: Bug) -> exo_sim::Failure {
    (1..=8)
        .find_map(|seed| World::new(Config { bug: Some(bug), ..Config::of(seed, 12) }).run().err())
        .map_or_else(|| panic!("{bug} went unnoticed in eight seeds"), |failure| *failure)
}

#[test]
fn every_injected_bug_is_caught() {
    for bug in Bug::ALL {
        let failure = caught(bug);
        println!("{bug}: {}", failure.broken);
        assert!(failure.diagram.lines().count() > 20, "a diagram of what led to it");
        assert!(failure.config.replay().contains(&format!("--break {bug}")));
    }
}

#[test]
fn a_phone_that_sends_again_under_a_new_index_is_caught_by_the_log() {
    let why = caught(Bug::NewIndex).broken;
    assert!(why.contains("twice in the log") || why.contains("two indices"), "{why}");
}

#[test]
fn a_phone_that_uses_an_index_twice_is_caught_at_once() {
    assert!(caught(Bug::OtherContent).broken.contains("two contents"));
}

#[test]
fn three_times_the_same_is_caught_at_once() {
    assert!(caught(Bug::Floods).broken.contains("again after 0.000 s"));
}

#[test]
fn three_times_the_pace_of_all_phones_together_is_caught() {
    let why = caught(Bug::Hurries).broken;
    assert!(why.contains("all phones together"), "{why}");
}

#[test]
fn an_event_that_an_app_takes_for_acknowledged_after_a_restart_and_nobody_heard_is_caught() {
    let why = caught(Bug::Forgets).broken;
    assert!(why.contains("for acknowledged, which it never published"), "{why}");
}

#[test]
fn an_app_that_goes_on_under_its_old_origin_is_caught_when_it_uses_an_index_again() {
    assert!(caught(Bug::ReusedIndex).broken.contains("for two contents"));
}

#[test]
fn a_phone_that_votes_is_caught_at_once() {
    assert!(caught(Bug::Votes).broken.contains("published to election_messages"));
}

#[test]
fn a_phone_that_pulls_the_whole_log_is_caught() {
    assert!(caught(Bug::NackFromZero).broken.contains("asked for the log from 0"));
}
