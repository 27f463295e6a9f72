//! Pictures, drawn by hand.

use std::fmt::Write as _;

use exo_telemetry::thermal::{Backtest, Celsius};

use crate::run::{LIMIT, Outcome};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 34.0;
/// Half of the last label on the axis is right of the plot.
const RIGHT: f64 = 24.0;
const PLOT_WIDTH: f64 = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT: f64 = HEIGHT - TOP - 34.0;

const STYLE: &str = "<style>text{font:11px system-ui,sans-serif;fill:#57606a}.title{font-size:13px;font-weight:600;\
fill:#24292f}.grid{stroke:#d0d7de;stroke-width:.6}.alone{stroke:#d1442c;fill:none;stroke-width:1.8}\
.governed{stroke:#1f6feb;fill:none;stroke-width:1.8}.seen{fill:#24292f}.band{fill:#1f6feb;opacity:.16}\
.limit{stroke:#d1442c;stroke-dasharray:5 4}.act{stroke:#bf8700;stroke-dasharray:2 4}\
.duty{fill:#1f6feb;opacity:.10}</style>";

/// A part of a picture with axes of its own.
struct Panel {
    x: f64,
    y: f64,
    minutes: f64,
    low: f64,
    high: f64,
}

impl Panel {
    fn at(&self, minute: f64, degrees: f64) -> (f64, f64) {
        let x = self.x + LEFT + minute / self.minutes * PLOT_WIDTH;
        let share = ((degrees - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        (x, self.y + TOP + (1.0 - share) * PLOT_HEIGHT)
    }

    fn frame(&self, svg: &mut String, title: &str, every: f64) {
        let _ = writeln!(
            svg,
            r#"<text class="title" x="{:.0}" y="{:.0}">{title}</text>"#,
            self.x + LEFT,
            self.y + 20.0
        );
        let step = if self.high - self.low > 24.0 { 10.0 } else { 5.0 };
        let mut degrees = (self.low / step).ceil() * step;
        while degrees <= self.high {
            let ((left, y), (right, _)) = (self.at(0.0, degrees), self.at(self.minutes, degrees));
            let _ = writeln!(
                svg,
                r#"<line class="grid" x1="{left:.1}" y1="{y:.1}" x2="{right:.1}" y2="{y:.1}"/><text x="{:.1}" y="{:.1}" text-anchor="end">{degrees:.0} °C</text>"#,
                left - 5.0,
                y + 4.0
            );
            degrees += step;
        }
        let mut minute = 0.0;
        while minute <= self.minutes {
            let (x, y) = self.at(minute, self.low);
            let _ = writeln!(
                svg,
                r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{minute:.0} min</text>"#,
                y + 16.0
            );
            minute += every;
        }
    }

    fn line(&self, svg: &mut String, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let mut path = String::new();
        for (minute, degrees) in points {
            let (x, y) = self.at(minute, degrees);
            let _ = write!(path, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(svg, r#"<polyline class="{class}" points="{}"/>"#, path.trim_end());
    }

    fn mark(&self, svg: &mut String, class: &str, degrees: f64) {
        self.line(svg, class, [(0.0, degrees), (self.minutes, degrees)].into_iter());
    }
}

fn picture(columns: usize, rows: usize, label: &str, body: &str) -> String {
    let (width, height) = (WIDTH * columns as f64, HEIGHT * rows as f64);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{label}\">\n{STYLE}\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// Each trace with what was foretold for its second half.
pub(crate) fn forecasts(traces: &[(String, Vec<f64>, Backtest<Celsius>)]) -> String {
    let mut svg = String::new();
    for (column, (device, values, backtest)) in traces.iter().enumerate() {
        let points = &backtest.points;
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = points.iter().map(|point| point.foretold.high).fold(low, f64::max);
        let panel = Panel {
            x: column as f64 * WIDTH,
            y: 0.0,
            minutes: values.len() as f64,
            low: low.floor() - 1.0,
            high: high.ceil() + 1.0,
        };
        let title = format!("{device}: off by {:.2} °C", backtest.rmse);
        panel.frame(&mut svg, &title, 5.0);
        let half = values.len() - points.len();
        let minute = |index: usize| (half + index) as f64 + 0.5;
        let above = points.iter().enumerate().map(|(index, point)| (minute(index), point.foretold.high));
        let below = points.iter().enumerate().map(|(index, point)| (minute(index), point.foretold.low)).rev();
        panel.line(&mut svg, "band", above.chain(below));
        let mean = points.iter().enumerate().map(|(index, point)| (minute(index), point.foretold.mean));
        panel.line(&mut svg, "governed", mean);
        for (index, value) in values.iter().enumerate() {
            let (x, y) = panel.at(index as f64 + 0.5, *value);
            let _ = writeln!(svg, r#"<circle class="seen" cx="{x:.1}" cy="{y:.1}" r="2"/>"#);
        }
    }
    picture(traces.len(), 1, "battery temperature, measured and foretold", &svg)
}

/// Each phone (columns) in each scene (rows), alone and governed.
pub(crate) fn hours(rows: &[Vec<(String, Outcome, Outcome)>]) -> String {
    let mut svg = String::new();
    for (row, panels) in rows.iter().enumerate() {
        for (column, (title, alone, governed)) in panels.iter().enumerate() {
            let all = || alone.curve.iter().chain(&governed.curve).map(|(_, degrees, _)| *degrees);
            let panel = Panel {
                x: column as f64 * WIDTH,
                y: row as f64 * HEIGHT,
                minutes: 60.0,
                low: all().fold(f64::INFINITY, f64::min).floor() - 1.0,
                high: all().fold(LIMIT, f64::max).ceil() + 1.0,
            };
            let span = panel.high - panel.low;
            let duty =
                governed.curve.iter().map(|(minute, _, duty)| (*minute, panel.low + duty * span * 0.25));
            let last = governed.curve.last().map_or(0.0, |(minute, ..)| *minute);
            let floor = [(last, panel.low), (0.0, panel.low)];
            panel.line(&mut svg, "duty", duty.chain(floor));
            panel.frame(&mut svg, title, 10.0);
            panel.mark(&mut svg, "limit", LIMIT);
            panel.mark(&mut svg, "act", LIMIT - 5.0);
            panel.line(&mut svg, "alone", alone.curve.iter().map(|(minute, degrees, _)| (*minute, *degrees)));
            panel.line(
                &mut svg,
                "governed",
                governed.curve.iter().map(|(minute, degrees, _)| (*minute, *degrees)),
            );
        }
    }
    let legend =
        [("alone", "alone"), ("governed", "governed"), ("limit", "limit"), ("act", "5 °C before it")];
    for (index, (class, name)) in legend.into_iter().enumerate() {
        let (x, y) = (LEFT + 8.0 + 92.0 * index as f64, TOP + 58.0);
        let _ = writeln!(
            svg,
            r#"<line class="{class}" x1="{x}" y1="{y}" x2="{}" y2="{y}"/><text x="{}" y="{}">{name}</text>"#,
            x + 18.0,
            x + 22.0,
            y + 4.0
        );
    }
    let columns = rows.first().map_or(1, Vec::len);
    picture(columns, rows.len(), "battery temperature over an hour, alone and governed", &svg)
}
