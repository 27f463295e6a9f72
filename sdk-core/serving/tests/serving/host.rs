//! A host of models, and several who want something of it at once.

use std::{
    sync::mpsc::{self, Receiver},
    time::Duration,
};

use crate::stage::{LAYERS, MODEL, Stage, question, runner, shard, text, tokens};
use exo_engine::{
    ReliefStep,
    chat::{ChatRequest, Event, Usage},
};
use exo_node::worker::{Engine, Fault, Report, Wish};
use exo_serving::{AnswerNews, Error, Host, Lease, LoadNews, Question};
use exo_wire::ModelId;
use serde_json::json;

const PATIENCE: Duration = Duration::from_mins(1);

fn model() -> ModelId {
    ModelId::parse(MODEL).unwrap()
}

fn request(words: &str, tokens: u32) -> ChatRequest {
    ChatRequest::from_json(&serde_json::to_string(&question(words, tokens, &json!({}))).unwrap()).unwrap()
}

fn ask(lease: &Lease, words: &str, tokens: u32) -> (Question, Receiver<AnswerNews>) {
    let (tell, told) = mpsc::channel();
    (lease.ask(request(words, tokens), move |news| drop(tell.send(news))), told)
}

/// The whole answer, and its bill.
fn whole(told: &Receiver<AnswerNews>) -> (String, Usage) {
    let mut words = String::new();
    loop {
        match told.recv_timeout(PATIENCE).unwrap() {
            AnswerNews::Reading { .. } => {}
            AnswerNews::Said(Event::Said(said)) => {
                words.push_str(&said.text);
                if let Some(end) = said.end {
                    return (words, end.usage);
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_app_and_the_cluster_share_one_model_and_get_the_same_words() {
    let mut stage = Stage::ready();
    let used = stage.host.used();
    let (lease, ready) = stage.host.load_and_wait(&model()).unwrap();
    assert_eq!((ready.memory, stage.host.used()), (used, used), "it is loaded once");
    let (_question, told) = ask(&lease, "tell me of rain", 12);
    let cluster = text(&stage.answer(question("tell me of rain", 12, &json!({}))));
    assert_eq!(whole(&told).0, cluster);
    // exo lets go of it, and the app keeps it.
    stage.wish(Wish::Unload(runner()));
    assert_eq!(stage.host.used(), used);
    let (_question, told) = ask(&lease, "tell me of rain", 12);
    assert_eq!(whole(&told).0, cluster);
    drop(lease);
    stage.host.settle();
    assert_eq!(stage.host.used(), 0);
}

#[test]
fn what_an_app_loads_is_no_burden_for_the_cluster_to_use() {
    let mut stage = Stage::new();
    let fits = stage.host.fits(&model()).unwrap();
    let (_lease, _) = stage.host.load_and_wait(&model()).unwrap();
    let suitable = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap();
    assert_eq!((suitable.memory, stage.host.fits(&model()).unwrap()), (0, fits), "it is used already");
    assert!(stage.host.shelf()[0].is_loaded);
}

#[test]
fn a_question_may_be_asked_before_the_model_is_there() {
    let stage = Stage::new();
    let (tell, loading) = mpsc::channel();
    let lease = stage.host.load(&model(), move |news| drop(tell.send(news)));
    let (_question, told) = ask(&lease, "hello", 5);
    assert_eq!(whole(&told).1.completion_tokens, 5);
    let news: Vec<_> = loading.try_iter().collect();
    assert!(matches!(news.last(), Some(LoadNews::Ready(_))), "{news:?}");
}

#[test]
fn the_cluster_gets_what_its_owner_offers_and_hears_at_once_when_that_changes() {
    let mut stage = Stage::new();
    let all = stage.engine.capacity().room;
    assert!(all > 0, "before the owner says anything, all is offered");
    stage.host.offer([].into());
    stage.step();
    assert_eq!(stage.engine.capacity().room, 0);
    let error = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap_err();
    assert_eq!(error.fault, Fault::Unsuitable);
    assert!(error.message.contains("is not offered by the owner"), "{error}");
    stage.host.offer([model()].into());
    stage.step();
    assert_eq!(stage.engine.capacity().room, all);
    assert!(stage.engine.examine(&shard(MODEL, LAYERS)).is_ok());
}

#[test]
fn a_share_of_nothing_for_the_cluster_does_not_keep_the_app_from_its_answer() {
    let mut stage = Stage::ready();
    stage.wish(Wish::SetShare(0.0));
    let (lease, _) = stage.host.load_and_wait(&model()).unwrap();
    let (_question, told) = ask(&lease, "hello", 5);
    assert_eq!(whole(&told).1.completion_tokens, 5);
}

#[test]
fn the_cluster_is_taken_along_by_the_apps_answer_and_no_further() {
    let mut stage = Stage::ready();
    stage.wish(Wish::SetShare(0.0));
    let (lease, _) = stage.host.load_and_wait(&model()).unwrap();
    let clusters = stage.ask(question("one", 2000, &json!({})));
    let (_question, told) = ask(&lease, "hello", 5);
    whole(&told);
    stage.rest();
    let so_far = tokens(&stage.told, &clusters).len();
    stage.rest();
    assert_eq!(tokens(&stage.told, &clusters).len(), so_far);
    assert!(so_far < 100, "{so_far} tokens without a share");
}

#[test]
fn what_the_owner_takes_back_the_cluster_has_no_longer() {
    let mut stage = Stage::ready();
    let task = stage.ask(question("one", 2000, &json!({})));
    stage.until("it speaks", |told| !tokens(told, &task).is_empty());
    stage.host.offer([].into());
    let refused = |told: &[Report]| {
        told.iter().any(|report| matches!(report, Report::Failed(of, why) if *of == runner() && why.fault == Fault::Unsuitable))
    };
    stage.until("it is given back", refused);
    stage.host.settle();
    assert_eq!(stage.host.used(), 0);
    stage.told.clear();
    stage.wish(Wish::Load(runner(), shard(MODEL, LAYERS)));
    stage.until("it is not loaded again", refused);
    assert!(!stage.host.is_held(&model()));
}

#[test]
fn a_model_is_held_from_the_wish_to_its_end() {
    let stage = Stage::new();
    assert!(!stage.host.is_held(&model()));
    let lease = stage.host.load(&model(), |_| ());
    stage.host.settle();
    assert!(stage.host.is_held(&model()));
    drop(lease);
    stage.host.settle();
    assert!(!stage.host.is_held(&model()));
}

#[test]
fn whoever_lets_go_takes_their_questions_along_and_nobody_elses() {
    let stage = Stage::new();
    let (one, _) = stage.host.load_and_wait(&model()).unwrap();
    let (other, _) = stage.host.load_and_wait(&model()).unwrap();
    let ((_a, of_one), (_b, of_other)) = (ask(&one, "one", 2000), ask(&other, "two", 30));
    of_one.recv_timeout(PATIENCE).unwrap();
    drop(one);
    assert_eq!(whole(&of_other).1.completion_tokens, 30);
    let left: Vec<_> = of_one.into_iter().collect();
    assert!(left.len() < 1990, "it was not computed to its end");
    assert!(matches!(left.last(), Some(AnswerNews::Failed(Error::NotLoaded))), "whoever waits is told");
}

#[test]
fn a_model_that_is_not_here_says_so() {
    let host = Stage::new().host;
    let error = host.load_and_wait(&ModelId::parse("a/b").unwrap()).unwrap_err();
    assert!(error.to_string().contains("a/b is not on this device"), "{error}");
    assert!(error.to_string().contains(MODEL), "{error}");
}

#[test]
fn a_closed_host_leaves_nobody_waiting_and_keeps_nothing() {
    let stage = Stage::new();
    let host: Host = stage.host.clone();
    let (lease, _) = host.load_and_wait(&model()).unwrap();
    let (_question, told) = ask(&lease, "hello", 2000);
    told.recv_timeout(PATIENCE).unwrap();
    host.close();
    let last = told.into_iter().last().unwrap();
    assert!(matches!(last, AnswerNews::Failed(Error::Closed)), "{last:?}");
    assert_eq!((host.used(), host.room()), (0, 0), "and it offers nothing");
    let (_question, told) = ask(&lease, "hello", 5);
    assert!(matches!(told.recv_timeout(PATIENCE).unwrap(), AnswerNews::Failed(Error::Closed)));
    assert!(matches!(host.load_and_wait(&model()), Err(Error::Closed)));
    host.close();
}

#[test]
fn where_memory_is_short_models_give_some_back_and_the_cluster_is_offered_nothing_more() {
    let mut stage = Stage::ready();
    let (lease, _) = stage.host.load_and_wait(&model()).unwrap();
    let words = "a long question about a quiet river and an old stone road ".repeat(4);
    let (_question, told) = ask(&lease, &words, 5);
    let (answer, _) = whole(&told);
    let used = stage.host.used();
    let reliefs = stage.host.relieve();
    assert!(matches!(&reliefs[..], [(of, relief)] if *of == model() && relief.freed > 0), "{reliefs:?}");
    assert_eq!(stage.host.used(), used - reliefs[0].1.freed, "what is told to be used is what is");
    stage.step();
    assert_eq!(stage.engine.capacity().room, 0);
    let (_question, told) = ask(&lease, &words, 5);
    assert_eq!(whole(&told).0, answer, "it answers as before");
    while stage.host.relieve()[0].1.step != ReliefStep::RefusesWork {}
    let why = stage.refusal(question("hello", 5, &json!({})));
    assert!(why.contains("memory is short"), "{why}");
}
