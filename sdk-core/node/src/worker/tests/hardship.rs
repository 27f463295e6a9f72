//! Masters that change, phones that restart, owners that need their phone, engines that break.

use serde_json::{Value, json};

use super::{
    super::{Input, Report, Wish, Work, rehearsal::Script},
    stage::{MODEL, Story, instance, instance_created, instance_deleted, question, task_of},
};

/// What `GET /state` says, in exo's other spelling.
fn state(instances: &Value, runners: &Value, tasks: &Value) -> Value {
    json!({ "lastEventAppliedIdx": 7, "topology": { "nodes": [], "connections": {} },
        "instances": camel(instances), "runners": camel(runners), "tasks": camel(tasks) })
}

fn camel(value: &Value) -> Value {
    crate::master::camel::camel(value)
}

fn nothing() -> Value {
    state(&json!({}), &json!({}), &json!({}))
}

#[test]
fn an_instance_that_is_deleted_in_the_middle_of_an_answer_takes_the_answer_along() {
    let mut story = Story::ready();
    story.ask("t", "count to 500").run(300);
    let before = story.said.len();
    story.event(&instance_deleted("i")).run(10_000);
    assert_eq!(
        story.words()[before..],
        ["TaskCancelled", "Shutdown", "RunnerShuttingDown", "TaskComplete", "RunnerShutdown"]
    );
    assert_eq!(story.task_statuses("t"), ["Running", "Cancelled"]);
}

#[test]
fn another_master_in_the_middle_of_an_answer_ends_it_with_a_word_and_nothing_else() {
    let mut story = Story::ready();
    story.ask("t", "count to 500").ask("u", "count to 500").run(300);
    story.said.clear();
    story.tell(Input::Session).run(100);
    assert_eq!(story.ending("t").as_deref(), Some("error"));
    assert_eq!(story.ending("u").as_deref(), Some("error"));
    story.state(&nothing()).run(60_000);
    assert_eq!(
        story.words(),
        ["DownloadCompleted", "ErrorChunk", "ErrorChunk"],
        "a word of runners that the new master does not know would make ghosts of them"
    );
    assert!(matches!(story.wishes.last(), Some(Wish::Unload(_))));
    assert_eq!(story.worker.work(), (false, 0));
    story.event(&instance_created("j", "s", MODEL)).run(1000);
    assert_eq!(story.words().last().unwrap(), "RunnerReady");
}

#[test]
fn without_a_state_runners_of_the_old_session_go_after_ten_seconds() {
    let mut story = Story::ready();
    story.tell(Input::Session).run(9000);
    assert!(!matches!(story.wishes.last(), Some(Wish::Unload(_))));
    story.run(2000);
    assert!(matches!(story.wishes.last(), Some(Wish::Unload(_))));
    assert_eq!(story.words(), ["DownloadCompleted"]);
}

#[test]
fn a_new_session_that_knows_our_runner_hears_how_it_is() {
    let mut story = Story::ready();
    story.tell(Input::Session).run(500);
    story.state(&state(&json!({ "i": instance("i", "r", MODEL) }), &json!({}), &json!({}))).run(100);
    assert_eq!(story.words(), ["DownloadCompleted", "RunnerReady"]);
    story.ask("t", "hello").run(1000);
    assert_eq!(story.ending("t").as_deref(), Some("stop"));
}

#[test]
fn a_model_that_is_loaded_while_masters_change_is_told_when_the_new_one_knows_it() {
    let mut story = Story::of(Script { load: std::time::Duration::from_secs(2), ..Script::default() });
    story.event(&instance_created("i", "r", MODEL)).run(500);
    story.said.clear();
    story.tell(Input::Session).run(8000);
    assert_eq!(story.words(), ["DownloadCompleted"], "loaded and warmed up meanwhile, in silence");
    story.state(&state(&json!({ "i": instance("i", "r", MODEL) }), &json!({}), &json!({}))).run(100);
    assert_eq!(story.words()[1..], ["RunnerReady"]);
}

#[test]
fn a_restarted_phone_cleans_up_what_it_left_and_serves_again() {
    let mut story = Story::new();
    let step = |tag: &str, status: &str| json!({ tag: { "task_id": tag, "task_status": status, "instance_id": "i" } });
    let tasks = json!({
        "begun": task_of("begun", "hello", &json!({}), "Running"),
        "waits": task_of("waits", "hello", &json!({}), "Pending"),
        "done": task_of("done", "hello", &json!({}), "Complete"),
        "LoadModel": step("LoadModel", "Running"),
        "StartWarmup": step("StartWarmup", "Complete"),
    });
    let runners = json!({ "r": { "RunnerRunning": {} } });
    story.state(&state(&json!({ "i": instance("i", "r", MODEL) }), &runners, &tasks)).run(3000);
    assert_eq!(
        (story.ending("begun").as_deref(), story.task_statuses("begun")),
        (Some("error"), vec!["Failed".into()])
    );
    assert_eq!(
        (story.ending("waits").as_deref(), story.text("waits").as_str()),
        (Some("stop"), "You said: hello")
    );
    assert!(story.chunks("done").is_empty());
    assert_eq!(story.task_statuses("LoadModel"), ["Failed"]);
    assert!(story.task_statuses("StartWarmup").is_empty());
    assert_eq!(story.runner_statuses()[0], "RunnerIdle");
    assert_eq!(story.runner_statuses().last().unwrap(), "RunnerReady");
}

#[test]
fn what_a_former_life_left_is_called_gone_though_the_engine_never_held_it() {
    let mut story = Story::new();
    story.echoes = false;
    let runners = json!({ "r": { "RunnerRunning": {} } });
    let unsuitable = json!({ "i": instance("i", "r", "mlx-community/Unsuitable-7B") });
    story.state(&state(&unsuitable, &runners, &json!({}))).event(&instance_deleted("i")).run(100);
    assert_eq!(story.words(), ["RunnerFailed", "RunnerShutdown"]);
}

#[test]
fn an_older_state_does_not_bring_back_what_was_done() {
    let mut story = Story::ready();
    story.ask("t", "hello").run(1000);
    story.said.clear();
    let tasks = json!({ "t": task_of("t", "hello", &json!({}), "Running") });
    let runners = json!({ "r": { "RunnerRunning": {} } });
    story.state(&state(&json!({ "i": instance("i", "r", MODEL) }), &runners, &tasks)).run(1000);
    assert!(story.said.is_empty(), "{:?}", story.words());
}

#[test]
fn a_state_without_our_instance_ends_its_runner() {
    let mut story = Story::ready();
    story.state(&nothing()).run(100);
    assert_eq!(story.words(), ["Shutdown", "RunnerShuttingDown", "TaskComplete", "RunnerShutdown"]);
}

#[test]
fn who_was_called_gone_tells_again_which_weights_it_has() {
    let mut story = Story::ready();
    story.event(&json!({ "NodeTimedOut": { "event_id": "e", "node_id": super::stage::PHONE } })).run(10);
    assert_eq!(story.words(), ["DownloadCompleted"]);
}

#[test]
fn a_phone_that_its_owner_needs_finishes_what_it_began_and_gives_the_model_back() {
    let mut story = Story::ready();
    story.ask("t", "count to 50").run(200).allow(false, Some(30_000));
    assert!(!story.worker.offer(story.time()).able, "withdrawn first");
    story.ask("u", "hello").run(200);
    assert_eq!(story.ending("u").as_deref(), Some("error"), "new questions are turned away");
    assert!(story.chunks("u")[0].2["error_message"].as_str().unwrap().contains("battery"));
    story.run(3000);
    assert_eq!((story.ending("t").as_deref(), story.count("RunnerFailed")), (Some("stop"), 1));
    assert_eq!(story.count("DeleteInstance"), 1);
    story.event(&instance_deleted("i")).run(100).allow(true, None);
    assert!(story.worker.offer(story.time()).able, "at once, when it may again");
}

#[test]
fn a_phone_that_cannot_finish_in_time_says_so() {
    let mut story = Story::ready();
    story.ask("t", "count to 5000").run(200).allow(false, Some(1000)).run(990);
    assert_eq!(story.ending("t"), None);
    story.run(20);
    assert_eq!(story.ending("t").as_deref(), Some("error"));
    assert!(matches!(story.wishes.last(), Some(Wish::Unload(_))));
    let error = story.chunks("t").pop().unwrap().2;
    assert!(error["error_message"].as_str().unwrap().contains("the battery is at 10%"), "{error}");
}

#[test]
fn a_phone_that_must_stop_stops_at_once() {
    let mut story = Story::ready();
    story.ask("t", "count to 5000").run(200).allow(false, None).run(1);
    assert_eq!(story.ending("t").as_deref(), Some("error"));
}

#[test]
fn a_runner_that_stumbles_is_loaded_again_and_those_who_wait_are_answered() {
    let mut story = Story::ready_with(Script { at_once: 1, ..Script::default() });
    story.ask("t", "please stumble").ask("u", "hello").run(5000);
    assert_eq!(story.ending("t").as_deref(), Some("error"));
    assert_eq!(story.ending("u").as_deref(), Some("stop"));
    let statuses = story.runner_statuses();
    assert_eq!(statuses[..3], ["RunnerRunning", "RunnerFailed", "RunnerIdle"]);
    assert_eq!(statuses.last().unwrap(), "RunnerReady");
}

#[test]
fn an_engine_that_broke_offers_nothing_ever_again() {
    let mut story = Story::ready();
    story.ask("t", "count to 500").run(200);
    story.tell(Input::Engine(Report::Broken("it panicked".to_owned()))).run(200);
    assert_eq!(story.ending("t").as_deref(), Some("error"));
    assert_eq!(story.count("RunnerFailed"), 1);
    story.event(&instance_deleted("i")).run(200_000);
    assert!(!story.worker.offer(story.time()).able);
    let wishes = story.wishes.len();
    story.event(&instance_created("j", "s", MODEL)).run(100);
    assert_eq!((story.words().last().unwrap().as_str(), story.wishes.len()), ("DeleteInstance", wishes));
}

#[test]
fn an_answer_with_a_hole_is_worse_than_none() {
    let mut story = Story::ready();
    story.ask("t", "count to 500").run(200);
    let event = story.said.iter().rev().find(|said| said.word() == "TokenChunk").unwrap().body.clone();
    let command = exo_wire::CommandId::heard(event["command_id"].as_str().unwrap());
    let chunk = serde_json::from_value(event["chunk"].clone()).unwrap();
    story.tell(Input::Unsaid(vec![Work::Chunk(command, Box::new(chunk))])).run(100);
    assert_eq!(story.ending("t").as_deref(), Some("error"));
}

#[test]
fn leaving_in_the_middle_of_an_answer_ends_it_with_a_word() {
    let mut story = Story::ready();
    story.event(&question("t", "count to 500", &json!({})));
    story.tell(Input::Leave);
    assert_eq!(story.ending("t").as_deref(), Some("error"));
    assert_eq!(story.words().last().unwrap(), "RunnerShutdown");
    let before = story.said.len();
    story.event(&instance_created("j", "s", MODEL)).run(10_000);
    assert_eq!(story.said.len(), before);
}
