//! The demonstration ends as it should, and never leaves this computer.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod sockets;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;
use sockets::Socket;

/// A program that is stopped when the test ends, whatever happens.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the demonstration to the end of its story, presses Ctrl-C, and watches its sockets all the while.
fn demo() -> (Vec<Value>, BTreeSet<Socket>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_exo-phone"));
    // Should the story never end, the demonstration does, and the test sees that something is missing.
    command.args(["demo", "--json", "--seconds", "90"]);
    let mut running = Running(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let pid = running.0.id();
    let out = BufReader::new(running.0.stdout.take().unwrap());
    let reader = thread::spawn(move || {
        let mut lines: Vec<Value> = Vec::new();
        for line in out.lines() {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if line["kind"] == "note"
                && line["text"].as_str().is_some_and(|text| text.contains("that is all"))
            {
                let pressed = Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap();
                assert!(pressed.success());
            }
            lines.push(line);
        }
        lines
    });
    let mut seen = BTreeSet::new();
    let status = loop {
        seen.extend(sockets::of(pid));
        if let Some(status) = running.0.try_wait().unwrap() {
            break status;
        }
        thread::sleep(Duration::from_millis(10));
    };
    let lines = reader.join().unwrap();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
    (lines, seen)
}

/// What became of one phone, each state once.
fn story<'a>(lines: &'a [Value], phone: &str) -> Vec<&'a str> {
    let of_phone = lines.iter().filter(|line| line["phone"] == phone);
    let mut states: Vec<&str> = of_phone
        .filter_map(|line| if line["kind"] == "started" { Some("started") } else { line["state"].as_str() })
        .collect();
    states.dedup();
    states
}

fn in_order(states: &[&str], expected: &[&str]) -> bool {
    let mut states = states.iter();
    expected.iter().all(|expected| states.any(|state| state == expected))
}

fn last_states(lines: &[Value]) -> BTreeMap<&str, &str> {
    let states = lines.iter().filter_map(|line| Some((line["phone"].as_str()?, line["state"].as_str()?)));
    states.collect()
}

#[test]
fn the_story_is_told_to_its_end_and_every_socket_is_on_loopback() {
    let (lines, sockets) = demo();
    let states = last_states(&lines);
    assert_eq!(states, BTreeMap::from(["fairphone", "iphone", "pixel"].map(|phone| (phone, "left"))));

    let late = story(&lines, "fairphone");
    assert!(in_order(&late, &["started", "joined", "failed", "started", "joined", "left"]), "{late:?}");
    let started = lines.iter().filter(|line| line["phone"] == "fairphone" && line["kind"] == "started");
    let ids: Vec<&str> = started.filter_map(|line| line["node_id"].as_str()).collect();
    assert!(ids.len() == 2 && ids[0] == ids[1], "it comes back as itself: {ids:?}");

    let together = |line: &Value| line["state"] == "joined" && line["nodes"] == 3;
    assert!(lines.iter().any(together), "nobody ever saw three phones");
    let acked = lines.iter().filter(|line| line["kind"] == "stats").filter_map(|line| line["acked"].as_u64());
    assert!(acked.max() > Some(0));
    let refused = lines.iter().filter_map(|line| line["refused"].as_u64()).max();
    assert_eq!(refused, Some(0), "the gate had to refuse something");

    let of_pixel = lines.iter().filter(|line| line["phone"] == "pixel" && line["kind"] == "note");
    let notes: Vec<&str> = of_pixel.filter_map(|line| line["text"].as_str()).collect();
    assert!(notes.iter().any(|note| note.contains("weights are random")), "{notes:?}");
    let words = notes.iter().filter_map(|note| note.strip_prefix("… ")).flat_map(str::split_whitespace);
    assert!(words.count() > 3, "it did not answer: {notes:?}");

    assert!(sockets.iter().any(|socket| socket.is_udp), "no UDP socket was seen: the test looks at nothing");
    assert!(sockets.iter().any(|socket| !socket.is_udp), "no TCP socket was seen: the test looks at nothing");
    for socket in &sockets {
        assert!(socket.local.is_loopback(), "{socket:?} is not on loopback");
        assert!(socket.remote.is_none_or(|remote| remote.is_loopback()), "{socket:?} leads elsewhere");
    }
}
