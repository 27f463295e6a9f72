//! Solves a placement problem from a file and prints the answer as JSON.

use std::{env, fs, io, io::Write as _, process::ExitCode, time::Instant};

use exo_telemetry::placement::{Answer, MAX_TEXT_BYTES, Problem, place};

const HELP: &str = r#"Decides which device runs which layers of a model, and says why.

usage: place PROBLEM.json        the answer goes to stdout as JSON
       place -                   reads the problem from stdin

A problem (times in seconds, sizes in bytes; docs/placement.md explains every field):

  {"model": {"layers": [{"bytes": 4e8, "flops": 8e8, "kv_bytes_per_token": 4096}], "embedding_bytes": 5e8,
             "head_bytes": 5e8, "activation_bytes": 8192},
   "devices": [{"id": "pixel", "memory_bytes": 4e9, "flops_per_s": 1e12, "memory_bytes_per_s": 5e10,
                "thermal_factor": 1.0, "allowed": true}],
   "links": [{"from": "pixel", "to": "mac", "latency_s": 0.003, "bytes_per_s": 4e7}],
   "default_link": {"latency_s": 0.005, "bytes_per_s": 2e7},
   "workload": {"context_tokens": 4096}, "objective": "latency", "max_devices": null, "time_limit_ms": 5000}

"objective" is "latency" (one token) or "throughput" (a full pipeline). With
"tensor": {"kv_heads": 8, "hidden_size": 4096} layers may also be split across devices.

exit code: 0 with an answer, be it "infeasible"; 2 if the file cannot be read or is no problem"#;

/// An error that a person can act on: what happened, and with which file.
fn answer(path: &str) -> Result<Answer, String> {
    let text = read(path).map_err(|why| format!("cannot read {path}: {why}"))?;
    let problem = Problem::from_json(&text).map_err(|why| format!("{path}: {why}"))?;
    let start = Instant::now();
    place(&problem, &|| start.elapsed()).map_err(|why| format!("{path}: {why}"))
}

fn read(path: &str) -> io::Result<String> {
    if path == "-" {
        return io::read_to_string(io::stdin());
    }
    let bytes = fs::metadata(path)?.len();
    if bytes > MAX_TEXT_BYTES as u64 {
        return Err(io::Error::other(format!("it has {bytes} bytes; at most {MAX_TEXT_BYTES} are read")));
    }
    fs::read_to_string(path)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let path = match arguments.as_slice() {
        [help] if help == "--help" || help == "-h" => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [path] => path,
        _ => {
            eprintln!("error: expected one file, got {}\n\n{HELP}", arguments.len());
            return ExitCode::from(2);
        }
    };
    let printed =
        answer(path).and_then(|answer| serde_json::to_string_pretty(&answer).map_err(|why| why.to_string()));
    match printed {
        Ok(json) => {
            // Who reads only the beginning, as `head` does, has what they wanted.
            let _ = writeln!(io::stdout(), "{json}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}
