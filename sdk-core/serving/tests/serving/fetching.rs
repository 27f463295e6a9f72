//! What exo places here and is not here comes: from a server in memory, through the worker's own words.

use std::sync::mpsc;

use exo_engine::chat::ChatRequest;
use exo_gpu::OpenOptions;
use exo_node::worker::{Engine, EngineError, Fault, Fetching, Report, Wish};
use exo_serving::AnswerNews;
use exo_wire::{ModelId, RunnerId};
use serde_json::json;

use crate::{
    server::Server,
    stage::{LAYERS, MODEL, Stage, question, runner, shard, text},
};

fn model() -> ModelId {
    ModelId::parse(MODEL).unwrap()
}

fn fetch(stage: &mut Stage) {
    stage.wish(Wish::Fetch(runner(), shard(MODEL, LAYERS)));
}

fn is_fetched(told: &[Report], runner: &RunnerId) -> bool {
    told.iter()
        .any(|report| matches!(report, Report::Fetched(of, fetched) if of == runner && fetched.total > 0))
}

fn progress(told: &[Report]) -> Vec<Fetching> {
    let of = |report: &Report| match report {
        Report::Fetching(_, so_far) => Some(*so_far),
        _ => None,
    };
    told.iter().filter_map(of).collect()
}

/// Waits until half of the weights came, and no more will.
fn until_it_is_held(stage: &mut Stage) {
    stage.until("half of it is here", |told| progress(told).last().is_some_and(|it| it.done * 3 > it.total));
}

/// Why it did not come.
fn failure(stage: &mut Stage) -> EngineError {
    let why = |told: &[Report]| {
        told.iter().find_map(|report| match report {
            Report::Failed(of, error) if *of == runner() => Some(error.clone()),
            _ => None,
        })
    };
    stage.until("it fails", |told| why(told).is_some());
    why(&stage.told).unwrap()
}

#[test]
fn a_model_that_is_not_here_is_fetched_loaded_and_answers() {
    let server = Server::new();
    let mut stage = Stage::supplied(&server);
    let before = stage.engine.capacity();
    assert!(before.room == 0 && before.fetches > 1 << 20, "{before:?}");
    let suitable = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap();
    assert!(suitable.stored.is_none() && suitable.memory > 1 << 20, "{suitable:?}");
    assert_eq!(server.asked_for_weights(), [0; 0], "asking costs nothing");

    fetch(&mut stage);
    stage.until("it is here", |told| is_fetched(told, &runner()));
    let last = *progress(&stage.told).last().unwrap();
    assert!(last.done == last.total && last.files_done == last.files && last.fresh == last.total, "{last:?}");
    stage.step();
    assert!(stage.engine.capacity().room > 100_000, "it is at hand now");

    stage.wish(Wish::Load(runner(), shard(MODEL, LAYERS)));
    stage.until("it is loaded", |told| told.contains(&Report::Loaded(runner())));
    let cluster = text(&stage.answer(question("tell me of rain", 12, &json!({}))));
    let (lease, _) = stage.host.load_and_wait(&model()).unwrap();
    let (tell, told) = mpsc::channel();
    let request = serde_json::to_string(&question("tell me of rain", 12, &json!({}))).unwrap();
    let _asked = lease.ask(ChatRequest::from_json(&request).unwrap(), move |news| drop(tell.send(news)));
    let mut chat = String::new();
    while chat.len() < cluster.len() {
        if let AnswerNews::Said(exo_engine::chat::Event::Said(said)) = told.recv().unwrap() {
            chat.push_str(&said.text);
        }
    }
    assert_eq!(chat, cluster, "it is there for local chats too");
}

#[test]
fn a_download_that_is_cut_goes_on_from_where_it_was() {
    let server = Server::new();
    server.cuts(1);
    let mut stage = Stage::supplied(&server);
    fetch(&mut stage);
    stage.until("it is here", |told| is_fetched(told, &runner()));
    let asked = server.asked_for_weights();
    assert!(matches!(asked[..], [0, from] if from > 10_000), "{asked:?}");
}

#[test]
fn a_server_that_is_gone_may_be_back_and_one_that_has_no_such_model_is_believed() {
    for (status, fault, words) in [
        (404, Fault::Unsuitable, "is not there"),
        (403, Fault::Unsuitable, "is not for everybody"),
        (503, Fault::Passing, "try again later"),
    ] {
        let server = Server::new();
        server.says(status);
        let mut stage = Stage::supplied(&server);
        fetch(&mut stage);
        let error = failure(&mut stage);
        assert_eq!(error.fault, fault, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
}

#[test]
fn an_unload_ends_the_download_and_the_next_one_goes_on_from_its_parts() {
    let server = Server::new();
    server.holds(true);
    let mut stage = Stage::supplied(&server);
    fetch(&mut stage);
    until_it_is_held(&mut stage);
    stage.told.clear();
    stage.wish(Wish::Unload(runner()));
    assert_eq!(stage.told, [Report::Unloaded(runner())]);
    stage.rest();
    assert_eq!(stage.told.len(), 1, "nothing more is told of it");
    assert!(stage.engine.examine(&shard(MODEL, LAYERS)).unwrap().stored.is_none());
    server.holds(false);
    fetch(&mut stage);
    stage.until("it is here", |told| is_fetched(told, &runner()));
    let asked = server.asked_for_weights();
    assert!(matches!(asked[..], [0, from] if from > 10_000), "{asked:?}");
}

#[test]
fn two_runners_share_one_download_and_it_goes_on_while_one_of_them_wants_it() {
    let server = Server::new();
    server.holds(true);
    let mut stage = Stage::supplied(&server);
    let others = [RunnerId::heard("second"), RunnerId::heard("third")];
    fetch(&mut stage);
    for other in &others {
        stage.wish(Wish::Fetch(other.clone(), shard(MODEL, LAYERS)));
    }
    until_it_is_held(&mut stage);
    stage.wish(Wish::Unload(runner()));
    server.holds(false);
    stage.until("it is here for both", |told| others.iter().all(|other| is_fetched(told, other)));
    assert_eq!(server.asked_for_weights(), [0]);
    assert!(!is_fetched(&stage.told, &runner()));
}

#[test]
fn what_another_program_fetches_into_the_same_directory_is_waited_for() {
    let server = Server::new();
    server.holds(true);
    let mut stage = Stage::supplied(&server);
    fetch(&mut stage);
    until_it_is_held(&mut stage);
    // Another host with the same directory, as another program would have.
    let mut other = Stage::supplied(&server);
    fetch(&mut other);
    other.rest();
    assert_eq!(other.told, []);
    server.holds(false);
    for stage in [&mut stage, &mut other] {
        stage.until("it is here", |told| is_fetched(told, &runner()));
    }
    assert_eq!(server.asked_for_weights(), [0]);
}

#[test]
fn what_the_owner_does_not_offer_is_not_fetched_unless_anything_may_be() {
    let server = Server::new();
    let mut stage = Stage::supplied(&server);
    stage.host.offer([].into());
    stage.step();
    assert_eq!(stage.engine.capacity().fetches, 0);
    let error = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap_err();
    assert!(error.message.contains("is not offered by the owner"), "{error}");
    stage.host.supply_from(Some(server.supply().for_any_model()));
    stage.step();
    assert!(stage.engine.capacity().fetches > 0);
    assert!(stage.engine.examine(&shard(MODEL, LAYERS)).is_ok());
    stage.host.supply_from(None);
    stage.host.offer([model()].into());
    let error = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap_err();
    assert!(error.message.contains("is not on this device"), "{error}");
}

#[test]
fn an_offer_that_is_taken_back_ends_the_download() {
    let server = Server::new();
    server.holds(true);
    let mut stage = Stage::supplied(&server);
    fetch(&mut stage);
    until_it_is_held(&mut stage);
    stage.host.offer([].into());
    assert_eq!(failure(&mut stage).fault, Fault::Passing, "whoever tries again is refused in clear words");
    assert!(stage.engine.examine(&shard(MODEL, LAYERS)).is_err());
}

#[test]
fn a_model_that_cannot_fit_is_refused_by_its_card_before_a_byte_comes() {
    let server = Server::new();
    let mut stage = Stage::supplied_with(OpenOptions::new().memory_cap(1_000_000), &server);
    assert_eq!(stage.engine.capacity().fetches, 750_000);
    let error = stage.engine.examine(&shard(MODEL, LAYERS)).unwrap_err();
    assert_eq!(error.fault, Fault::Unsuitable);
    assert!(
        error.message.contains("too large to be fetched") && error.message.contains("1000000"),
        "{error}"
    );
}

#[test]
fn a_model_of_another_architecture_is_refused_by_name_before_its_weights_are_here() {
    let server = Server::with(|files| {
        let config = br#"{"model_type": "mamba"}"#.to_vec();
        files.insert("config.json".into(), config);
    });
    server.holds(true);
    let mut stage = Stage::supplied(&server);
    fetch(&mut stage);
    let error = failure(&mut stage);
    assert_eq!(error.fault, Fault::Unsuitable);
    assert!(error.message.contains("mamba"), "{error}");
}

#[test]
fn what_came_is_examined_again_before_it_is_loaded() {
    let server = Server::new();
    let mut stage = Stage::supplied(&server);
    stage.wish(Wish::Fetch(runner(), shard(MODEL, 28)));
    let error = failure(&mut stage);
    assert_eq!(error.fault, Fault::Unsuitable);
    assert!(error.message.contains("it has 3 layers, and 28 by the model's card"), "{error}");
}

#[test]
fn a_host_that_is_closed_fetches_nothing_more() {
    let server = Server::new();
    server.holds(true);
    let mut stage = Stage::supplied(&server);
    fetch(&mut stage);
    until_it_is_held(&mut stage);
    stage.host.close();
    assert!(failure(&mut stage).message.contains("closed"));
    assert_eq!(stage.engine.capacity().fetches, 0);
}
