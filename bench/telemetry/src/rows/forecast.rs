//! P15: how far off the thermal forecast is on traces of real phones.
//!
//! The model learns from the first half of a trace and foretells the second half in one go. Beside it: repeating the last
//! value that was seen. There is nothing random in it, so it runs once.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use bench_race::{
    plan::Plan,
    race::{Outcome, once},
    row::{Bar, Row, Spec, Unit},
    stats::Statistic,
};
use exo_telemetry::thermal::{Backtest, Celsius};
use serde::Deserialize;

const GOAL_CELSIUS: f64 = 0.3;

#[derive(Deserialize)]
struct File {
    traces: Vec<Trace>,
}

#[derive(Deserialize)]
struct Trace {
    device: String,
    battery_c_per_minute: Vec<f64>,
}

pub fn run(plan: &Plan) -> Vec<Row> {
    match traces(plan) {
        Ok(traces) => traces.iter().map(row).collect(),
        Err(error) => vec![judged(spec("P15", "thermal forecast"), &Err(error))],
    }
}

fn traces(plan: &Plan) -> Result<Vec<Trace>> {
    let path = "tests/vectors/thermal_traces.json";
    let file: File =
        serde_json::from_str(&std::fs::read_to_string(plan.root.join(path)).context(path)?).context(path)?;
    Ok(file.traces)
}

fn row(trace: &Trace) -> Row {
    let spec = spec(
        kept(format!("P15.{}", slug(&trace.device))),
        kept(format!("next 15 minutes of a {}, rmse", trace.device)),
    );
    let backtest = Backtest::<Celsius>::halves(&trace.battery_c_per_minute, Duration::from_mins(1));
    judged(spec, &backtest.map_err(Into::into))
}

fn judged(spec: Spec, backtest: &Result<Backtest<Celsius>>) -> Row {
    let of = |pick: fn(&Backtest<Celsius>) -> f64| {
        backtest.as_ref().map(pick).map_err(|error| anyhow!("{error:#}"))
    };
    Row {
        spec,
        ours: once("ours", env!("CARGO_PKG_VERSION"), || of(|backtest| backtest.rmse)),
        limit: Some(Outcome::fixed("goal", GOAL_CELSIUS)),
        peers: vec![once("repeating the last value", "", || of(|backtest| backtest.last_value_rmse))],
    }
}

fn spec(id: &'static str, what: &'static str) -> Spec {
    Spec {
        id,
        what,
        unit: Unit::Cost { name: "°C", scale: 1.0 },
        goal: "<= 0.3 °C; 0.5 °C is the most that is allowed",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    }
}

/// "Pixel 8 Pro (Tensor G3)" becomes "pixel-8-pro".
fn slug(device: &str) -> String {
    let name = device.split('(').next().unwrap_or(device);
    name.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-")
}

/// Rows are named for as long as the program runs, and there are as many as there are traces.
fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_called_after_its_phone_without_its_chip() {
        assert_eq!(slug("Pixel 8 Pro (Tensor G3)"), "pixel-8-pro");
        assert_eq!(slug("Fairphone"), "fairphone");
    }

    #[test]
    fn a_trace_that_is_too_short_is_an_unmet_row_with_its_error() {
        let row = row(&Trace { device: "Pixel".into(), battery_c_per_minute: vec![20.0] });
        assert!(!row.is_met());
        assert_eq!(row.errors().len(), 2, "{:?}", row.errors());
    }
}
