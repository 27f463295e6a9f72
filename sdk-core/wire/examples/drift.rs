//! What `scripts/exo-drift` runs: compares an export of exo's JSON schemas with the newest build that we know.

use std::{fs, process::ExitCode};

use exo_wire::builds::{self, Facts};

const HELP: &str = "What changed in exo, and may we still talk to it?

  scripts/exo-drift EXPORT.json
  scripts/exo-drift --learn EXPORT.json STATE.json NAME COMMIT DATE PACKAGE > sdk-core/wire/builds/NAME.json

EXPORT.json holds one JSON schema for each topic, as pydantic makes them from exo's own classes:

  {topic.topic: topic.model_type.model_json_schema(by_alias=False) for topic in (GLOBAL_EVENTS, LOCAL_EVENTS, ...)}

It is compared with the newest build that we know (sdk-core/wire/builds). Printed are events, commands, fields and
values that are new (+), gone (-) or different (~), then what a member sends and that exo would not take any more.
The last line says whether it is safe to send. Exit code: 0 safe, 1 not safe, 2 could not compare.

--learn writes the file of a new build from an export and an answer of GET /state. Add it to FILES in
sdk-core/wire/src/builds/mod.rs; what a schema cannot say goes to sdk-core/wire/builds/beyond.json with its reason.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["-h" | "--help"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        ["--learn", export, state, name, commit, date, package] => {
            learn(export, state, [name, commit, date, package])
        }
        [export] if !export.starts_with('-') => compare(export),
        _ => Err("expected the path of an export (--help tells more)".to_owned()),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn compare(export: &str) -> Result<ExitCode, String> {
    let newest = builds::newest().ok_or("no build of exo is known")?;
    let drift = builds::drift(newest, &read(export)?)?;
    println!("{drift}");
    Ok(if drift.is_safe_to_send() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn learn(export: &str, state: &str, facts: [&str; 4]) -> Result<ExitCode, String> {
    let [name, commit, date, package] = facts.map(str::to_owned);
    let state: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&read(state)?)
        .map_err(|error| format!("{state} is no answer of GET /state: {error}"))?;
    let state_keys = state.keys().cloned().collect();
    println!("{}", builds::learn(Facts { name, commit, date, package, state_keys }, &read(export)?)?);
    Ok(ExitCode::SUCCESS)
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}
