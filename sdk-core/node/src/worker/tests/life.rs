//! The life of a runner.

use serde_json::{Value, json};

use super::{
    super::{Allowed, Input, Offer, Wish, rehearsal::Script},
    stage::{MODEL, Story, instance, instance_created, instance_deleted},
};

const MADE_READY: [&str; 16] = [
    "CreateRunner",
    "RunnerIdle",
    "TaskComplete",
    "DownloadModel",
    "DownloadCompleted",
    "TaskComplete",
    "LoadModel",
    "TaskRunning",
    "RunnerLoading",
    "RunnerLoading",
    "TaskComplete",
    "RunnerLoaded",
    "StartWarmup",
    "TaskRunning",
    "RunnerWarmingUp",
    "TaskComplete",
];

#[test]
fn a_model_that_is_placed_here_is_made_ready_in_exos_order() {
    let mut story = Story::new();
    story.event(&instance_created("i", "r", MODEL)).run(1000);
    let words = story.words();
    assert_eq!(words[..16], MADE_READY);
    assert_eq!(words[16..], ["RunnerReady"]);
}

#[test]
fn an_instance_of_other_nodes_is_none_of_our_business() {
    let mut story = Story::new();
    let text = instance_created("i", "r", MODEL).to_string().replace(super::stage::PHONE, "c0ffee");
    story.event(&serde_json::from_str(&text).unwrap()).run(1000);
    assert!(story.said.is_empty() && story.wishes.is_empty());
}

#[test]
fn a_runner_whose_instance_is_deleted_shuts_down_and_lets_go_of_its_memory() {
    let mut story = Story::ready();
    story.event(&instance_deleted("i")).run(100);
    assert_eq!(story.words(), ["Shutdown", "RunnerShuttingDown", "TaskComplete", "RunnerShutdown"]);
    assert_eq!(story.worker.work(), (false, 0));
}

#[test]
fn a_download_in_the_middle_ends_with_its_instance() {
    let mut story =
        Story::of(Script { stored: false, fetch: std::time::Duration::from_mins(1), ..Script::default() });
    story.event(&instance_created("i", "r", MODEL)).run(5000);
    story.said.clear();
    story.event(&instance_deleted("i")).run(100_000);
    assert_eq!(
        story.words(),
        [
            "DownloadPending",
            "TaskCancelled",
            "Shutdown",
            "RunnerShuttingDown",
            "TaskComplete",
            "RunnerShutdown"
        ]
    );
}

#[test]
fn what_cannot_be_run_is_given_back_after_the_offer_is_withdrawn_and_offered_again_after_a_minute() {
    let mut story = Story::new();
    assert!(story.worker.offer(story.time()).able);
    story.event(&instance_created("i", "r", "mlx-community/Unsuitable-7B")).run(4000);
    assert_eq!(story.words(), ["RunnerFailed", "DeleteInstance"]);
    assert_eq!(story.said[0].offer, Offer::NOTHING, "exo could place it here again");
    let why = &story.said[0].body["runner_status"]["RunnerFailed"]["error_message"];
    assert!(why.as_str().unwrap().contains("no model for a rehearsal"), "{why}");
    assert!(story.said[1].at >= story.said[0].at + 5, "before the refusal was in the log");
    assert_eq!(story.said[1].body["instance_id"], "i");
    story.event(&instance_deleted("i")).run(10);
    assert_eq!(story.words()[2..], ["RunnerShutdown"]);
    story.run(54_000);
    assert!(!story.worker.offer(story.time()).able);
    story.run(3000);
    assert!(story.worker.offer(story.time()).able);
}

#[test]
fn an_instance_that_does_not_go_is_asked_to_go_again() {
    let mut story = Story::new();
    story.event(&instance_created("i", "r", "mlx-community/Unsuitable-7B")).run(16_000);
    assert_eq!(story.count("DeleteInstance"), 4, "{:?}", story.words());
    assert_eq!(story.count("RunnerFailed"), 1);
}

#[test]
fn a_model_that_is_too_large_says_by_how_much() {
    let mut story = Story::of(Script { room: 1 << 20, ..Script::default() });
    assert_eq!(story.worker.offer(story.time()).memory, Some(1 << 20));
    story.event(&instance_created("i", "r", MODEL)).run(100);
    let why = story.said[0].body["runner_status"]["RunnerFailed"]["error_message"].to_string();
    assert!(why.contains("342884352") && why.contains("1048576"), "{why}");
}

#[test]
fn a_model_beyond_the_owners_cap_is_given_back() {
    let mut story = Story::new();
    story.tell(Input::Allowed(Allowed { memory: Some(300_000_000), ..Allowed::default() }));
    story.event(&instance_created("i", "r", MODEL)).run(100);
    assert_eq!(story.words(), ["RunnerFailed", "DeleteInstance"]);
}

fn changed(change: impl Fn(&mut Value)) -> Value {
    let mut instance = instance("i", "r", MODEL);
    change(&mut instance);
    json!({ "InstanceCreated": { "event_id": "e", "instance": instance } })
}

fn shard(instance: &mut Value) -> &mut Value {
    &mut instance["MlxRingInstance"]["shard_assignments"]["runner_to_shard"]["r"]["PipelineShardMetadata"]
}

#[test]
fn a_part_of_a_model_a_group_and_what_cannot_be_read_are_given_back() {
    let cases = [
        changed(|instance| shard(instance)["world_size"] = json!(2)),
        changed(|instance| shard(instance)["end_layer"] = json!(14)),
        changed(|instance| shard(instance)["colour"] = json!("red")),
        changed(|instance| {
            let shard = shard(instance).clone();
            instance["MlxRingInstance"]["shard_assignments"]["runner_to_shard"]["r"] =
                json!({ "TensorShardMetadata": shard });
        }),
    ];
    for case in cases {
        let mut story = Story::new();
        story.event(&case).run(100);
        assert_eq!(story.words(), ["RunnerFailed", "DeleteInstance"], "{case}");
        assert!(!story.wishes.iter().any(|wish| matches!(wish, Wish::Load(..))));
    }
}

#[test]
fn a_load_that_fails_is_tried_again_with_growing_patience() {
    let mut story = Story::of(Script { bad_loads: 2, ..Script::default() });
    story.event(&instance_created("i", "r", MODEL)).run(10_000);
    let failures: Vec<u64> =
        story.said.iter().filter(|said| said.word() == "RunnerFailed").map(|said| said.at).collect();
    let again: Vec<u64> =
        story.said.iter().filter(|said| said.word() == "RunnerIdle").map(|said| said.at).collect();
    assert_eq!((failures.len(), again.len()), (2, 3));
    assert_eq!((again[1] - failures[0], again[2] - failures[1]), (500, 1000));
    assert_eq!(story.words().last().unwrap(), "RunnerReady");
    assert!(story.worker.offer(story.time()).able, "a failure that passes is no reason to hide");
}

#[test]
fn a_load_that_never_works_is_given_back_after_five_more_tries() {
    let mut story = Story::of(Script { bad_loads: 100, ..Script::default() });
    story.event(&instance_created("i", "r", MODEL)).run(17_000);
    assert_eq!((story.count("RunnerFailed"), story.count("RunnerIdle")), (6, 6));
    assert_eq!(story.words().last().unwrap(), "DeleteInstance");
    assert!(!story.worker.offer(story.time()).able);
    let tasks =
        story.said.iter().filter(|said| said.tag == "TaskCreated").map(|said| said.body["task_id"].clone());
    for task in tasks {
        let task = task.as_str().unwrap();
        let last = story.task_statuses(task).last().cloned();
        assert!(matches!(last.as_deref(), Some("Complete" | "Failed")), "task {task} was left {last:?}");
    }
}

#[test]
fn leaving_ends_every_runner() {
    let mut story = Story::ready();
    story.tell(Input::Leave);
    assert_eq!(story.words(), ["RunnerShutdown"]);
    assert!(matches!(story.wishes.last(), Some(Wish::Unload(_))));
    assert!(!story.worker.offer(story.time()).able);
}

#[test]
fn two_models_run_beside_each_other_as_far_as_memory_goes() {
    let mut story = Story::of(Script { room: 800_000_000, ..Script::default() });
    story.event(&instance_created("i", "r", MODEL)).run(1000);
    let left = story.worker.offer(story.time()).memory.unwrap();
    assert!(left < 500_000_000, "{left}");
    story.event(&instance_created("j", "s", MODEL)).run(1000);
    assert_eq!(story.count("RunnerReady"), 2);
    story.event(&instance_created("k", "t", MODEL)).run(100);
    assert_eq!(story.count("RunnerFailed"), 1);
}
