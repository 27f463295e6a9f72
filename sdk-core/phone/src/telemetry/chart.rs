//! The heat as a chart: what was, and what will be with its band.

use super::sight::Forecast;
use crate::terminal::{Palette, Role};

const ROWS: usize = 9;
/// A chart of a temperature that does not move shows noise unless it spans at least this much.
const LEAST_SPAN: f64 = 4.0;
const LABEL: usize = 7;

/// What stands in one place of the chart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Nothing,
    Band,
    Was,
    WillBe,
}

/// The chart, a line of text each row, and a line that says what it is.
pub(super) fn chart(past: &[Option<f64>], forecast: &Forecast, palette: Palette) -> Vec<String> {
    let lows = forecast.points.iter().map(|band| band.low);
    let highs = forecast.points.iter().map(|band| band.high);
    let values = || past.iter().flatten().copied().chain([forecast.now]);
    let least = values().chain(lows).fold(f64::INFINITY, f64::min);
    let most = values().chain(highs).fold(f64::NEG_INFINITY, f64::max);
    let span = least_span(forecast.unit).max(most - least);
    let bottom = f64::midpoint(least, most) - span / 2.0;
    let row = |value: f64| {
        let row = ((value - bottom) / span * (ROWS - 1) as f64).round();
        (row.max(0.0) as usize).min(ROWS - 1)
    };
    let past: Vec<[Mark; ROWS]> = past
        .iter()
        .map(|value| {
            let mut column = [Mark::Nothing; ROWS];
            if let Some(value) = value {
                column[row(*value)] = Mark::Was;
            }
            column
        })
        .collect();
    let future: Vec<[Mark; ROWS]> = forecast
        .points
        .iter()
        .map(|band| {
            let mut column = [Mark::Nothing; ROWS];
            column[row(band.low)..=row(band.high)].fill(Mark::Band);
            column[row(band.mean)] = Mark::WillBe;
            column
        })
        .collect();
    let mut lines: Vec<String> = (0..ROWS)
        .rev()
        .map(|row| {
            let value = bottom + span * row as f64 / (ROWS - 1) as f64;
            let label = if row % 4 == 0 { format!("{value:>LABEL$.1}") } else { " ".repeat(LABEL) };
            let was: String = past.iter().map(|column| paint(column[row], palette)).collect();
            let will: String = future.iter().map(|column| paint(column[row], palette)).collect();
            format!("{} {was}{}{will}", palette.paint(Role::Quiet, &label), palette.paint(Role::Quiet, "│"))
        })
        .collect();
    let ahead = forecast.points.last().map_or(0.0, |band| band.after_s);
    let (was, now) = (" ".repeat(past.len().saturating_sub(3)), "now");
    let axis = format!("{:LABEL$} {was}{now}{:>width$}", "", format!("+{ahead:.0} s"), width = future.len());
    lines.push(palette.paint(Role::Quiet, &axis));
    lines
}

fn least_span(unit: &str) -> f64 {
    match unit {
        "celsius" => LEAST_SPAN,
        _ => LEAST_SPAN / 10.0,
    }
}

fn paint(mark: Mark, palette: Palette) -> String {
    match mark {
        Mark::Nothing => " ".to_owned(),
        Mark::Band => palette.paint(Role::Quiet, "░"),
        Mark::Was => palette.paint(Role::Good, "•"),
        Mark::WillBe => palette.paint(Role::Notice, "▪"),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sight::Band, *};

    fn forecast() -> Forecast {
        let band = |after_s: f64| Band { after_s, low: 38.0, mean: 40.0, high: 42.0 };
        Forecast { unit: "celsius", suffix: " °C", now: 38.0, points: vec![band(60.0), band(120.0)] }
    }

    #[test]
    fn the_past_is_left_of_now_and_the_future_right_of_it_with_its_band() {
        let lines = chart(&[Some(34.0), None, Some(38.0)], &forecast(), Palette::Plain);
        assert_eq!(lines.len(), ROWS + 1);
        assert_eq!(lines[0], "   42.0    │░░");
        assert_eq!(lines[2], "           │▪▪");
        assert_eq!(lines[4], "   38.0   •│░░");
        assert_eq!(lines[8], "   34.0 •  │  ");
        assert_eq!(lines[9], "        now+120 s");
    }

    #[test]
    fn a_temperature_that_does_not_move_is_a_flat_line_in_the_middle() {
        let points = vec![Band { after_s: 5.0, low: 30.0, mean: 30.0, high: 30.0 }];
        let still = Forecast { unit: "celsius", suffix: " °C", now: 30.0, points };
        let lines = chart(&[Some(30.0), Some(30.0)], &still, Palette::Plain);
        assert_eq!(lines[4], "   30.0 ••│▪");
        assert!(lines[0].starts_with("   32.0"), "{lines:?}");
    }
}
