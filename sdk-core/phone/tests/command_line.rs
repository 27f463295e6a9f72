//! What a person sees who types something wrong, and how the program ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::process::{Command, Output};

fn exo_phone(words: &[&str]) -> Output {
    let data = std::env::temp_dir().join(format!("exo-phone-cli-{}", std::process::id()));
    Command::new(env!("CARGO_BIN_EXE_exo-phone")).args(words).env("XDG_DATA_HOME", &data).output().unwrap()
}

fn refused(words: &[&str]) -> String {
    let output = exo_phone(words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
    assert!(output.stdout.is_empty(), "{words:?} printed something before it refused");
    said
}

#[test]
fn a_bad_link_is_refused_with_what_to_write_instead() {
    for link in ["exo://", "http://10.0.0.1", "exo://host:99999", "exo://fe80::1", "exo://host?port=1"] {
        let said = refused(&["join", "--link", link]);
        assert!(said.starts_with("error: "), "{said}");
        assert!(said.contains("exo://") || said.contains("write"), "{link}: {said}");
    }
}

#[test]
fn a_way_of_searching_that_does_not_exist_is_refused_with_those_that_do() {
    let said = refused(&["join", "--only", "bluetooth"]);
    assert!(said.contains("loopback, link, dns-sd, unicast, multicast"), "{said}");
}

#[test]
fn flags_that_contradict_each_other_are_refused_with_what_to_add() {
    assert!(refused(&["join", "--only", "link"]).contains("--link exo://HOST"));
    let said = refused(&["join", "--only", "loopback", "--link", "exo://127.0.0.1"]);
    assert!(said.contains("--only link"), "{said}");
    assert!(refused(&["join", "--api-port", "1"]).contains("--expose-node-id"));
    let said = refused(&["join", "--link", "exo://127.0.0.1?ns=home", "--namespace", "office"]);
    assert!(said.contains("ns=home") && said.contains("leave one of them out"), "{said}");
}

#[test]
fn a_time_that_is_none_is_refused() {
    for seconds in ["-5", "nan", "soon"] {
        assert!(refused(&["demo", &format!("--seconds={seconds}")]).contains("such as 30 or 2.5"));
    }
}

#[test]
fn a_link_that_nobody_answers_brings_advice() {
    let output =
        exo_phone(&["join", "--only", "link", "--link", "exo://127.0.0.1:9", "--seconds", "6.5", "--json"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(r#""kind":"advice""#), "{said}");
}

#[test]
fn phones_that_may_not_multicast_cannot_found_and_are_told_what_to_write() {
    for only in ["loopback", "dns-sd", "unicast"] {
        let said = refused(&["found", "--only", only, "--seconds", "1"]);
        assert!(said.contains("meet by multicast") && said.contains("--only multicast"), "{said}");
    }
}

#[test]
fn an_interface_that_is_not_there_is_refused_with_those_that_are() {
    let said = refused(&["join", "--on", "nosuchnet0"]);
    assert!(said.contains("nosuchnet0") && said.contains("write one of:"), "{said}");
}

#[test]
fn an_unknown_profile_is_refused_with_the_known_ones() {
    assert!(refused(&["join", "--profile", "nokia-3310"]).contains("pixel-9"));
}

#[test]
fn a_model_or_server_that_cannot_be_one_is_refused_with_one_that_can() {
    for model in ["../../etc", "a/b/c", "", "caches"] {
        assert!(refused(&["fetch", model]).contains("OWNER/NAME"), "{model}");
    }
    let said = refused(&["fetch", "a/b", "--from", "models.example"]);
    assert!(said.contains("https://huggingface.co"), "{said}");
}

#[test]
fn help_tells_the_json_lines_and_the_exit_codes() {
    let output = exo_phone(&["join", "--help"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success());
    for expected in ["listening_only", "links_lost", "Ends with:", "--expose-node-id"] {
        assert!(said.contains(expected), "no {expected} in:\n{said}");
    }
}

#[test]
fn a_search_that_finds_nothing_leaves_when_its_time_is_over() {
    let output =
        exo_phone(&["join", "--only", "loopback", "--discovery-port", "9", "--seconds", "1", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object a line"))
        .collect();
    assert_eq!(lines[0]["kind"], "started");
    let states: Vec<&str> = lines.iter().filter_map(|line| line["state"].as_str()).collect();
    assert_eq!((states.first(), states.last()), (Some(&"searching"), Some(&"left")));
}

#[test]
fn a_place_without_a_cluster_says_what_was_tried_and_what_to_do() {
    let words = ["place", "Qwen3-0.6B-4bit", "--only", "loopback", "--discovery-port", "9", "--seconds", "1"];
    let output = exo_phone(&words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no exo was found within 1 s") && said.contains("What to do next:"), "{said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_file_that_is_no_model_is_refused_before_anything_is_searched() {
    let said = refused(&["place", "no-such-model.json"]);
    assert!(said.contains("no-such-model.json cannot be read"), "{said}");
    let file = std::env::temp_dir().join(format!("exo-phone-no-model-{}.json", std::process::id()));
    std::fs::write(&file, "{\"n_layers\": 3}").unwrap();
    let said = refused(&["place", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    assert!(said.contains("is no model: "), "{said}");
}

#[test]
fn a_question_about_guests_cannot_be_handed_over() {
    let said = refused(&["place", "x", "--even-guests", "--hand-over"]);
    assert!(said.contains("--even-guests") && said.contains("--hand-over"), "{said}");
}

#[test]
fn a_model_out_of_nothing_answers_the_same_each_time() {
    let generate = |more: &[&str]| {
        let words =
            [&["generate", "--tiny", "--prompt", "hello", "--max-tokens", "8", "--backend", "cpu"], more]
                .concat();
        let output = exo_phone(&words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (reply, told) = generate(&[]);
    assert!(reply.split_whitespace().count() > 2, "{reply:?}");
    assert!(told.contains("tokens/s"), "{told}");
    assert_eq!(generate(&[]).0, reply);
    assert_ne!(generate(&["--raw"]).0, reply, "without the template it is another prompt");
    assert_ne!(generate(&["--temperature", "2", "--seed", "3"]).0, reply);
}

#[test]
fn a_directory_without_a_model_is_named() {
    let output = exo_phone(&["generate", "--model", "/nonexistent", "--prompt", "x", "--backend", "cpu"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("/nonexistent/tokenizer.json") && said.contains("download"), "{said}");
}
