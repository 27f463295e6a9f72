//! An hour of work on the phones of a trace file, with and without the governor.
//!
//! `cargo run -p exo-telemetry --example thermal_simulation -- tests/vectors/thermal_traces.json docs/images`

mod phone;
mod plot;
mod run;

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use exo_telemetry::thermal::{Backtest, Celsius};
use thiserror::Error;

use phone::{Build, Trace};
use run::{Rule, Scene, run};

const HELP: &str = "\
Simulates an hour of work on phones like those of a trace file, with and without the governor.

usage: thermal_simulation TRACE.json [FOLDER]

Prints a table. With a FOLDER, draws thermal_forecast.svg and thermal_governor.svg into it.
The file needs, for each trace: device, battery_c_per_minute, latency_ms_first_minute, latency_ms_last_minute.
What is assumed is written in docs/thermal.md.

exit code: 0 done, 2 the command or the file is wrong";

#[derive(Debug, Error)]
enum Wrong {
    #[error("no trace was named\n  help: thermal_simulation TRACE.json, or thermal_simulation --help")]
    NoFile,
    #[error("cannot read {path}: {why}\n  help: name a file that this user may read")]
    Unreadable { path: String, why: io::Error },
    #[error("{path} is not a trace file: {why}\n  help: thermal_simulation --help shows what it needs")]
    Malformed { path: String, why: serde_json::Error },
    #[error("{device}: {why}")]
    Trace { device: String, why: exo_telemetry::thermal::ThermalError },
    #[error(
        "{device}: no phone behaves like this trace\n  help: latencies must be positive, and it must warm up"
    )]
    Unlike { device: String },
    #[error("cannot write: {0}\n  help: name a folder that exists and that this user may write to")]
    Unwritable(#[from] io::Error),
}

#[derive(serde::Deserialize)]
struct File {
    traces: Vec<Trace>,
}

const SCENES: [Scene; 4] = [
    Scene { name: "as recorded", room: None, sun: None },
    Scene { name: "room of 33 °C", room: Some(33.0), sun: None },
    Scene { name: "room of 39 °C", room: Some(39.0), sun: None },
    Scene { name: "25 °C, then a 42 °C car", room: Some(25.0), sun: Some(42.0) },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, ..] = arguments.as_slice()
        && (first == "--help" || first == "-h")
    {
        let _ = writeln!(io::stdout(), "{HELP}");
        return ExitCode::SUCCESS;
    }
    match simulate(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("error: {wrong}");
            ExitCode::from(2)
        }
    }
}

fn simulate(arguments: &[String]) -> Result<(), Wrong> {
    let (path, folder) = match arguments {
        [path] => (path, None),
        [path, folder] => (path, Some(Path::new(folder))),
        _ => return Err(Wrong::NoFile),
    };
    let text = fs::read_to_string(path).map_err(|why| Wrong::Unreadable { path: path.clone(), why })?;
    let file: File =
        serde_json::from_str(&text).map_err(|why| Wrong::Malformed { path: path.clone(), why })?;
    let mut out = io::stdout();
    let mut builds = Vec::new();
    for trace in &file.traces {
        let device = trace.device.clone();
        let fitted = Build::fitted(trace).filter(|(_, error)| error.is_finite());
        let (build, error) = fitted.ok_or(Wrong::Unlike { device })?;
        writeln!(
            out,
            "{}: full heat +{:.1} °C with {:.1} min, heat = speed^{}; like its trace to {error:.2} °C",
            trace.device, build.rise, build.minutes, build.power
        )?;
        builds.push((&trace.device, build));
    }
    writeln!(out, "\n{:<30} {:<26} tokens   peak °C        stalls    switches  stands s", "", "")?;
    let mut rows = Vec::new();
    for scene in SCENES {
        let mut panels = Vec::new();
        for (device, build) in &builds {
            let alone = run(*build, scene, Rule::Alone);
            let governed = run(*build, scene, Rule::Governed);
            let unstopped = run(*build, scene, Rule::Unstopped);
            let change = 100.0 * (governed.tokens / alone.tokens - 1.0);
            writeln!(
                out,
                "{device:<30} {:<26} {change:+5.1}%   {:.1} -> {:.1}   {:>2} -> {}      {:>3}     {:4.0} -> {:.0}   (never stopped: {:.1} °C, {:+.1}% tokens)",
                scene.name,
                alone.peak,
                governed.peak,
                alone.stalls,
                governed.stalls,
                governed.switches,
                alone.stalled_seconds,
                governed.stalled_seconds,
                unstopped.peak,
                100.0 * (governed.tokens / unstopped.tokens - 1.0),
            )?;
            let short = device.split(" (").next().unwrap_or(device);
            let title = format!("{short}, {}: {change:+.1}% tokens", scene.name);
            panels.push((title, alone, governed));
        }
        rows.push(panels);
    }
    let Some(folder) = folder else { return Ok(()) };
    let mut forecasts = Vec::new();
    for trace in file.traces {
        let backtest = Backtest::<Celsius>::halves(&trace.battery_c_per_minute, Duration::from_mins(1))
            .map_err(|why| Wrong::Trace { device: trace.device.clone(), why })?;
        forecasts.push((trace.device, trace.battery_c_per_minute, backtest));
    }
    fs::write(folder.join("thermal_forecast.svg"), plot::forecasts(&forecasts))?;
    fs::write(folder.join("thermal_governor.svg"), plot::hours(&rows))?;
    Ok(())
}
