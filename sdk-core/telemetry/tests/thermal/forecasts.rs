//! What the forecast is worth on traces of real phones, and of phones that nobody measured.

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use exo_telemetry::thermal::{Backtest, Celsius, ThermalError};

use crate::{generator, rig::mins};

fn shared_traces() -> Vec<(String, Vec<f64>)> {
    let text = include_str!("../../../../tests/vectors/thermal_traces.json");
    let file: serde_json::Value = serde_json::from_str(text).unwrap();
    let values = |trace: &serde_json::Value| {
        trace["battery_c_per_minute"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_f64().unwrap())
            .collect()
    };
    let traces = file["traces"].as_array().unwrap();
    traces.iter().map(|trace| (trace["device"].as_str().unwrap().to_owned(), values(trace))).collect()
}

fn halves(values: &[f64]) -> Backtest<Celsius> {
    Backtest::halves(values, mins(1)).unwrap()
}

#[test]
fn real_phones_are_foretold_to_a_third_of_a_degree() {
    for (device, values) in shared_traces() {
        let Backtest { rmse, last_value_rmse, band_coverage, .. } = halves(&values);
        assert!(rmse <= 0.3, "{device}: off by {rmse}");
        assert!(rmse <= last_value_rmse, "{device}: {rmse} is worse than the last value's {last_value_rmse}");
        assert!(band_coverage >= 0.7, "{device}: the band covers {band_coverage}");
    }
}

#[test]
fn wherever_a_real_trace_is_cut_the_forecast_is_no_worse_than_the_last_value() {
    for (device, values) in shared_traces() {
        for minutes in (16..=30).step_by(2) {
            let Backtest { rmse, last_value_rmse, .. } = halves(&values[..minutes]);
            assert!(
                rmse <= last_value_rmse + 0.05,
                "{device}, {minutes} minutes: {rmse} > {last_value_rmse}"
            );
        }
    }
}

#[test]
fn on_phones_that_nobody_measured_it_beats_the_last_value_by_a_third() {
    let backtests: Vec<_> = (0..200).map(|seed| halves(&generator::trace(90_000 + seed, 30))).collect();
    let mean = |of: &dyn Fn(&Backtest<Celsius>) -> f64| backtests.iter().map(of).sum::<f64>() / 200.0;
    let (ours, last) = (mean(&|test| test.rmse), mean(&|test| test.last_value_rmse));
    assert!(ours < 0.67 * last, "{ours} against {last}");
    let coverage = mean(&|test| test.band_coverage);
    assert!((0.8..0.99).contains(&coverage), "an 80% band that covers {coverage}");
    let worse = backtests.iter().filter(|test| test.rmse > test.last_value_rmse + 0.05).count();
    assert!(worse <= 36, "worse than the last value on {worse} of 200 phones");
}

#[test]
fn a_phone_that_stays_as_it_is_is_foretold_to_stay() {
    let flat = halves(&[31.4; 30]);
    assert!(flat.rmse < 1e-9 && flat.band_coverage == 1.0, "{} {}", flat.rmse, flat.band_coverage);
    let jitter: Vec<f64> = (0..30).map(|minute| 35.0 + if minute % 2 == 0 { 0.1 } else { 0.0 }).collect();
    assert!(halves(&jitter).rmse <= halves(&jitter).last_value_rmse + 0.05);
}

#[test]
fn a_phone_that_cools_under_work_is_not_foretold_to_warm_up() {
    let cooling: Vec<f64> = (0..30)
        .map(|minute| 32.0 + 8.0 * (-f64::from(minute) / 6.0).exp())
        .map(|v: f64| (v * 10.0).round() / 10.0)
        .collect();
    let Backtest { rmse, last_value_rmse, points, .. } = halves(&cooling);
    assert!(rmse <= last_value_rmse, "{rmse} > {last_value_rmse}");
    assert!(points.iter().all(|point| point.foretold.mean <= cooling[14] + 0.01));
}

#[test]
fn short_and_broken_traces_have_an_answer() {
    for count in 2..6 {
        let backtest = halves(&[30.0, 31.0, 31.5, 31.8, 32.0][..count]);
        assert!(backtest.rmse.is_finite() && backtest.points.len() == count - count / 2);
    }
    for count in 0..2 {
        let refused = Backtest::<Celsius>::halves(&[30.0][..count], mins(1)).unwrap_err();
        assert_eq!(refused, ThermalError::TooShort { values: count });
    }
    for broken in [f64::NAN, f64::INFINITY, 65_535.0, -273.15] {
        assert!(Backtest::<Celsius>::halves(&[30.0, broken, 31.0], mins(1)).is_err());
    }
}

/// Cargo builds the examples with the tests and puts them beside them.
fn forecast(arguments: &[&str]) -> Output {
    let tests = std::env::current_exe().unwrap();
    let program: PathBuf = tests.parent().and_then(|deps| deps.parent()).unwrap().join("examples/forecast");
    assert!(program.exists(), "run `cargo build -p exo-telemetry --example forecast` first");
    Command::new(program).args(arguments).output().unwrap()
}

fn refused(text: &str) -> String {
    let folder = tempfile_folder();
    let path =
        folder.join(format!("{:x}.json", text.len() * 31 + text.bytes().map(usize::from).sum::<usize>()));
    std::fs::write(&path, text).unwrap();
    let output = forecast(&[path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn tempfile_folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("traces");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_example_answers_with_one_line_of_json() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/thermal_traces.json");
    let output = forecast(&[path]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for trace in answer["traces"].as_array().unwrap() {
        let names: Vec<&String> = trace.as_object().unwrap().keys().collect();
        assert_eq!(names.len(), 4, "{names:?}");
        for name in ["rmse_c", "last_value_rmse_c", "band_coverage"] {
            assert!(trace[name].is_f64(), "{name} of {trace}");
        }
        assert!(trace["device"].is_string());
    }
}

#[test]
fn the_example_says_what_is_wrong_with_a_file() {
    for (text, says) in [
        ("", "is not a trace file"),
        ("{}", "missing field `traces`"),
        (r#"{"traces":[]}"#, "holds no traces"),
        (r#"{"traces":[{"device":"a"}]}"#, "missing field `battery_c_per_minute`"),
        (r#"{"traces":[{"device":"a","battery_c_per_minute":[30.0,null,31.0]}]}"#, "invalid type: null"),
        (r#"{"traces":[{"device":"a","battery_c_per_minute":[30.0,NaN]}]}"#, "is not a trace file"),
        (r#"{"traces":[{"device":"a","battery_c_per_minute":[30.0]}]}"#, "1 values are not enough"),
        (r#"{"traces":[{"device":"a","battery_c_per_minute":[]}]}"#, "0 values are not enough"),
        (r#"{"traces":[{"device":"a","battery_c_per_minute":[30.0,655.35,31.0]}]}"#, "trace 1 of"),
    ] {
        let said = refused(text);
        assert!(said.contains(says) && said.contains("help:"), "{text}: {said}");
    }
    assert_eq!(forecast(&[]).status.code(), Some(2));
    assert_eq!(forecast(&["--nonsense"]).status.code(), Some(2));
    assert_eq!(forecast(&["/nowhere/to/be/found.json"]).status.code(), Some(2));
    assert!(forecast(&["--help"]).status.success());
}
