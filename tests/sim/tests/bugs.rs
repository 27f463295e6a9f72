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
fn a_phone_that_votes_is_caught_at_once() {
    assert!(caught(Bug::Votes).broken.contains("published to election_messages"));
}

#[test]
fn a_phone_that_pulls_the_whole_log_is_caught() {
    assert!(caught(Bug::NackFromZero).broken.contains("asked for the log from 0"));
}
