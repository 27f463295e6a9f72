//! The rows as an SVG: one bar for each condition of each goal, growing from parity, with the goal as a mark.
//!
//! The axis is logarithmic, so that twice as good and half as good are equally far from 1.

use std::fmt::Write;

use crate::{
    Titles,
    machine::Machine,
    row::{Judged, Row},
};

const INK: &str = "#1b1f24";
const GREY: &str = "#57606a";
const FAINT: &str = "#d8dee4";
const GREEN: &str = "#2da44e";
const RED: &str = "#cf222e";

const WIDTH: f64 = 1080.0;
const LEFT: f64 = 460.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 92.0;
const STEP: f64 = 30.0;
const BAR: f64 = 16.0;
/// Letters that fit left of the bars.
const LABEL: usize = 64;

/// One line of the plot.
struct Line {
    label: String,
    judged: Option<Judged>,
    is_met: bool,
}

/// The plot as an SVG document.
pub fn svg(titles: Titles, machine: &Machine, rows: &[Row]) -> String {
    let lines = lines(rows);
    let axis = Axis::over(&lines);
    let bottom = TOP + STEP * lines.len() as f64;
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {h}" width="{WIDTH}" height="{h}" font-family="system-ui, sans-serif" font-size="13">
<title>{title}: ratio to limits and peers, with goals</title>
<rect width="100%" height="100%" fill="white"/>
<text x="20" y="30" font-size="19" font-weight="600" fill="{INK}">{title}</text>
<text x="20" y="50" fill="{GREY}">How many times better than the limit or the best peer. Right of 1x we win; the black mark is the goal.</text>
<text x="20" y="68" fill="{GREY}">{}</text>"#,
        escaped(&format!(
            "{}, {} cores; commit {:.12}; {}",
            machine.cpu, machine.cores, machine.commit, machine.date
        )),
        title = escaped(titles.plot),
        h = bottom + 44.0,
    );
    for tick in axis.ticks() {
        let x = axis.x(tick);
        let colour = if (tick - 1.0).abs() < 1e-9 { GREY } else { FAINT };
        let _ = writeln!(
            svg,
            r#"<line x1="{x:.1}" y1="{y1:.1}" x2="{x:.1}" y2="{bottom:.1}" stroke="{colour}"/><text x="{x:.1}" y="{y2:.1}" text-anchor="middle" fill="{GREY}">{tick}x</text>"#,
            y1 = TOP - 6.0,
            y2 = bottom + 18.0,
        );
    }
    for (index, line) in lines.iter().enumerate() {
        svg.push_str(&bar(line, &axis, TOP + STEP * index as f64));
    }
    svg.push_str("</svg>\n");
    svg
}

fn lines(rows: &[Row]) -> Vec<Line> {
    let mut lines = Vec::new();
    for row in rows {
        let judged = row.judged();
        if judged.is_empty() {
            lines.push(Line {
                label: format!("{} {}", row.spec.id, row.spec.what),
                judged: None,
                is_met: false,
            });
        }
        for judged in judged {
            let label = label(&format!("{} {}", row.spec.id, row.spec.what), &judged.against);
            let is_met = judged.ratio >= judged.goal && row.errors().is_empty();
            lines.push(Line { label, judged: Some(judged), is_met });
        }
    }
    lines
}

/// What was done and against whom. Two bars of one row differ only in the latter, so the former gives way.
fn label(what: &str, against: &str) -> String {
    let against = format!(" vs {against}");
    let room = LABEL.saturating_sub(against.chars().count()).max(LABEL / 2);
    shortened(what, room) + &against
}

fn bar(line: &Line, axis: &Axis, top: f64) -> String {
    let middle = top + STEP / 2.0;
    let mut svg = format!(
        r#"<text x="{:.1}" y="{:.1}" text-anchor="end" fill="{INK}">{}</text>"#,
        LEFT - 12.0,
        middle + 4.5,
        escaped(&shortened(&line.label, LABEL)),
    );
    match &line.judged {
        None => {
            let _ = write!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" fill="{RED}">no figure: see the table</text>"#,
                LEFT + 6.0,
                middle + 4.5
            );
        }
        Some(judged) => {
            let (x, parity, goal) = (axis.x(judged.ratio), axis.x(1.0), axis.x(judged.goal));
            let _ = write!(
                svg,
                r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{BAR}" rx="2" fill="{}"/><line x1="{goal:.1}" y1="{:.1}" x2="{goal:.1}" y2="{:.1}" stroke="{INK}" stroke-width="3"/><text x="{:.1}" y="{:.1}" fill="{INK}">{:.2}x</text>"#,
                x.min(parity),
                middle - BAR / 2.0,
                (x - parity).abs().max(1.5),
                if line.is_met { GREEN } else { RED },
                middle - BAR / 2.0 - 3.0,
                middle + BAR / 2.0 + 3.0,
                x.max(parity).max(goal) + 8.0,
                middle + 4.5,
                judged.ratio,
            );
        }
    }
    svg.push('\n');
    svg
}

/// A logarithmic axis from a power of two below everything to one above.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn over(lines: &[Line]) -> Self {
        let values = lines
            .iter()
            .filter_map(|line| line.judged.as_ref())
            .flat_map(|judged| [judged.ratio, judged.goal]);
        let logs = values.filter(|value| value.is_finite() && *value > 0.0).map(f64::log2);
        let (low, high) =
            logs.fold((-1.0f64, 1.0f64), |(low, high), log| (low.min(log.floor()), high.max(log.ceil())));
        Self { low, high }
    }

    fn x(&self, ratio: f64) -> f64 {
        let log = ratio.max(f64::MIN_POSITIVE).log2().clamp(self.low, self.high);
        LEFT + (WIDTH - LEFT - RIGHT) * (log - self.low) / (self.high - self.low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.low as i32..=self.high as i32).map(|power| 2f64.powi(power))
    }
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ratio: f64, goal: f64) -> Line {
        Line {
            label: "a".into(),
            judged: Some(Judged { against: "b".into(), ratio, goal }),
            is_met: ratio >= goal,
        }
    }

    #[test]
    fn better_is_to_the_right_and_the_axis_holds_every_bar_and_goal() {
        let axis = Axis::over(&[line(0.3, 0.9), line(9.0, 2.0)]);
        assert!(axis.x(0.3) > LEFT && axis.x(9.0) < WIDTH - RIGHT);
        assert!(axis.x(0.3) < axis.x(1.0) && axis.x(1.0) < axis.x(9.0));
        assert!(axis.ticks().any(|tick| (tick - 1.0).abs() < 1e-9));
    }

    #[test]
    fn a_met_condition_is_green_and_a_missed_one_red() {
        let axis = Axis::over(&[]);
        assert!(bar(&line(1.0, 0.9), &axis, 0.0).contains(GREEN));
        assert!(bar(&line(0.8, 0.9), &axis, 0.0).contains(RED));
    }

    #[test]
    fn a_long_label_still_says_against_whom() {
        let long = label(&"a".repeat(200), "HiGHS");
        assert!(long.ends_with("… vs HiGHS") && long.chars().count() == LABEL, "{long}");
        assert_eq!(label("P3 allocate", "wgpu"), "P3 allocate vs wgpu");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b & c>d"), "a&lt;b &amp; c&gt;d");
    }
}
