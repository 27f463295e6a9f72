//! Questions and answers.

use std::time::Duration;

use exo_wire::{
    TaskId,
    chunk::{TokenFinish, ToolCallItem},
};
use serde_json::json;

use super::{
    super::{Finish, Input, Report, Token, Wish, rehearsal::Script},
    stage::{Story, question, task_status},
};

fn at_pace(token: u64) -> Script {
    Script { token: Duration::from_millis(token), ..Script::default() }
}

#[test]
fn a_question_is_answered_with_its_statuses_around_it() {
    let mut story = Story::ready();
    story.ask("t", "hello there").run(1000);
    assert_eq!(story.text("t"), "You said: hello there");
    assert_eq!(story.ending("t").as_deref(), Some("stop"));
    assert_eq!(story.task_statuses("t"), ["Running", "Complete"]);
    assert_eq!(story.runner_statuses(), ["RunnerRunning", "RunnerReady"]);
    let words = story.words();
    assert_eq!(words[..3], ["TaskRunning", "RunnerRunning", "PrefillProgressChunk"]);
    assert_eq!(words[words.len() - 2..], ["TaskComplete", "RunnerReady"]);
}

#[test]
fn nothing_is_answered_before_exos_interface_listens() {
    let script = Script { token: Duration::ZERO, read: Duration::ZERO, ..Script::default() };
    let mut story = Story::ready_with(script);
    let asked = story.now;
    story.ask("t", "hello").run(1000);
    let first = story.chunks("t")[0].0;
    assert!(first >= (asked.since_start().as_millis() as u64 - 100_000) + 10, "{first}");
    assert_eq!(story.text("t"), "You said: hello");
    story.ask("u", "please").event(&task_status("nobody", "Cancelled"));
    assert!(story.chunks("u").is_empty());
}

#[test]
fn the_first_token_waits_for_nobody_and_the_others_at_most_fifty_milliseconds() {
    let mut story = Story::ready_with(Script { read: Duration::from_millis(60), ..at_pace(7) });
    story.ask("t", "count to 100").run(2000);
    let chunks: Vec<(u64, String)> = story
        .chunks("t")
        .into_iter()
        .filter(|(_, tag, _)| tag == "TokenChunk")
        .map(|(at, _, body)| (at, body["text"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(chunks[0].1, "1", "the first token goes alone");
    let gaps: Vec<u64> = chunks.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.iter().all(|gap| *gap <= 57), "{gaps:?}");
    assert!((14..=18).contains(&chunks.len()), "100 tokens in 0.7 s made {} chunks", chunks.len());
    let counted: Vec<String> = (1..=100).map(|n| n.to_string()).collect();
    assert_eq!(story.text("t"), counted.join(" "));
}

#[test]
fn tokens_that_come_slowly_go_one_by_one_at_once() {
    let mut story = Story::ready_with(Script { read: Duration::from_millis(60), ..at_pace(80) });
    story.ask("t", "count to 10").run(3000);
    let chunks = story.chunks("t");
    let tokens: Vec<u64> =
        chunks.iter().filter(|(_, tag, _)| tag == "TokenChunk").map(|(at, ..)| *at).collect();
    assert_eq!(tokens.len(), 10);
    assert!(tokens.windows(2).all(|pair| pair[1] - pair[0] == 80), "{tokens:?}");
}

#[test]
fn the_bill_counts_tokens_and_not_chunks() {
    let mut story = Story::ready_with(at_pace(5));
    story.ask("t", "count to 37").run(2000);
    let chunks = story.chunks("t");
    let with_bill: Vec<_> = chunks.iter().filter(|(_, _, body)| !body["usage"].is_null()).collect();
    assert_eq!(with_bill.len(), 1);
    let last = &with_bill[0].2;
    assert_eq!(last["usage"]["completion_tokens"], 37);
    assert_eq!(last["usage"]["prompt_tokens"], 3);
    assert_eq!(last["usage"]["total_tokens"], 40);
    assert_eq!(last["stats"]["generation_tokens"], 37);
    let pace = last["stats"]["generation_tps"].as_f64().unwrap();
    assert!((pace - 200.0).abs() < 1.0, "36 tokens after the first, 5 ms each: {pace}");
    assert!(last["stats"]["peak_memory_usage"]["in_bytes"].as_u64().unwrap() > 342_884_352);
}

#[test]
fn where_probabilities_are_asked_for_every_token_has_its_own_chunk() {
    let mut story = Story::ready_with(at_pace(5));
    story.event(&question("t", "count to 20", &json!({ "logprobs": true, "top_logprobs": 1 }))).run(1000);
    let tokens: Vec<_> = story.chunks("t").into_iter().filter(|(_, tag, _)| tag == "TokenChunk").collect();
    assert_eq!(tokens.len(), 20);
    assert!(
        tokens
            .iter()
            .all(|(_, _, body)| body["logprob"] == -0.5 && body["top_logprobs"][0]["logprob"] == -0.5)
    );
}

#[test]
fn reasoning_and_answer_do_not_mix() {
    let mut story = Story::ready_with(at_pace(5));
    story.event(&question("t", "one two three", &json!({ "enable_thinking": true }))).run(1000);
    let thought = |thinks: bool| -> String {
        let chunks = story.chunks("t").into_iter().filter(|(_, _, body)| body["is_thinking"] == thinks);
        chunks.map(|(_, _, body)| body["text"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!((thought(true), thought(false)), ("You said:".to_owned(), " one two three".to_owned()));
    let last = story.chunks("t").pop().unwrap().2;
    assert_eq!(last["usage"]["completion_tokens_details"]["reasoning_tokens"], 2);
}

#[test]
fn an_answer_stops_at_its_limit() {
    let mut story = Story::ready();
    story.event(&question("t", "count to 20", &json!({ "max_output_tokens": 5 }))).run(1000);
    assert_eq!((story.text("t").as_str(), story.ending("t").as_deref()), ("1 2 3 4 5", Some("length")));
}

#[test]
fn two_questions_are_answered_at_once_and_the_runner_runs_from_the_first_to_the_last() {
    let mut story = Story::ready();
    story.ask("t", "count to 20").run(50).ask("u", "count to 30").run(2000);
    for (task, most) in [("t", 20), ("u", 30)] {
        let counted: Vec<String> = (1..=most).map(|n| n.to_string()).collect();
        assert_eq!(story.text(task), counted.join(" "));
        assert_eq!(story.task_statuses(task), ["Running", "Complete"]);
    }
    assert_eq!(story.runner_statuses(), ["RunnerRunning", "RunnerReady"]);
    assert_eq!(story.words().last().unwrap(), "RunnerReady");
}

#[test]
fn what_the_engine_cannot_take_at_once_waits_in_order() {
    let mut story = Story::ready_with(Script { at_once: 1, ..Script::default() });
    story.ask("b", "count to 5").ask("a", "count to 5").ask("c", "count to 5").run(2000);
    let begun = story.wishes.iter().filter_map(|wish| match wish {
        Wish::Generate(_, task, _) => Some(task.as_str().to_owned()),
        _ => None,
    });
    assert_eq!(begun.collect::<Vec<_>>(), ["b", "a", "c"]);
    assert!(["a", "b", "c"].iter().all(|task| story.ending(task).as_deref() == Some("stop")));
}

#[test]
fn a_question_that_comes_while_the_model_is_loaded_is_answered_when_it_is() {
    let mut story = Story::of(Script { load: Duration::from_secs(3), ..Script::default() });
    story.event(&super::stage::instance_created("i", "r", super::stage::MODEL)).run(1000);
    story.ask("t", "hello").run(1000);
    assert!(story.chunks("t").is_empty());
    story.run(9000);
    assert_eq!(story.ending("t").as_deref(), Some("stop"));
}

#[test]
fn a_question_that_is_heard_twice_is_answered_once() {
    let mut story = Story::ready();
    story.ask("t", "hello").ask("t", "hello").run(1000).ask("t", "hello").run(1000);
    assert_eq!(story.text("t"), "You said: hello");
    assert_eq!(story.task_statuses("t"), ["Running", "Complete"]);
}

#[test]
fn a_question_that_is_no_longer_wanted_ends_within_one_token() {
    let mut story = Story::ready();
    story.ask("t", "count to 500").run(300);
    let before = story.said.len();
    story.event(&task_status("t", "Cancelled"));
    assert_eq!(story.words()[before..], ["CancelTask", "TaskComplete", "RunnerReady"]);
    assert!(matches!(story.wishes.last(), Some(Wish::Cancel(task)) if task.as_str() == "t"));
    story.run(10_000);
    assert_eq!(story.said.len(), before + 3, "not a word more");
    assert_eq!(story.task_statuses("t"), ["Running"], "exo's own worker says no more of it");
    story.ask("u", "hello").run(1000);
    assert_eq!(story.ending("u").as_deref(), Some("stop"));
}

#[test]
fn words_that_wait_for_the_network_are_taken_back_with_the_question() {
    let mut story = Story::ready();
    story.has_room = false;
    story.ask("t", "count to 500").run(300).event(&task_status("t", "Cancelled"));
    story.has_room = true;
    story.run(1000);
    assert!(story.chunks("t").is_empty(), "{:?}", story.words());
}

#[test]
fn a_question_whose_task_is_forgotten_is_dropped() {
    let mut story = Story::ready();
    story.ask("t", "count to 500").run(300);
    let before = story.said.len();
    story.event(&json!({ "TaskDeleted": { "event_id": "e", "task_id": "t" } })).run(5000);
    assert_eq!(story.words()[before..], ["RunnerReady"]);
}

#[test]
fn an_image_is_refused_without_a_single_chunk() {
    let mut story = Story::ready();
    let mut task = super::stage::task_of("t", "a cat", &json!({}), "Pending");
    let body = task["TextGeneration"].take();
    story.event(
        &json!({ "TaskCreated": { "event_id": "e", "task_id": "t", "task": { "ImageGeneration": body } } }),
    );
    story.run(5000);
    assert_eq!(story.words(), ["TaskFailed", "TaskFailed"], "the event, then the status");
    assert_eq!(story.said[0].tag, "TaskFailed");
    assert_eq!(story.task_statuses("t"), ["Failed"]);
}

#[test]
fn a_question_that_cannot_be_read_ends_with_the_reason() {
    let mut story = Story::ready();
    story.event(&question("t", "hello", &json!({ "temperature": "warm" }))).run(1000);
    let chunks = story.chunks("t");
    assert_eq!(chunks.len(), 1);
    assert!(chunks[0].2["error_message"].as_str().unwrap().contains("cannot be read"), "{chunks:?}");
    story.event(&question("u", "what is this?", &json!({ "images": ["abc"] }))).run(1000);
    assert_eq!(story.ending("u").as_deref(), Some("error"));
    assert_eq!(story.task_statuses("u"), ["Failed"]);
}

#[test]
fn a_fault_of_one_question_does_not_touch_the_others() {
    let mut story = Story::ready();
    story.ask("t", "please fail").ask("u", "count to 20").run(2000);
    assert_eq!(story.ending("t").as_deref(), Some("error"));
    assert_eq!(story.task_statuses("t"), ["Running", "Failed"]);
    assert_eq!(story.ending("u").as_deref(), Some("stop"));
    assert_eq!(story.runner_statuses(), ["RunnerRunning", "RunnerReady"]);
}

#[test]
fn the_reading_of_a_long_question_is_told_four_times_a_second_at_most() {
    let mut story = Story::ready_with(Script { read: Duration::from_millis(10), ..Script::default() });
    story.ask("t", &"word ".repeat(300)).run(20_000);
    let read: Vec<u64> = story
        .chunks("t")
        .iter()
        .filter(|(_, tag, _)| tag == "PrefillProgressChunk")
        .map(|(_, _, body)| body["processed_tokens"].as_u64().unwrap())
        .collect();
    assert_eq!(read, [100, 200, 300]);
}

#[test]
fn a_slow_network_makes_fewer_and_longer_chunks_and_loses_none() {
    let mut story = Story::ready_with(at_pace(5));
    story.ask("t", "count to 400").run(100);
    story.has_room = false;
    story.run(1500);
    story.has_room = true;
    story.run(3000);
    let counted: Vec<String> = (1..=400).map(|n| n.to_string()).collect();
    assert_eq!(story.text("t"), counted.join(" "));
    let tokens = story.chunks("t").iter().filter(|(_, tag, _)| tag == "TokenChunk").count();
    assert!(tokens < 25, "{tokens} chunks");
}

#[test]
fn a_crowd_of_questions_is_turned_away_with_a_word() {
    let mut story = Story::ready_with(Script { at_once: 1, ..Script::default() });
    for n in 0..70 {
        story.ask(&format!("t{n}"), "count to 1000");
    }
    story.run(100);
    let turned_away = (0..70).filter(|n| story.ending(&format!("t{n}")).as_deref() == Some("error")).count();
    assert_eq!(turned_away, 5, "one is answered, 64 wait");
}

#[test]
fn calls_of_tools_end_an_answer_in_a_chunk_of_their_own_with_the_engines_bill() {
    let mut story = Story::ready_with(at_pace(60_000));
    story.ask("t", "hello").run(1000);
    let call = ToolCallItem { id: "c".into(), name: "weather".into(), arguments: "{}".into() };
    let finish = Finish {
        reason: TokenFinish::Stop,
        tool_calls: vec![call],
        prompt_tokens: 1,
        cached_tokens: 0,
        completion_tokens: 30,
        reasoning_tokens: 4,
    };
    let last = Token { finish: Some(finish), ..Token::default() };
    story.tell(Input::Engine(Report::Token(TaskId::heard("t"), last))).run(1000);
    let chunks = story.chunks("t");
    let silent = chunks.iter().filter(|(_, tag, body)| tag == "TokenChunk" && body["text"] == "");
    assert_eq!(silent.count(), 0, "{chunks:?}");
    let (_, tag, body) = chunks.last().unwrap();
    assert_eq!((tag.as_str(), &body["tool_calls"][0]["name"]), ("ToolCallChunk", &json!("weather")));
    assert_eq!(body["usage"]["completion_tokens"], 30);
    assert_eq!(body["usage"]["completion_tokens_details"]["reasoning_tokens"], 4);
}
