//! Prints exo's own judgement of messages: `cargo run -p exo-wire --example verdict -- FILE.jsonl`
//!
//! Reads lines `{"name","topic","json"}` (a file, or `-` for standard input) and prints `{"name","accept","why"}` for
//! each. Where a line has `accept` too, a disagreement is counted, and the exit code is 1 if there was one.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Write},
    process::ExitCode,
};

use exo_wire::gate::{Verdict, verdict_on};
use serde::{Deserialize, Deserializer, Serialize, de};

const HELP: &str = "usage: verdict FILE.jsonl    (or - for standard input)

Each line is {\"name\": TEXT, \"topic\": TOPIC, \"json\": PAYLOAD}; topics are global_events, local_events, commands,
election_messages and download_commands. Prints {\"name\",\"accept\",\"why\"} for each: whether the parser of the
newest exo build that we know takes the payload. A line may say what it expects: \"accept\": true or false.";

#[derive(Deserialize)]
struct Line {
    name: String,
    topic: String,
    #[serde(deserialize_with = "bytes")]
    json: Vec<u8>,
    accept: Option<bool>,
}

#[derive(Serialize)]
struct Answer<'a> {
    name: &'a str,
    accept: bool,
    why: &'a str,
}

/// A payload as bytes, so that a line can also hold one that is not valid text.
fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    struct Bytes;
    impl de::Visitor<'_> for Bytes {
        type Value = Vec<u8>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a payload as a string")
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
        fn visit_str<E>(self, text: &str) -> Result<Vec<u8>, E> {
            Ok(text.as_bytes().to_vec())
        }
    }
    deserializer.deserialize_bytes(Bytes)
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1).filter(|argument| argument != "--help" && argument != "-h")
    else {
        println!("{HELP}");
        return ExitCode::from(u8::from(std::env::args().len() < 2) * 2);
    };
    let run = match path.as_str() {
        "-" => judge(io::stdin().lock()),
        _ => File::open(&path).and_then(|file| judge(BufReader::new(file))),
    };
    match run {
        Ok(0) => ExitCode::SUCCESS,
        Ok(disagreements) => {
            eprintln!("{disagreements} lines expected something else");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {path}: {error}");
            ExitCode::from(2)
        }
    }
}

fn judge(mut lines: impl BufRead) -> io::Result<usize> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut disagreements = 0;
    let mut text = Vec::new();
    let mut number = 0;
    while lines.read_until(b'\n', &mut text)? > 0 {
        number += 1;
        if !text.trim_ascii().is_empty() {
            let line: Line = serde_json::from_slice(&text)
                .map_err(|error| io::Error::other(format!("line {number} is not a case: {error}")))?;
            let Verdict { accept, why } = verdict_on(&line.topic, &line.json).unwrap_or_else(|| Verdict {
                accept: false,
                why: format!("exo has no topic {:?}", line.topic),
            });
            disagreements += usize::from(line.accept.is_some_and(|expected| expected != accept));
            let answer = serde_json::to_string(&Answer { name: &line.name, accept, why: &why })?;
            writeln!(out, "{answer}")?;
        }
        text.clear();
    }
    out.flush()?;
    Ok(disagreements)
}
