//! What a real exo heard from another program that answered for it, beside what we say to the same.
//!
//! The captured conversation has an instance, two questions one after the other, and a goodbye. Ids are ours to draw, so
//! they are told apart by the order in which they appear; what depends on speed is not compared.

use std::{collections::BTreeMap, time::Duration};

use exo_wire::{
    EventId, LocalEvent, NodeId, SessionId, SystemId, TaskId, Topic, chunk::TokenFinish, gate::Gate, heard,
};
use serde_json::{Value, json};

use super::super::{Capacity, Finish, Input, Report, Say, Suitable, Token, Wish, Worker};
use crate::{Random, now::Moment};

const SPOKEN: [&str; 9] = ["Hello", " from", " a", " phone", " that", " is", " not", " exo", "."];

struct Line {
    at: f64,
    sent: bool,
    message: Value,
}

fn captured(name: &str) -> Vec<Line> {
    let text = match name {
        "whole" => include_str!("../../../../../tests/vectors/exo/captured_phone_inference.jsonl"),
        _ => include_str!("../../../../../tests/vectors/exo/captured_phone_inference_cancel.jsonl"),
    };
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| matches!(line["topic"].as_str(), Some("global_events" | "local_events")))
        .map(|line| Line {
            at: line["t"].as_f64().unwrap(),
            sent: line["kind"] == "tx",
            message: serde_json::from_str(line["json"].as_str().unwrap()).unwrap(),
        })
        .collect()
}

/// An engine that speaks as the captured program did: a token every so often.
struct Parrot {
    worker: Worker,
    pace: Duration,
    speaking: Vec<(TaskId, Moment, usize)>,
    said: Vec<Value>,
}

impl Parrot {
    fn step(&mut self, now: Moment, input: Input<'_>) {
        self.worker.handle(now, input);
        loop {
            let mut reports = Vec::new();
            while let Some(wish) = self.worker.wish() {
                reports.extend(self.obey(now, wish));
            }
            for (task, next, spoken) in &mut self.speaking {
                if *next <= now && *spoken < SPOKEN.len() {
                    reports.push(Report::Token(task.clone(), token(*spoken)));
                    *spoken += 1;
                    *next = *next + self.pace;
                }
            }
            if reports.is_empty() {
                break;
            }
            for report in reports {
                self.worker.handle(now, Input::Engine(report));
            }
        }
        while let Some(say) = self.worker.say(now) {
            let Say::Event(work) = say else { panic!("{say:?}") };
            let event = work.event(EventId::from_random(1));
            let session = SessionId { master_node_id: NodeId::heard("a"), election_clock: 0 };
            let local = LocalEvent { origin_idx: 0, origin: SystemId::from_random(1), session, event };
            let sealed = Gate::guest().seal(Topic::LocalEvents, &local).unwrap();
            self.said.push(serde_json::from_slice::<Value>(sealed.payload()).unwrap()["event"].take());
        }
    }

    fn obey(&mut self, now: Moment, wish: Wish) -> Vec<Report> {
        match wish {
            Wish::Examine(runner, _) => {
                vec![Report::Examined(runner, Ok(Suitable { memory: 1, stored: Some(342_884_352) }))]
            }
            Wish::Load(runner, _) => vec![Report::Loaded(runner)],
            Wish::WarmUp(runner) => vec![Report::WarmedUp(runner)],
            Wish::Generate(_, task, _) => {
                // It reads for as long as exo's interface takes before it listens.
                self.speaking.push((task.clone(), now + Duration::from_millis(50), 0));
                vec![Report::Reading(task, 4, 4)]
            }
            Wish::Cancel(task) => {
                self.speaking.retain(|(speaking, ..)| *speaking != task);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

fn token(place: usize) -> Token {
    let finish = (place + 1 == SPOKEN.len()).then(|| Finish {
        reason: TokenFinish::Stop,
        tool_calls: Vec::new(),
        prompt_tokens: 4,
        cached_tokens: 0,
        completion_tokens: SPOKEN.len() as u32,
        reasoning_tokens: 0,
    });
    Token { text: SPOKEN[place].to_owned(), id: 100 + place as u32, finish, ..Token::default() }
}

/// Plays what the captured program heard to a worker of ours, up to that second.
fn play(lines: &[Line], until: f64, pace: Duration) -> Vec<Value> {
    let node = lines.iter().find_map(|line| {
        line.sent
            .then(|| line.message["event"]["NodeGatheredInfo"]["node_id"].as_str().map(str::to_owned))
            .flatten()
    });
    let mut parrot = Parrot {
        worker: Worker::new(NodeId::heard(&node.unwrap()), Random::seeded(3)),
        pace,
        speaking: Vec::new(),
        said: Vec::new(),
    };
    let capacity = Capacity { used: 500_000_000, room: 1 << 32, fetches: 0, at_once: 4 };
    parrot.step(Moment::default(), Input::Engine(Report::Capacity(capacity)));
    // Tasks were deleted when the other program had answered: ours are answered a little later.
    let is_deletion = |line: &Line| line.message["event"].get("TaskDeleted").is_some();
    let heard: Vec<&Line> =
        lines.iter().filter(|line| !line.sent && line.at < until && !is_deletion(line)).collect();
    let ours: Vec<&str> =
        lines.iter().filter(|line| line.sent).filter_map(|line| id_of(&line.message["event"])).collect();
    let mut clock = 0.0;
    for line in heard {
        // What came back of the other program's own words, we did not say.
        if id_of(&line.message["event"]).is_some_and(|id| ours.contains(&id)) {
            continue;
        }
        while clock < line.at {
            clock += 0.005;
            parrot.step(Moment::after_start(Duration::from_secs_f64(clock)), Input::Tick);
        }
        let payload = line.message.to_string();
        let global = heard::global(payload.as_bytes()).unwrap();
        parrot.step(Moment::after_start(Duration::from_secs_f64(clock)), Input::Event(&global.event()));
    }
    // A little longer than the other program, which did not wait for exo's interface.
    while clock < until + 0.2 {
        clock += 0.005;
        parrot.step(Moment::after_start(Duration::from_secs_f64(clock)), Input::Tick);
    }
    parrot.said
}

fn id_of(event: &Value) -> Option<&str> {
    event.as_object()?.values().next()?["event_id"].as_str()
}

/// The work among what was sent, up to that second.
fn sent(lines: &[Line], until: f64) -> Vec<Value> {
    let sent =
        lines.iter().filter(|line| line.sent && line.at < until).map(|line| line.message["event"].clone());
    sent.filter(|event| event.get("NodeGatheredInfo").is_none() && event.get("NodeTimedOut").is_none())
        .collect()
}

/// Ids in the order in which they appear, and nothing that depends on speed or place.
fn shape(events: &[Value]) -> Vec<Value> {
    fn walk(key: &str, value: &mut Value, names: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(fields) => {
                fields.remove("event_id");
                fields.retain(|key, _| {
                    !matches!(key.as_str(), "model_directory" | "prompt_tps" | "generation_tps")
                });
                fields.iter_mut().for_each(|(key, value)| walk(key, value, names));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| walk(key, item, names)),
            Value::String(text) if matches!(key, "task_id" | "cancelled_task_id") => {
                let name = format!("task {}", names.len());
                *text = names.entry(text.clone()).or_insert(name).clone();
            }
            _ => {}
        }
    }
    let mut names = BTreeMap::new();
    let mut shaped = events.to_vec();
    for event in &mut shaped {
        walk("", event, &mut names);
    }
    shaped
}

#[test]
fn to_the_same_instance_and_question_we_say_what_a_real_exo_took() {
    let lines = captured("whole");
    // The second question came before the other program had closed the first: it is told alone here.
    let (ours, theirs) = (play(&lines, 7.63, Duration::from_millis(50)), sent(&lines, 7.63));
    let ended = |events: &[Value]| {
        events.iter().position(|event| event.to_string().contains("\"finish_reason\":\"stop\""))
    };
    let (ours_end, theirs_end) = (ended(&ours).unwrap(), ended(&theirs).unwrap());
    let (said, expected) = (shape(&ours[..=ours_end]), shape(&theirs[..=theirs_end]));
    for (said, expected) in said.iter().zip(&expected) {
        assert_eq!(said, expected);
    }
    assert_eq!(said.len(), expected.len());
    // And then, as it did a little later:
    let after: Vec<String> = ours[ours_end + 1..].iter().map(ToString::to_string).collect();
    assert!(after[0].contains("\"Complete\"") && after[1].contains("RunnerReady"), "{after:?}");
    assert_eq!(after.len(), 2);
}

#[test]
fn both_captured_questions_are_answered_whole() {
    let lines = captured("whole");
    let said = play(&lines, 12.0, Duration::from_millis(20));
    for command in ["5c908699-73d2-4a66-b9b4-8aacb735d9f7", "26b19d0e-5c63-40a7-b748-d890706b6d06"] {
        let chunks =
            said.iter().map(|event| &event["ChunkGenerated"]).filter(|it| it["command_id"] == command);
        let tokens: Vec<&Value> =
            chunks.map(|it| &it["chunk"]["TokenChunk"]).filter(|it| !it.is_null()).collect();
        let text: String = tokens.iter().map(|it| it["text"].as_str().unwrap()).collect();
        assert_eq!(text, SPOKEN.concat());
        let last = tokens.last().unwrap();
        assert_eq!((&last["finish_reason"], &last["usage"]["total_tokens"]), (&json!("stop"), &json!(13)));
    }
}

#[test]
fn the_captured_question_that_was_hung_up_on_is_dropped_within_a_token() {
    let lines = captured("cancel");
    let cancelled = lines.iter().find(|line| line.message.to_string().contains("\"Cancelled\"")).unwrap().at;
    let said = play(&lines, 20.0, Duration::from_millis(600));
    let spoken =
        said.iter().filter(|event| event["ChunkGenerated"]["chunk"].get("TokenChunk").is_some()).count();
    assert_eq!(spoken, 4, "as many as the other program said before {cancelled}");
    let cut = said.iter().position(|event| event["TaskCreated"]["task"].get("CancelTask").is_some()).unwrap();
    let after: Vec<String> = said[cut + 1..].iter().map(ToString::to_string).collect();
    assert!(after[0].contains("Complete") && after[1].contains("RunnerReady"), "{after:?}");
    assert_eq!(after.len(), 2);
}
