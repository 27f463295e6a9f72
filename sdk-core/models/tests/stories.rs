//! A download and its server, as stories in virtual time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod scripted;

use std::time::Duration;

use exo_models::{Error, ErrorKind, Form};
use scripted::{Act, BASE, INDEX, Model, OTHER_SHARD, SHARD, World, a_place, listed};

fn kind(outcome: Result<(), Error>) -> ErrorKind {
    outcome.unwrap_err().kind()
}

#[test]
fn a_model_comes_with_what_the_engine_needs_and_nothing_else() {
    let mut world = World::new();
    world.run().unwrap();
    let names: Vec<&str> = world.disk.files.keys().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, world.model.needed());
    assert!(world.disk.files.keys().all(|(_, form)| *form == Form::Whole));
    let last = world.progress.last().unwrap();
    let bytes: usize = world.model.needed().iter().map(|name| world.model.0[*name].len()).sum();
    assert_eq!((last.done, last.total, last.files_done, last.files), (bytes as u64, bytes as u64, 6, 6));
    assert!(last.fresh <= last.done && last.speed > 0.0);
    assert_eq!(world.disk.known.len(), 6, "the next run knows what was promised");
}

#[test]
fn progress_never_goes_beyond_its_total() {
    let mut world = World::new().on(SHARD, &[Act::CutAfter(500_000), Act::IgnoreRange]);
    world.run().unwrap();
    for progress in &world.progress {
        assert!(progress.fresh <= progress.done && progress.done <= progress.total, "{progress:?}");
        assert!(progress.files_done <= progress.files);
    }
}

#[test]
fn files_come_several_at_once_but_not_too_many() {
    let mut world = World::new();
    world.run().unwrap();
    assert_eq!(world.most_at_once, 4);
    let mut world = World::new();
    world.options.parallel = 1;
    world.run().unwrap();
    assert_eq!(world.most_at_once, 1);
}

#[test]
fn a_model_that_is_there_is_not_fetched_again() {
    let mut world = World::new();
    world.run().unwrap();
    world.asked.clear();
    world.run().unwrap();
    assert_eq!(world.asked, [("list".to_owned(), None)]);
    assert_eq!(world.progress.last().unwrap().fresh, 0);
}

#[test]
fn a_cut_goes_on_where_it_was_with_the_version_that_it_was() {
    let mut world = World::new().on(SHARD, &[Act::CutAfter(700_000)]);
    world.run().unwrap();
    assert_eq!(world.times_asked(SHARD), 2);
    let again = world.requests.iter().rfind(|request| request.url.ends_with(SHARD)).unwrap();
    assert!(again.headers.contains(&("Range".into(), "bytes=700000-".into())), "{:?}", again.headers);
    assert!(again.headers.contains(&("If-Range".into(), "\"v1\"".into())));
    assert_eq!(
        world.disk.written as usize,
        world.model.needed().iter().map(|name| world.model.0[*name].len()).sum::<usize>()
    );
}

#[test]
fn an_answer_that_ends_early_is_a_cut() {
    let mut world = World::new().on(SHARD, &[Act::EndAfter(10), Act::EndAfter(0)]);
    world.run().unwrap();
    assert_eq!(world.times_asked(SHARD), 3);
}

#[test]
fn an_app_that_was_killed_goes_on_from_its_part() {
    let mut world = World::new();
    let part = world.model.0[SHARD][..1_234_567].to_vec();
    world.disk.put_part(SHARD, &part);
    world.run().unwrap();
    assert!(world.asked.contains(&(SHARD.into(), Some("bytes=1234567-".into()))));
    let last = world.progress.last().unwrap();
    assert_eq!(last.done - last.fresh, 1_234_567);
}

#[test]
fn a_part_that_is_whole_only_needs_its_name() {
    let mut world = World::new();
    let whole = world.model.0[SHARD].clone();
    world.disk.put_part(SHARD, &whole);
    world.run().unwrap();
    assert_eq!(world.times_asked(SHARD), 0, "a background download of the platform put it there");
}

#[test]
fn a_part_of_another_file_costs_one_download_and_no_error() {
    let mut world = World::new();
    world.disk.put_part(SHARD, &vec![7; 2_000_000]);
    world.disk.put_part(OTHER_SHARD, &vec![7; 2_000_000]);
    world.run().unwrap();
    assert_eq!(
        world
            .asked
            .iter()
            .filter(|(name, _)| name == SHARD)
            .map(|(_, range)| range.is_some())
            .collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(world.times_asked(OTHER_SHARD), 1, "what is larger than the file is not a part of it");
}

#[test]
fn a_model_that_changed_on_the_server_is_fetched_anew_where_it_changed() {
    let mut world = World::new();
    world.run().unwrap();
    let mut new = world.model.0[SHARD].clone();
    new[5] ^= 1;
    world.model = world.model.clone().with(SHARD, new);
    world.asked.clear();
    world.run().unwrap();
    let asked: Vec<&str> = world.asked.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(asked, ["list", SHARD], "the same size, another hash");
}

#[test]
fn a_part_of_what_the_server_no_longer_has_is_not_continued() {
    let mut world = World::new();
    world.disk.put_part(SHARD, &vec![7; 2_000_000]);
    world.disk.known.insert(SHARD.into(), listed(&vec![7; 3_000_000]));
    world.run().unwrap();
    assert!(world.asked.contains(&(SHARD.into(), None)));
    assert_eq!(world.times_asked(SHARD), 1);
}

#[test]
fn a_cancel_leaves_a_part_that_the_next_run_continues() {
    let mut world = World::new();
    world.cancel_at = Some(1_500_000);
    assert_eq!(world.run(), Err(Error::Cancelled));
    let part = world.disk.part(SHARD).unwrap().len();
    assert!(part > 0 && world.disk.whole(SHARD).is_none());
    world.cancel_at = None;
    world.run().unwrap();
    assert!(world.asked.contains(&(SHARD.into(), Some(format!("bytes={part}-")))));
}

#[test]
fn trouble_that_passes_is_waited_for_longer_each_time() {
    let mut world =
        World::new().on(SHARD, &[Act::Status(503), Act::Refuse, Act::Status(500), Act::Status(502)]);
    world.run().unwrap();
    assert!(
        (15..24).contains(&world.seconds()),
        "1 + 2 + 4 + 8 s and a half more at most: {}",
        world.seconds()
    );
}

#[test]
fn a_server_that_names_a_pause_gets_it() {
    let pause = Act::Says(429, vec![("RateLimit", "\"api\";r=0;t=100".into())]);
    let mut world = World::new().on("list", &[pause]);
    world.run().unwrap();
    assert!((100..103).contains(&world.seconds()), "{}", world.seconds());
}

#[test]
fn trouble_that_does_not_pass_ends_the_download_and_keeps_what_came() {
    let mut world = World::new().on(SHARD, &[Act::CutAfter(1_000_000)]).always(SHARD, Act::Refuse);
    let error = world.run().unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(error.to_string().contains("connection refused") && error.to_string().contains(SHARD), "{error}");
    assert_eq!(world.disk.part(SHARD).unwrap().len(), 1_000_000);
}

#[test]
fn a_slow_network_that_gets_on_is_never_given_up() {
    let mut world = World::new().on(SHARD, &vec![Act::CutAfter(300_000); 9]);
    world.options.attempts = 2;
    world.run().unwrap();
    assert_eq!(world.times_asked(SHARD), 10);
}

#[test]
fn a_server_that_gives_one_byte_a_time_is_given_up() {
    let mut world = World::new().always(SHARD, Act::CutAfter(1));
    assert_eq!(kind(world.run()), ErrorKind::Unreachable);
    assert_eq!(world.times_asked(SHARD), 8);
}

#[test]
fn silence_ends_a_transfer_and_not_the_download() {
    let mut world = World::new().on(SHARD, &[Act::SilentAfter(600_000), Act::SilentAfter(0)]);
    world.run().unwrap();
    assert!(world.seconds() >= 60, "{}", world.seconds());
    assert!(world.asked.contains(&(SHARD.into(), Some("bytes=600000-".into()))));
}

#[test]
fn a_byte_every_twenty_seconds_is_silence_too() {
    let mut world = World::new().always(SHARD, Act::Dribble(Duration::from_secs(20)));
    assert_eq!(kind(world.run()), ErrorKind::Unreachable);
}

#[test]
fn what_is_not_there_or_not_ours_is_said_at_once() {
    for (file, status, expected) in [
        ("list", 404, ErrorKind::NotFound),
        ("list", 401, ErrorKind::NotAllowed),
        (SHARD, 404, ErrorKind::NotFound),
        (SHARD, 403, ErrorKind::NotAllowed),
        (SHARD, 302, ErrorKind::BadAnswer),
    ] {
        let mut world = World::new().always(file, Act::Status(status));
        assert_eq!(kind(world.run()), expected, "{file} {status}");
        assert_eq!((world.times_asked(file), world.seconds()), (1, 0));
    }
}

#[test]
fn a_wrong_hash_is_forgiven_once() {
    let mut world = World::new().on(SHARD, &[Act::Flip]).on("config.json", &[Act::Flip]);
    world.run().unwrap();
    let mut world = World::new().on(SHARD, &[Act::Flip, Act::Flip]);
    assert_eq!(kind(world.run()), ErrorKind::Corrupt);
    assert_eq!((world.disk.whole(SHARD), world.disk.part(SHARD)), (None, None), "wrong bytes are not kept");
    let mut world = World::new().always("config.json", Act::Flip);
    assert_eq!(kind(world.run()), ErrorKind::Corrupt, "files in git are hashed as well");
}

#[test]
fn a_body_without_end_is_taken_as_far_as_it_was_promised() {
    let mut world = World::new().always(SHARD, Act::Endless);
    world.run().unwrap();
    assert!(world.dropped > 0);
}

#[test]
fn lengths_that_contradict_the_list_are_not_read() {
    for length in ["3000001", "2999999", "1e9", ""] {
        let mut world = World::new().always(SHARD, Act::With(vec![("Content-Length", length.into())]));
        let error = world.run().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadAnswer);
        assert!(error.to_string().contains("3000000 were promised"), "{error}");
        assert_eq!((world.times_asked(SHARD), world.disk.part(SHARD)), (3, None));
    }
}

#[test]
fn a_web_page_instead_of_a_file_brings_advice_and_costs_no_part() {
    let page = Act::With(vec![("Content-Type", "text/html; charset=utf-8".into())]);
    let mut world = World::new().always(SHARD, page);
    let part = world.model.0[SHARD][..500].to_vec();
    world.disk.put_part(SHARD, &part);
    let error = world.run().unwrap_err();
    assert!(error.to_string().contains("sign in"), "{error}");
    assert_eq!(world.disk.part(SHARD).unwrap(), part);
}

#[test]
fn a_server_without_ranges_serves_from_the_beginning() {
    let mut world = World::new().on(SHARD, &[Act::CutAfter(700_000), Act::IgnoreRange]);
    world.run().unwrap();
    let last = world.progress.last().unwrap();
    assert_eq!(last.fresh, last.done, "what had to come twice is counted once");
}

#[test]
fn a_wrong_range_is_not_written_and_the_next_attempt_asks_for_all() {
    for wrong in [Act::WrongRange, Act::Status(416)] {
        let mut world = World::new().on(SHARD, &[Act::CutAfter(700_000), wrong]);
        world.run().unwrap();
        let ranges: Vec<bool> =
            world.asked.iter().filter(|(name, _)| name == SHARD).map(|(_, range)| range.is_some()).collect();
        assert_eq!(ranges, [false, true, false]);
    }
}

#[test]
fn an_answer_that_left_https_is_not_taken() {
    let mut world = World::new().always(SHARD, Act::From(format!("http://cdn.test/{SHARD}")));
    let error = world.run().unwrap_err();
    assert!(error.to_string().contains("from https to http"), "{error}");
    assert_eq!(world.times_asked(SHARD), 1);
    let mut world = World::new().always(SHARD, Act::From(format!("https://cdn.test/{SHARD}")));
    world.run().unwrap();
}

#[test]
fn room_on_the_disk_is_looked_at_before_the_first_shard() {
    let mut world = World::new();
    world.disk.free = Some(4_000_000);
    world.options.reserve = 1_000_000;
    let error = world.run().unwrap_err();
    assert!(
        matches!(&error, Error::OutOfSpace { path, free: 4_000_000, reserve: 1_000_000, needed } if *needed > 4_000_000 && *path == a_place()),
        "{error}"
    );
    assert_eq!(world.times_asked(SHARD), 0);
    world.disk.free = Some(5_001_000);
    world.run().unwrap();
}

#[test]
fn what_is_there_needs_no_room() {
    let mut world = World::new();
    world.run().unwrap();
    world.disk.free = Some(0);
    world.run().unwrap();
}

#[test]
fn a_disk_that_fills_meanwhile_is_named_and_the_part_stays() {
    let mut world = World::new();
    world.disk.full_after = Some(2_000_000);
    assert_eq!(kind(world.run()), ErrorKind::OutOfSpace);
    assert!(world.disk.part(SHARD).is_some_and(|part| world.model.0[SHARD].starts_with(part)));
    world.disk.full_after = None;
    world.run().unwrap();
}

#[test]
fn files_are_asked_of_the_commit_that_was_listed() {
    let mut world = World::new().on(SHARD, &[Act::CutAfter(700_000)]);
    let commit = "0123456789abcdef0123456789abcdef01234567";
    world.list_headers = vec![("X-Repo-Commit", commit.into())];
    world.run().unwrap();
    assert!(
        world.requests[1..]
            .iter()
            .all(|request| request.url.starts_with(&format!("{BASE}/org/tiny/resolve/{commit}/")))
    );
    let is_conditional = |(name, _): &(String, String)| name == "If-Range";
    assert!(
        !world.requests.iter().flat_map(|request| &request.headers).any(is_conditional),
        "a commit cannot change"
    );
    let mut world = World::new();
    world.list_headers = vec![("X-Repo-Commit", "../../evil".into())];
    world.run().unwrap();
    assert!(
        world.requests[1..]
            .iter()
            .all(|request| request.url.starts_with(&format!("{BASE}/org/tiny/resolve/main/")))
    );
}

#[test]
fn a_token_goes_with_every_request() {
    let mut world = World::new();
    world.token = Some("hf_secret");
    world.run().unwrap();
    let header = ("Authorization".to_owned(), "Bearer hf_secret".to_owned());
    assert!(world.requests.iter().all(|request| request.headers.contains(&header)));
    assert!(!format!("{:?}", world.requests).contains("secret"), "and not into logs");
}

#[test]
fn a_list_of_several_pages_is_read_to_its_end_but_not_for_ever() {
    let mut world = World::new();
    world.list_headers =
        vec![("Link", format!("<{BASE}/api/models/org/tiny/tree/main?cursor=x>; rel=\"next\""))];
    world.list = Some(b"[]".to_vec());
    assert_eq!(kind(world.run()), ErrorKind::BadAnswer);
    assert_eq!(world.times_asked("list"), 10);
    let mut world = World::new();
    world.list_headers = vec![("Link", "<https://evil.test/api>; rel=\"next\"".into())];
    assert_eq!(kind(world.run()), ErrorKind::BadAnswer);
}

#[test]
fn a_list_that_was_cut_is_asked_for_again_and_one_that_is_wrong_is_named() {
    let mut world = World::new().on("list", &[Act::EndAfter(300), Act::CutAfter(10)]);
    world.run().unwrap();
    let mut world = World::new();
    world.list = Some(b"{\"error\":\"maintenance\"}".to_vec());
    assert_eq!(kind(world.run()), ErrorKind::BadAnswer);
    let mut world = World::new();
    world.list = Some(vec![b' '; 5 << 20]);
    assert_eq!(kind(world.run()), ErrorKind::BadAnswer);
    assert_eq!(world.times_asked("list"), 1);
}

#[test]
fn what_the_engine_cannot_run_is_not_fetched() {
    for (model, missing) in [
        (Model::tiny().without("config.json"), "config.json"),
        (Model::tiny().without("tokenizer.json"), "tokenizer.json"),
        (Model::tiny().without(SHARD).without(OTHER_SHARD).without("model-old.safetensors"), "safetensors"),
        (Model::tiny().without(SHARD), SHARD),
        (Model::tiny().with(INDEX, b"{}".to_vec()), INDEX),
        (Model::tiny().with(INDEX, br#"{"weight_map":{"a":"../../x.safetensors"}}"#.to_vec()), INDEX),
    ] {
        let mut world = World::new();
        world.model = model;
        let error = world.run().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotAModel);
        assert!(error.to_string().contains(missing), "{error}");
        assert_eq!(world.times_asked(OTHER_SHARD), 0);
    }
}

#[test]
fn a_model_without_an_index_brings_all_its_weights() {
    let mut world = World::new();
    world.model = Model::tiny().without(INDEX).without(OTHER_SHARD).without("model-old.safetensors");
    world.run().unwrap();
    assert!(world.disk.whole(SHARD).is_some());
}
