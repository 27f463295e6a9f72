//! Learns from the first half of thermal traces and foretells the second half.
//!
//! `cargo run -p exo-telemetry --example forecast -- tests/vectors/thermal_traces.json`

use std::{
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    process::ExitCode,
    time::Duration,
};

use exo_telemetry::thermal::{Backtest, Celsius};
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[path = "../tests/thermal/generator.rs"]
mod generator;

const HELP: &str = "\
Learns from the first half of thermal traces and foretells the second half.

usage: forecast TRACE.json         one line of JSON on stdout
       forecast --points TRACE.json   every forecast beside what came, for people
       forecast --generated [N]    the same for N generated phones (500), as a table

TRACE.json: {\"traces\": [{\"device\": \"a name\", \"battery_c_per_minute\": [31.0, 33.4, ...]}]}
            one value a minute in °C, at least 2 of them; other fields are not looked at
output:     {\"traces\":[{\"device\":\"...\",\"rmse_c\":0.0,\"last_value_rmse_c\":0.0,\"band_coverage\":0.0}]}
            rmse_c             how far off the forecast was
            last_value_rmse_c  how far off it would have been to repeat the last value
            band_coverage      the share of values inside the 80% band

exit code:  0 done, 2 the command or the file is wrong";

#[derive(Debug, Error)]
enum Wrong {
    #[error("no trace was named\n  help: forecast TRACE.json, or forecast --help")]
    NoFile,
    #[error("there is no option `{0}`\n  help: forecast --help")]
    Option(String),
    #[error("`{0}` is not a number of phones\n  help: forecast --generated 500")]
    Number(String),
    #[error("cannot read {path}: {why}\n  help: name a file that this user may read")]
    Unreadable { path: String, why: std::io::Error },
    #[error("{path} is not a trace file: {why}\n  help: forecast --help shows the format")]
    Malformed { path: String, why: serde_json::Error },
    #[error("{path} holds no traces\n  help: \"traces\" must list at least one device")]
    Empty { path: String },
    #[error("trace {number} of {path} ({device}): {why}\n  help: forecast --help shows the format")]
    Trace { path: String, number: usize, device: String, why: exo_telemetry::thermal::ThermalError },
}

#[derive(Deserialize)]
struct File {
    traces: Vec<Trace>,
}

#[derive(Deserialize)]
struct Trace {
    device: String,
    battery_c_per_minute: Vec<f64>,
}

#[derive(Serialize)]
struct Report {
    traces: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    device: String,
    rmse_c: f64,
    last_value_rmse_c: f64,
    band_coverage: f64,
}

const MINUTE: Duration = Duration::from_mins(1);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match answer(&arguments) {
        Ok(answer) => {
            // Whoever reads may stop reading.
            let _ = writeln!(io::stdout(), "{answer}");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            eprintln!("error: {wrong}");
            ExitCode::from(2)
        }
    }
}

fn answer(arguments: &[String]) -> Result<String, Wrong> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        ["--help" | "-h", ..] => Ok(HELP.to_owned()),
        ["--generated"] => Ok(generated(500)),
        ["--generated", number] => number
            .parse()
            .ok()
            .filter(|phones| *phones > 0)
            .map(generated)
            .ok_or_else(|| Wrong::Number(number.to_owned())),
        ["--points", path] => Ok(for_people(&judged(path)?)),
        [] | ["--points"] => Err(Wrong::NoFile),
        [option, ..] if option.starts_with('-') => Err(Wrong::Option(option.to_owned())),
        [path] => Ok(as_json(judged(path)?)),
        [_, more, ..] => Err(Wrong::Option(more.to_owned())),
    }
}

fn judged(path: &str) -> Result<Vec<(String, Backtest<Celsius>)>, Wrong> {
    let path = path.to_owned();
    let text = fs::read_to_string(&path).map_err(|why| Wrong::Unreadable { path: path.clone(), why })?;
    let file: File =
        serde_json::from_str(&text).map_err(|why| Wrong::Malformed { path: path.clone(), why })?;
    if file.traces.is_empty() {
        return Err(Wrong::Empty { path });
    }
    let judge = |(index, Trace { device, battery_c_per_minute }): (usize, Trace)| match Backtest::halves(
        &battery_c_per_minute,
        MINUTE,
    ) {
        Ok(backtest) => Ok((device, backtest)),
        Err(why) => Err(Wrong::Trace { path: path.clone(), number: index + 1, device, why }),
    };
    file.traces.into_iter().enumerate().map(judge).collect()
}

fn as_json(judged: Vec<(String, Backtest<Celsius>)>) -> String {
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    let traces = judged.into_iter().map(|(device, backtest)| Line {
        device,
        rmse_c: rounded(backtest.rmse),
        last_value_rmse_c: rounded(backtest.last_value_rmse),
        band_coverage: rounded(backtest.band_coverage),
    });
    serde_json::to_string(&Report { traces: traces.collect() }).unwrap_or_default()
}

fn for_people(judged: &[(String, Backtest<Celsius>)]) -> String {
    let mut text = String::new();
    for (device, backtest) in judged {
        let _ = writeln!(text, "{device}\n  minute   came  foretold  80% band");
        for point in &backtest.points {
            let forecast = &point.foretold;
            let minute = forecast.horizon.as_secs() / 60;
            let (mean, low, high) = (forecast.mean, forecast.low, forecast.high);
            let _ = writeln!(text, "  {minute:>+6}  {:5.1}  {mean:8.2}  {low:.2} to {high:.2}", point.came);
        }
        let (rmse, last) = (backtest.rmse, backtest.last_value_rmse);
        let _ = writeln!(text, "  off by {rmse:.3} °C; repeating the last value: {last:.3} °C");
    }
    text.trim_end().to_owned()
}

/// How the model does on phones that nobody measured, beside simple rivals.
fn generated(phones: u64) -> String {
    let traces = (0..phones).map(|seed| generator::trace(seed * 7919 + 1, 30));
    let (mut ours, mut last, mut line, mut damped, mut covered) = (vec![], vec![], vec![], vec![], vec![]);
    for trace in traces {
        let Ok(backtest) = Backtest::<Celsius>::halves(&trace, MINUTE) else { continue };
        let (learn, rest) = trace.split_at(trace.len() / 2);
        ours.push(backtest.rmse);
        last.push(backtest.last_value_rmse);
        covered.push(backtest.band_coverage);
        line.push(trend(learn, rest, f64::INFINITY));
        damped.push(trend(learn, rest, 4.0));
    }
    let worse = ours.iter().zip(&last).filter(|(ours, last)| **ours > **last + 0.05).count();
    let count = ours.len() as f64;
    let mut text = String::from("rmse in °C          mean    p50    p80    p90    p95  <=0.3  <=0.5\n");
    for (name, errors) in [
        ("this model", &mut ours),
        ("last value", &mut last),
        ("damped trend", &mut damped),
        ("line", &mut line),
    ] {
        errors.sort_by(f64::total_cmp);
        let at = |share: f64| errors[((errors.len() - 1) as f64 * share) as usize];
        let below = |limit: f64| errors.iter().filter(|error| **error <= limit).count() as f64 / count;
        let mean = errors.iter().sum::<f64>() / count;
        let _ = writeln!(
            text,
            "{name:<16} {mean:7.3} {:6.3} {:6.3} {:6.3} {:6.3}   {:3.0}%   {:3.0}%",
            at(0.5),
            at(0.8),
            at(0.9),
            at(0.95),
            100.0 * below(0.3),
            100.0 * below(0.5),
        );
    }
    let mean_coverage = 100.0 * covered.iter().sum::<f64>() / count;
    let well_covered = 100.0 * covered.iter().filter(|share| **share >= 0.7).count() as f64 / count;
    let _ = write!(
        text,
        "80% band: covers {mean_coverage:.0}% of the values; at least 70% of them on {well_covered:.0}% of the phones\n\
         worse than the last value by more than 0.05 °C: {:.0}% of the phones",
        100.0 * worse as f64 / count
    );
    text
}

/// A rival: the slope of the last five minutes goes on, and dies away with this time constant in minutes.
fn trend(learn: &[f64], rest: &[f64], dies_away: f64) -> f64 {
    let (last, before) = (learn[learn.len() - 1], learn[learn.len().saturating_sub(6)]);
    let slope = (last - before) / 5.0;
    let squares = rest.iter().enumerate().map(|(index, came)| {
        let ahead = (index + 1) as f64;
        let way = if dies_away.is_finite() { dies_away * (1.0 - (-ahead / dies_away).exp()) } else { ahead };
        (came - last - slope * way).powi(2)
    });
    (squares.sum::<f64>() / rest.len() as f64).sqrt()
}
