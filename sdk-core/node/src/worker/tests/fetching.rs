//! Weights that are not here come, and exo is told of it in few words.

use std::time::Duration;

use exo_wire::RunnerId;
use serde_json::Value;

use super::stage::{MODEL, Story, instance_created, instance_deleted};
use crate::worker::{Allowed, Fetching, Input, Report, Wish, rehearsal::Script};

fn fetching_for(seconds: u64) -> Story {
    let mut story =
        Story::of(Script { stored: false, fetch: Duration::from_secs(seconds), ..Script::default() });
    story.event(&instance_created("i", "r", MODEL));
    story
}

fn downloads(story: &Story) -> Vec<String> {
    story.words().into_iter().filter(|word| word.starts_with("Download")).collect()
}

/// What was last told of the download.
fn last(story: &Story) -> (String, Value) {
    let said = story.said.iter().rev().find(|said| said.tag == "NodeDownloadProgress").unwrap();
    (said.word(), said.body["download_progress"][said.word()].clone())
}

fn costly() -> Input<'static> {
    Input::Allowed(Allowed { costly: Some("this network costs money".into()), ..Allowed::default() })
}

#[test]
fn weights_that_are_not_here_are_fetched_and_told_once_a_second_at_most() {
    let mut story = fetching_for(8);
    story.run(10_000);
    assert_eq!(
        downloads(&story),
        [
            "DownloadModel",
            "DownloadPending",
            "DownloadOngoing",
            "DownloadOngoing",
            "DownloadOngoing",
            "DownloadCompleted"
        ]
    );
    let ongoing = story.said.iter().find(|said| said.word() == "DownloadOngoing").unwrap();
    let progress = &ongoing.body["download_progress"]["DownloadOngoing"]["download_progress"];
    assert_eq!(progress["downloaded"]["in_bytes"].as_u64().unwrap() * 4, progress["total"]["in_bytes"]);
    assert_eq!(story.words().last().unwrap(), "RunnerReady");
}

#[test]
fn a_download_of_hours_is_told_no_more_often_than_one_of_minutes() {
    let mut story = fetching_for(1_000_000_000);
    let total = 1000;
    for done in 0..total {
        let so_far = Fetching { done, total, fresh: done, files_done: 0, files: 1, speed: 0.1 };
        story.run(10_000).tell(Input::Engine(Report::Fetching(RunnerId::heard("r"), so_far)));
    }
    let told = story.count("DownloadOngoing");
    assert!((9..=11).contains(&told), "{told}");
}

#[test]
fn where_bytes_cost_money_nothing_is_offered_for_fetching_and_nothing_is_fetched() {
    let mut story = Story::of(Script { stored: false, ..Script::default() });
    assert!(story.worker.offer(story.time()).able);
    story.tell(costly());
    assert!(!story.worker.offer(story.time()).able);
    story.event(&instance_created("i", "r", MODEL)).run(1000);
    assert_eq!(story.words(), ["RunnerFailed", "DeleteInstance"]);
    let why = story.said[0].body.to_string();
    assert!(why.contains("nothing is fetched now: this network costs money"), "{why}");
    assert!(!story.wishes.iter().any(|wish| matches!(wish, Wish::Fetch(..))));
}

#[test]
fn what_is_here_already_is_run_whatever_bytes_cost() {
    let mut story = Story::new();
    story.tell(costly()).event(&instance_created("i", "r", MODEL)).run(1000);
    assert_eq!(story.words().last().unwrap(), "RunnerReady");
}

#[test]
fn a_phone_that_walks_out_of_the_wifi_stops_fetching() {
    let mut story = fetching_for(40);
    story.run(15_000).tell(costly()).run(1000);
    let (word, told) = last(&story);
    assert_eq!(word, "DownloadFailed");
    assert!(told["error_message"].as_str().unwrap().contains("costs money"), "{told}");
    assert!(story.wishes.iter().any(|wish| matches!(wish, Wish::Unload(_))), "the engine stops");
    assert_eq!(story.count("DeleteInstance"), 1);
}

#[test]
fn a_download_that_nobody_wants_any_more_rests_where_it_is() {
    let mut story = fetching_for(40);
    story.run(15_000).event(&instance_deleted("i")).run(1000);
    let (word, told) = last(&story);
    assert_eq!(word, "DownloadPending");
    let (done, total) = (told["downloaded"]["in_bytes"].as_u64(), told["total"]["in_bytes"].as_u64());
    assert_eq!(done.map(|done| done * 4), total, "what came is told");
    assert!(story.wishes.iter().any(|wish| matches!(wish, Wish::Unload(_))), "the engine stops");
    assert_eq!(story.words().last().unwrap(), "RunnerShutdown");
}
