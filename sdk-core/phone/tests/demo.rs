//! The demonstration ends as it should, and never leaves this computer.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod sockets;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
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

fn demo(seconds: u32) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_exo-phone"));
    command.args(["demo", "--json", "--seconds", &seconds.to_string()]);
    Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Watches the sockets of a program until it ends, then reads what it printed.
fn watch(mut running: Running) -> (Vec<Value>, BTreeSet<Socket>) {
    let mut out = running.0.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let mut seen = BTreeSet::new();
    let status = loop {
        seen.extend(sockets::of(running.0.id()));
        if let Some(status) = running.0.try_wait().unwrap() {
            break status;
        }
        thread::sleep(Duration::from_millis(50));
    };
    let text = reader.join().unwrap().unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(status.code(), Some(0), "{text}");
    (lines, seen)
}

fn last_states(lines: &[Value]) -> BTreeMap<&str, &str> {
    let states = lines.iter().filter_map(|line| Some((line["phone"].as_str()?, line["state"].as_str()?)));
    states.collect()
}

#[test]
fn all_phones_leave_and_every_socket_is_on_loopback() {
    let (lines, sockets) = watch(demo(8));
    let states = last_states(&lines);
    assert_eq!(states.get("pixel"), Some(&"left"), "{states:?}");
    assert_eq!(states.get("iphone"), Some(&"left"), "{states:?}");
    assert!(states.values().all(|state| *state == "left"), "{states:?}");

    assert!(sockets.iter().any(|socket| socket.is_udp), "no UDP socket was seen: the test looks at nothing");
    assert!(sockets.iter().any(|socket| !socket.is_udp), "no TCP socket was seen: the test looks at nothing");
    for socket in &sockets {
        assert!(socket.local.is_loopback(), "{socket:?} is not on loopback");
        assert!(socket.remote.is_none_or(|remote| remote.is_loopback()), "{socket:?} leads elsewhere");
    }
}

#[test]
fn a_phone_that_joined_saw_the_other_and_was_acknowledged() {
    let (lines, _) = watch(demo(10));
    let joined = |line: &&Value| line["state"] == "joined" && line["nodes"] == 2;
    assert!(lines.iter().any(|line| joined(&line)), "{lines:#?}");
    let acked = lines.iter().filter(|line| line["kind"] == "stats").filter_map(|line| line["acked"].as_u64());
    assert!(acked.max() > Some(0));
    let refused = lines.iter().filter_map(|line| line["refused"].as_u64()).max();
    assert_eq!(refused, Some(0), "the gate had to refuse something");
}
