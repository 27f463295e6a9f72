//! The gate's verdict against exo's own, on messages of a real exo and on thousands of spoilt ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod vectors;

use exo_wire::{
    Topic,
    gate::{Gate, verdict, verdict_on},
};
use serde::Deserialize;
use vectors::{captured, file, golden};

#[derive(Deserialize)]
struct Case {
    name: String,
    topic: String,
    accept: bool,
    json: String,
}

fn cases() -> Vec<Case> {
    let text = file("strictness.jsonl") + &file("strictness_more.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn topic(name: &str) -> Topic {
    Topic::named(name).unwrap_or_else(|| panic!("no topic {name}"))
}

#[test]
fn the_verdict_agrees_with_exo_on_every_recorded_case() {
    let cases = cases();
    assert!(cases.len() > 1000, "only {} cases", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let verdict = verdict(topic(&case.topic), &case.json);
            let told =
                format!("{}: exo says {}, we say {} {}", case.name, case.accept, verdict.accept, verdict.why);
            (verdict.accept != case.accept).then_some(told)
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn whatever_exo_refuses_no_gate_lets_through() {
    for case in cases().iter().filter(|case| !case.accept) {
        for gate in [Gate::guest(), Gate::master_of_phones()] {
            let judged = gate.judge(topic(&case.topic), case.json.as_bytes());
            assert!(judged.is_err(), "{} passed {gate:?}", case.name);
        }
    }
}

#[test]
fn a_verdict_says_why_and_only_when_it_refuses() {
    for case in cases() {
        let verdict = verdict(topic(&case.topic), &case.json);
        assert_eq!(verdict.why.is_empty(), verdict.accept, "{}: {}", case.name, verdict.why);
    }
}

#[test]
fn everything_that_exo_wrote_is_accepted() {
    for line in golden() {
        let verdict = verdict_on(&line.topic, &line.json).unwrap();
        assert!(verdict.accept, "{}: {}", line.variant, verdict.why);
    }
    let captured = captured();
    assert!(captured.len() > 100, "only {} payloads", captured.len());
    for message in captured {
        let verdict = verdict(message.topic, &message.payload);
        assert!(verdict.accept, "{}: {}", message.payload, verdict.why);
    }
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    for bytes in [&b"\xff"[..], b"{\"clock\":1\xc3}", b"\xed\xa0\x80"] {
        assert!(!verdict(Topic::ElectionMessages, bytes).accept);
    }
}

/// A small generator, so that a failure can be repeated from the number that it prints.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

const SCRAPS: [&str; 16] = [
    "null",
    "{}",
    "[]",
    "1.5",
    "-1",
    "NaN",
    "\"\"",
    "\"5\"",
    "true",
    "{\"x\":1},",
    "[[[[",
    "1e999",
    "\\ud800",
    "\u{0}",
    "\"",
    "99999999999999999999999999999999999999999999",
];

#[test]
fn no_spoilt_message_makes_the_gate_panic_and_none_passes_that_exo_would_refuse() {
    let seed = 20_260_622;
    println!("seed {seed}");
    let mut random = Seeded(seed);
    let mut lines = golden();
    lines.retain(|line| Topic::named(&line.topic).is_some());
    let (mut passed, mut taken) = (0, 0);
    for _ in 0..20_000 {
        let line = &lines[random.below(lines.len())];
        let mut bytes = line.json.clone().into_bytes();
        for _ in 0..=random.below(3) {
            let (from, length) = (random.below(bytes.len()), random.below(12));
            let to = (from + length).min(bytes.len());
            match random.below(4) {
                0 => drop(bytes.drain(from..to)),
                1 => drop(bytes.splice(from..to, SCRAPS[random.below(SCRAPS.len())].bytes())),
                2 => {
                    let copied = line.json.bytes().skip(random.below(line.json.len())).take(length);
                    drop(bytes.splice(from..from, copied));
                }
                _ => bytes.iter_mut().skip(from).take(1).for_each(|byte| *byte = byte.wrapping_add(1)),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let verdict = verdict(topic(&line.topic), &bytes);
        taken += usize::from(verdict.accept);
        for gate in [Gate::guest(), Gate::master_of_phones()] {
            let judged = gate.judge(topic(&line.topic), &bytes);
            passed += usize::from(judged.is_ok());
            assert!(verdict.accept || judged.is_err(), "{}", String::from_utf8_lossy(&bytes));
        }
    }
    assert!(passed > 0 && taken > 0, "the spoiling is so thorough that nothing is left to judge");
}
