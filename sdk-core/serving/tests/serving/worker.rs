//! What the worker wants of an engine, done by the real one with a tiny model.

use std::ops::ControlFlow;

use crate::stage::{LAYERS, MODEL, Stage, directory, question, runner, shard, text, tokens};
use exo_engine::{Happened, LoadOptions, chat::ChatRequest, chat::Event, text::Moment};
use exo_gpu::{BackendKind, Gpu, OpenOptions};
use exo_node::worker::{Engine, Fault, Report, Step, Wish};
use exo_wire::chunk::TokenFinish;
use serde_json::json;

#[test]
fn a_model_at_hand_is_examined_loaded_tried_out_and_answers() {
    let mut stage = Stage::new();
    let before = stage.engine.capacity();
    assert!(before.used == 0 && before.room > 100_000, "{before:?}");
    let suitable = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap();
    assert!(suitable.memory > 0 && suitable.stored.is_some_and(|bytes| bytes > 100_000));
    stage.wish(Wish::Fetch(runner(), shard(MODEL, LAYERS)));
    stage
        .until("it is here", |told| matches!(told, [Report::Fetched(_, fetched)] if fetched.total > 100_000));

    stage.wish(Wish::Load(runner(), shard(MODEL, LAYERS)));
    stage.until("it is loaded", |told| told.contains(&Report::Loaded(runner())));
    let mut layers = stage.told.iter().filter_map(|report| match report {
        Report::Loading(_, layers) => Some(*layers),
        _ => None,
    });
    assert_eq!(layers.next_back(), Some(LAYERS), "{:?}", stage.told);
    assert_eq!(stage.engine.capacity().used, suitable.memory, "what was planned is what is used");

    stage.wish(Wish::WarmUp(runner()));
    stage.until("it is warm", |told| told.contains(&Report::WarmedUp(runner())));
    let answer = stage.answer(question("tell me of rain", 12, &json!({})));
    assert_eq!(answer.len(), 12);
    assert_eq!(text(&answer), alone("tell me of rain", 12), "the same words as without a worker");
    let bill = answer.last().and_then(|token| token.finish.clone()).unwrap();
    assert_eq!((bill.reason, bill.completion_tokens, bill.cached_tokens), (TokenFinish::Length, 12, 0));
    let read: Vec<_> = stage.told.iter().filter(|report| matches!(report, Report::Reading(..))).collect();
    assert!(
        matches!(read.last(), Some(Report::Reading(_, read, of)) if read == of && *of == bill.prompt_tokens)
    );
    assert_eq!(stage.step(), Step::Idle);
}

/// The engine by itself, with the same question.
fn alone(words: &str, tokens: u32) -> String {
    let gpu = Gpu::open(OpenOptions::new().remember_nothing().backend(BackendKind::Cpu)).unwrap();
    let go_on = &mut |_| ControlFlow::Continue(());
    let mut engine =
        exo_engine::Engine::load(gpu.device(), &directory(), &LoadOptions::default(), go_on).unwrap();
    let request = serde_json::to_string(&question(words, tokens, &json!({}))).unwrap();
    engine.submit(&ChatRequest::from_json(&request).unwrap(), Moment::from_unix(0)).unwrap();
    let (mut said, mut happened) = (String::new(), Vec::new());
    while !engine.is_idle() {
        engine.step(&mut happened).unwrap();
        for what in happened.drain(..) {
            if let Happened::Replied { event: Event::Said(piece), .. } = what {
                said.push_str(&piece.text);
            }
        }
    }
    said
}

#[test]
fn a_model_that_is_not_here_is_refused_by_name_and_with_those_that_are() {
    let mut stage = Stage::new();
    let error = stage.engine.examine(&shard("mlx-community/Other", LAYERS)).unwrap_err();
    assert_eq!(error.fault, Fault::Unsuitable);
    assert!(error.message.contains("mlx-community/Other is not on this device"), "{error}");
    assert!(error.message.contains(MODEL), "{error}");
    stage.wish(Wish::Fetch(runner(), shard("mlx-community/Other", LAYERS)));
    stage.until("it is refused", |told| matches!(told, [Report::Failed(_, why)] if *why == error));
}

#[test]
fn a_card_that_tells_of_another_model_is_refused() {
    let error = Stage::new().engine.examine(&shard(MODEL, 28)).unwrap_err();
    assert!(error.message.contains("it has 3 layers, and 28 by the model's card"), "{error}");
}

#[test]
fn a_model_that_does_not_fit_is_refused_in_the_plans_words_and_nothing_is_offered() {
    let mut stage = Stage::with(OpenOptions::new().memory_cap(200_000));
    assert_eq!(stage.engine.capacity().room, 0);
    let error = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap_err();
    assert_eq!(error.fault, Fault::Unsuitable);
    assert!(error.message.contains("bytes and may use 200000"), "{error}");
}

#[test]
fn where_memory_is_short_the_context_is_shorter() {
    let whole = Stage::new().engine.examine(&shard(MODEL, LAYERS)).unwrap().memory;
    let mut stage = Stage::with(OpenOptions::new().memory_cap(whole - 1));
    let shorter = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap().memory;
    assert!(shorter < whole);
    stage.wish(Wish::Load(runner(), shard(MODEL, LAYERS)));
    stage.until("it is loaded", |told| told.contains(&Report::Loaded(runner())));
    assert_eq!(stage.engine.capacity().used, shorter);
}

#[test]
fn a_beginning_that_was_read_before_is_on_the_bill_as_known() {
    let mut stage = Stage::ready();
    let words = "the same long question about a quiet river and an old stone road ".repeat(3);
    let cached = |stage: &mut Stage, more| {
        stage.answer(question(&words, 2, &more)).last().unwrap().finish.clone().unwrap().cached_tokens
    };
    assert_eq!(cached(&mut stage, json!({})), 0);
    assert!(cached(&mut stage, json!({})) >= 64);
    assert_eq!(cached(&mut stage, json!({"use_prefix_cache": false})), 0, "a benchmark measures all of it");
    assert!(cached(&mut stage, json!({"use_prefix_cache": false, "bench": false})) >= 64, "others do not");
}

#[test]
fn probabilities_come_with_each_token_where_they_are_asked_for() {
    let mut stage = Stage::ready();
    let answer = stage.answer(question("hello", 3, &json!({"logprobs": true, "top_logprobs": 2})));
    for token in &answer {
        assert!(token.logprob.is_some_and(|logprob| logprob <= 0.0), "{token:?}");
        assert_eq!(token.top.len(), 2);
        assert_eq!(token.top[0].bytes.as_deref(), Some(token.top[0].text.as_bytes()));
    }
    let answer = stage.answer(question("hello", 3, &json!({})));
    assert!(answer.iter().all(|token| token.logprob.is_none() && token.top.is_empty()));
}

#[test]
fn a_text_that_stops_an_answer_is_not_in_it() {
    let mut stage = Stage::ready();
    let whole = text(&stage.answer(question("hello", 12, &json!({}))));
    let stop = whole.split_whitespace().nth(3).unwrap();
    let cut = stage.answer(question("hello", 12, &json!({"stop": stop})));
    let said = text(&cut);
    assert!(whole.starts_with(&said) && !said.contains(stop), "{said:?} of {whole:?}, before {stop:?}");
    assert_eq!(cut.last().unwrap().finish.as_ref().unwrap().reason, TokenFinish::Stop);
}

#[test]
fn a_question_that_cannot_be_answered_is_refused_alone() {
    let mut stage = Stage::ready();
    let why = stage.refusal(question(&"word ".repeat(5000), 5, &json!({})));
    assert!(why.contains("prompt") && why.contains("is allowed"), "{why}");
    let tools = json!([{"type": "function", "function": {"name": "f", "parameters": {}}}]);
    let why = stage.refusal(question("hello", 5, &json!({"tools": tools})));
    assert!(why.contains("tools for a model whose template knows none"), "{why}");
    assert_eq!(stage.answer(question("hello", 5, &json!({}))).len(), 5);
}

#[test]
fn an_answer_that_is_no_longer_wanted_ends_at_once_and_the_other_goes_on() {
    let mut stage = Stage::ready();
    let (unwanted, wanted) =
        (stage.ask(question("one", 2000, &json!({}))), stage.ask(question("two", 40, &json!({}))));
    stage
        .until("both speak", |told| !tokens(told, &unwanted).is_empty() && !tokens(told, &wanted).is_empty());
    stage.wish(Wish::Cancel(unwanted.clone()));
    let said = tokens(&stage.told, &unwanted).len();
    stage.until("the other is over", |told| tokens(told, &wanted).len() == 40);
    assert_eq!(tokens(&stage.told, &unwanted).len(), said);
    assert_eq!(stage.step(), Step::Idle);
}

#[test]
fn a_model_that_is_let_go_of_gives_its_memory_back_whatever_it_does() {
    let mut stage = Stage::new();
    let before = stage.engine.capacity();
    for steps in [0, 1, 200] {
        stage.wish(Wish::Load(runner(), shard(MODEL, LAYERS)));
        for _ in 0..steps {
            stage.step();
        }
        stage.told.clear();
        stage.wish(Wish::Unload(runner()));
        assert_eq!(stage.told, [Report::Unloaded(runner())], "after {steps} steps");
        assert_eq!(stage.step(), Step::Idle);
        assert_eq!(stage.told.len(), 1, "nothing more is told of it");
        assert_eq!(stage.engine.capacity(), before, "after {steps} steps");
    }
    let task = stage.ask(question("hello", 5, &json!({})));
    stage.until("it is refused", |told| {
        told.iter().any(|report| matches!(report, Report::NotAnswered(of, _) if *of == task))
    });
}

#[test]
fn without_a_share_nothing_is_computed_and_with_one_it_goes_on() {
    let mut stage = Stage::ready();
    stage.wish(Wish::SetShare(0.0));
    let task = stage.ask(question("hello", 5, &json!({})));
    stage.rest();
    assert_eq!(stage.told, [], "nothing is computed");
    stage.wish(Wish::SetShare(0.25));
    stage.until("it is answered", |told| tokens(told, &task).len() == 5);
}
