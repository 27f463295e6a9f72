//! Requests and replies through a whole engine: a tiny model on the CPU.
#![allow(clippy::unwrap_used, clippy::panic)]

mod scene;

use exo_engine::{ErrorKind, Happened, text::Moment, tiny::Family};
use scene::{Scene, request};

const FAMILIES: [Family; 2] = [Family::Llama, Family::Remembering];

#[test]
fn a_reply_has_the_words_that_were_asked_for() {
    let reply = Scene::with(512).reply("What does the river say?", 12);
    assert_eq!(reply.split_whitespace().count(), 12, "{reply:?}");
}

#[test]
fn several_at_once_get_what_each_would_get_alone() {
    let prompts = ["one stone", "two stones by the river", "a song of rain and wind", "x"];
    for family in FAMILIES {
        let alone = prompts.map(|prompt| Scene::of(family, 512, 1).reply(prompt, 20));
        let mut scene = Scene::of(family, 512, 4);
        let jobs = prompts.map(|prompt| scene.ask(prompt, 20));
        let replies = scene.replies();
        assert_eq!(jobs.map(|job| replies[&job].0.clone()), alone, "{family:?}");
    }
}

#[test]
fn a_beginning_that_was_computed_before_is_not_computed_again() {
    let prompt = "the river and the road ".repeat(6);
    for family in FAMILIES {
        let mut scene = Scene::of(family, 1024, 4);
        let first = scene.ask(&prompt, 10);
        let first = scene.replies().remove(&first).unwrap();
        let second = scene.ask(&prompt, 10);
        let second = scene.replies().remove(&second).unwrap();
        assert_eq!(first.1, 0);
        assert!(second.1 >= 96, "{} tokens were known, {family:?}", second.1);
        assert_eq!(second.0, first.0, "what is reused is what would be computed, {family:?}");
    }
}

#[test]
fn a_longer_text_goes_on_from_the_state_that_was_kept() {
    let prompt = "the river and the road ".repeat(6);
    let longer = format!("{prompt}under the old tree");
    let alone = Scene::of(Family::Remembering, 1024, 1).reply(&longer, 10);
    let mut scene = Scene::of(Family::Remembering, 1024, 2);
    scene.reply(&prompt, 10);
    let job = scene.ask(&longer, 10);
    let (reply, reused) = scene.replies().remove(&job).unwrap();
    assert!(reused >= 96, "{reused} tokens were known");
    assert_eq!(reply, alone);
}

#[test]
fn texts_that_do_not_fit_together_take_turns_and_lose_nothing() {
    let prompts = ["white water ".repeat(12), "old trees ".repeat(12), "warm wind ".repeat(12)];
    // Too few pages for all; and too few states.
    for (family, context, chats) in
        [(Family::Llama, 320, 4), (Family::Remembering, 320, 4), (Family::Remembering, 1024, 1)]
    {
        let alone = prompts.each_ref().map(|prompt| Scene::of(family, 1024, 1).reply(prompt, 60));
        let mut scene = Scene::of(family, context, chats);
        let jobs = prompts.each_ref().map(|prompt| scene.ask(prompt, 60));
        let replies = scene.replies();
        assert_eq!(jobs.map(|job| replies[&job].0.clone()), alone, "{family:?} with {chats} states");
    }
}

#[test]
fn a_long_prompt_does_not_stop_who_is_being_answered() {
    let mut scene = Scene::with(2048);
    let patient = scene.ask("say", 40);
    let mut happened = Vec::new();
    scene.engine.step(&mut happened).unwrap();
    scene.ask(&"rain ".repeat(200), 4);
    for _ in 0..8 {
        happened.clear();
        scene.engine.step(&mut happened).unwrap();
        let is_answered =
            happened.iter().any(|what| matches!(what, Happened::Replied { job, .. } if *job == patient));
        assert!(is_answered, "{happened:?}");
    }
}

#[test]
fn a_request_that_is_taken_back_says_nothing_more() {
    let mut scene = Scene::with(512);
    let (gone, stays) = (scene.ask("one", 30), scene.ask("two", 5));
    let mut happened = Vec::new();
    scene.engine.step(&mut happened).unwrap();
    assert!(scene.engine.cancel(gone) && !scene.engine.cancel(gone));
    assert_eq!(scene.replies().into_keys().collect::<Vec<_>>(), [stays]);
}

#[test]
fn the_context_is_the_end_of_a_text() {
    let reply = Scene::with(64).reply("say", 1000);
    // 64 positions, less the prompt: "user: say", the end of the line, and "assistant:".
    assert_eq!(reply.split_whitespace().count(), 64 - 20);
}

#[test]
fn a_prompt_that_never_fits_is_refused_before_anything_runs() {
    let error = Scene::with(64).engine.submit(&request(&"rain ".repeat(100), 4), Moment::from_unix(0));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidRequest);
}
