//! A member that serves: what its worker says goes through the same outbox, in the same order, as everything else.

use exo_wire::{
    ModelId,
    text::{InputMessage, Role, TextGenerationTaskParams},
};
use serde_json::{Value, json};

use crate::stage::{Exo, PHONE, Stage, kind};

const MAC: &str = "c9bf9d4a85283c61b261ba4cbc2fd81f";
const STUDIO: &str = "d83a092e0347370eee9926d7638058ef";
const MODEL: &str = "mlx-community/Qwen3-0.6B-4bit";

/// The instance of a real exo, with other names.
fn placed(model: &str) -> Value {
    let golden = include_str!("../../../../tests/vectors/exo/captured_phone_inference.jsonl");
    let line = golden.lines().find(|line| line.contains("InstanceCreated")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    let message: Value = serde_json::from_str(line["json"].as_str().unwrap()).unwrap();
    let mut event = message["event"].clone();
    let ring = &mut event["InstanceCreated"]["instance"]["MlxRingInstance"];
    ring["instance_id"] = json!("i");
    let mut shard =
        ring["shard_assignments"]["runner_to_shard"].as_object().unwrap().values().next().unwrap().clone();
    shard["PipelineShardMetadata"]["model_card"]["model_id"] = json!(model);
    ring["shard_assignments"] =
        json!({"model_id": model, "runner_to_shard": {"r": shard}, "node_to_runner": {PHONE: "r"}});
    event
}

fn question(task: &str, words: &str) -> Value {
    // With every field, as exo writes it: a build that leaves some out is one that we do not know.
    let input = vec![InputMessage { role: Role::User, content: words.to_owned() }];
    let params = TextGenerationTaskParams::new(ModelId::parse(MODEL).unwrap(), input);
    json!({"TaskCreated": {"event_id": format!("asked {task}"), "task_id": task, "task": {"TextGeneration": {
        "task_id": task, "task_status": "Pending", "instance_id": "i", "command_id": format!("command {task}"),
        "task_params": params, "error_type": null, "error_message": null}}}})
}

fn serving() -> Stage {
    let mut stage = Stage::able(Exo::named(MAC));
    stage.happens(placed(MODEL)).until(5.0);
    assert_eq!(runner(&stage), "RunnerReady");
    stage
}

/// How the runner is, in the master's log.
fn runner(stage: &Stage) -> String {
    let mut updates = stage.exo.log.iter().filter_map(|event| event.get("RunnerStatusUpdated"));
    let last =
        updates.next_back().and_then(|update| update["runner_status"].as_object()?.keys().next().cloned());
    last.unwrap_or_default()
}

/// The answer as the master's log has it, and how it ended.
fn answer(stage: &Stage, task: &str) -> (String, Option<String>) {
    let command = format!("command {task}");
    let chunks = stage.exo.log.iter().filter_map(|event| event.get("ChunkGenerated"));
    let ours = chunks.filter(|it| it["command_id"] == command);
    let bodies: Vec<&Value> =
        ours.map(|it| it["chunk"].as_object().unwrap().values().next().unwrap()).collect();
    let text = bodies.iter().filter_map(|body| body["text"].as_str()).collect();
    (text, bodies.last().and_then(|body| body["finish_reason"].as_str().map(str::to_owned)))
}

fn counted(most: u32) -> String {
    (1..=most).map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_model_is_made_ready_and_a_question_answered() {
    let mut stage = serving();
    stage.happens(question("t", "count to 30")).until(8.0);
    assert_eq!(answer(&stage, "t"), (counted(30), Some("stop".to_owned())));
    assert_eq!(stage.member.stats().refused, 0);
}

#[test]
fn the_offer_is_in_the_log_withdrawn_before_the_refusal_and_the_refusal_before_the_request() {
    let mut stage = Stage::able(Exo::named(MAC));
    stage.until(12.0).said.clear();
    stage.happens(placed("mlx-community/Unsuitable-7B")).until(13.0);
    assert_eq!(stage.said[0].1["event"]["NodeGatheredInfo"]["info"]["ram_available"]["in_bytes"], 0);
    let kinds = stage.kinds();
    assert_eq!(kinds[..3], ["MemoryUsage", "NodeBackends", "RunnerStatusUpdated"]);
    let deleted: Vec<&Value> =
        stage.commands.iter().map(|(_, command)| &command["command"]["DeleteInstance"]).collect();
    assert_eq!((deleted.len(), &deleted[0]["instance_id"]), (1, &json!("i")));
    let place = |name: &str| stage.exo.log.iter().position(|event| event.get(name).is_some()).unwrap();
    assert!(place("RunnerStatusUpdated") < place("InstanceDeleted"));
    assert_eq!(runner(&stage), "RunnerShutdown");
    // And a minute later it is on offer again: the backend first, then its memory.
    stage.until(70.0).said.clear();
    stage.until(90.0);
    let kinds = stage.kinds();
    let backend = kinds.iter().position(|kind| kind == "NodeBackends").unwrap();
    let memory = kinds.iter().position(|kind| kind == "MemoryUsage").unwrap();
    assert!(backend < memory, "{kinds:?}");
}

#[test]
fn no_more_memory_is_announced_than_the_engine_has_room_for() {
    let mut stage = Stage::able(Exo::named(MAC));
    stage.until(30.0);
    let told = |stage: &Stage| {
        let news = stage.said.iter().rev().find(|(_, local)| kind(&local["event"]) == "MemoryUsage").unwrap();
        news.1["event"]["NodeGatheredInfo"]["info"]["ram_available"]["in_bytes"].as_u64().unwrap()
    };
    assert_eq!(told(&stage), 4 << 30, "5 GiB are free, the engine takes 4");
    stage.happens(placed(MODEL)).until(40.0);
    assert!(told(&stage) < (4 << 30) - 300_000_000, "{}", told(&stage));
}

#[test]
fn an_answer_survives_a_link_that_is_lost_and_found() {
    let mut stage = serving();
    stage.happens(question("t", "count to 200")).until(6.0);
    stage.unlink().until(20.0);
    assert_eq!(answer(&stage, "t"), (counted(200), Some("stop".to_owned())));
}

#[test]
fn an_answer_survives_a_master_that_does_not_hear_for_a_while() {
    let mut stage = serving();
    stage.happens(question("t", "count to 300")).until(6.0);
    stage.exo.hears = false;
    stage.until(14.0);
    stage.exo.hears = true;
    stage.until(40.0);
    assert_eq!(answer(&stage, "t"), (counted(300), Some("stop".to_owned())));
}

#[test]
fn another_master_hears_the_end_of_an_answer_and_nothing_else_of_the_old_session() {
    let mut stage = serving();
    stage.happens(question("t", "count to 2000")).until(6.0);
    stage.exo = Exo::named(STUDIO);
    stage.unlink().until(40.0);
    assert!(stage.is_joined());
    assert_eq!(answer(&stage, "t"), (String::new(), Some("error".to_owned())));
    let strange = ["TaskCreated", "TaskStatusUpdated", "RunnerStatusUpdated"];
    assert!(!stage.exo.log.iter().any(|event| strange.iter().any(|name| event.get(*name).is_some())));
    stage.happens(placed(MODEL)).happens(question("u", "hello")).until(50.0);
    assert_eq!(answer(&stage, "u"), ("You said: hello".to_owned(), Some("stop".to_owned())));
}

#[test]
fn leaving_ends_answers_and_runners_before_the_goodbye() {
    let mut stage = serving();
    stage.happens(question("t", "count to 2000")).until(6.0).said.clear();
    stage.request(exo_node::member::Request::Leave).until(8.0);
    assert!(stage.member.goodbye_was_heard());
    assert_eq!(
        (answer(&stage, "t").1.as_deref(), runner(&stage).as_str()),
        (Some("error"), "RunnerShutdown")
    );
    assert_eq!(stage.kinds().last().unwrap(), "NodeTimedOut");
}
