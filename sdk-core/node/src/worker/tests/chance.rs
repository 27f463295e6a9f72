//! Whatever happens in whatever order: what the worker says keeps exo alive and its clients answered.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{
    super::{Input, rehearsal::Script},
    stage::{MODEL, Story, instance, instance_created, instance_deleted, question, task_status},
};
use crate::Random;

/// One of many small disasters.
fn disaster(story: &mut Story, luck: &mut Random, step: u64) {
    let name = |kind: &str, luck: &mut Random| format!("{kind}{}", luck.below(4));
    match luck.below(16) {
        0 | 1 => {
            let model = if luck.below(3) == 0 { "mlx-community/Unsuitable-1B" } else { MODEL };
            story.event(&instance_created("i", &format!("r{step}"), model));
        }
        2 => drop(story.event(&instance_deleted("i"))),
        3..=7 => {
            let words = ["hello", "count to 40", "please fail", "please stumble", "count to 9"];
            let words = words[luck.below(5) as usize];
            let task = if luck.below(4) == 0 { name("t", luck) } else { format!("t{step}") };
            let logprobs = luck.below(4) == 0;
            story.event(&question(&task, words, &json!({ "logprobs": logprobs })));
        }
        8 => {
            let task = format!("t{}", step.saturating_sub(luck.below(5)));
            story.event(&task_status(&task, "Cancelled"));
        }
        9 => drop(
            story.event(&json!({ "TaskDeleted": { "event_id": "e", "task_id": format!("t{}", step - 1) } })),
        ),
        10 => drop(story.allow(luck.below(2) == 0, Some(luck.below(2000)))),
        11 => story.has_room = luck.below(3) > 0,
        12 => {
            story.said.push(marker(story));
            story.tell(Input::Session);
        }
        13 => {
            let there = luck.below(2) == 0;
            let instances =
                if there { json!({ "i": instance("i", &format!("r{step}"), MODEL) }) } else { json!({}) };
            story.state(&json!({ "lastEventAppliedIdx": 1, "instances": instances, "topology": {} }));
        }
        _ => {}
    }
    story.run(luck.below(700));
}

/// A new session begins here.
fn marker(story: &Story) -> super::stage::Said {
    let offer = story.worker.offer(story.time());
    super::stage::Said { at: 0, tag: "session".to_owned(), body: json!({}), offer }
}

#[test]
fn whatever_happens_no_answer_ends_twice_no_runner_becomes_a_ghost_and_the_gate_keeps_nothing_back() {
    for seed in 0..300 {
        let mut luck = Random::seeded(seed);
        let mut story = Story::of(Script {
            stored: luck.below(2) == 0,
            bad_loads: luck.below(3) as u32,
            ..Script::default()
        });
        for step in 1..60 {
            disaster(&mut story, &mut luck, step);
        }
        story.has_room = true;
        story.allow(true, None).run(120_000);
        let mut ended = BTreeSet::new();
        let mut runners: BTreeMap<String, String> = BTreeMap::new();
        for said in &story.said {
            if said.tag == "session" {
                runners.clear();
                // Its tasks are others, though these stories give them the same names.
                ended.clear();
            }
            if said.tag == "ChunkGenerated" {
                let command = said.body["command_id"].to_string();
                assert!(!ended.contains(&command), "seed {seed}: {command} went on after its end");
                let chunk = said.body["chunk"].as_object().unwrap().values().next().unwrap();
                if !chunk["finish_reason"].is_null() {
                    ended.insert(command);
                }
            }
            if said.tag == "RunnerStatusUpdated" {
                let (runner, word) = (said.body["runner_id"].to_string(), said.word());
                if word == "RunnerShutdown" {
                    assert!(runners.remove(&runner).is_some(), "seed {seed}: {runner} ended twice");
                } else {
                    runners.insert(runner, word);
                }
            }
        }
        let busy = story.worker.work().0;
        assert!(!busy, "seed {seed}: it still computes after two minutes");
        let tasks: BTreeSet<String> = story
            .said
            .iter()
            .rev()
            .take_while(|said| said.tag != "session")
            .filter(|said| said.tag == "TaskCreated")
            .map(|said| said.body["task_id"].as_str().unwrap().to_owned())
            .collect();
        for task in tasks {
            let last = story.task_statuses(&task).pop();
            let over = matches!(last.as_deref(), Some("Complete" | "Failed" | "Cancelled"));
            assert!(over, "seed {seed}: step {task} was left {last:?}");
        }
    }
}
