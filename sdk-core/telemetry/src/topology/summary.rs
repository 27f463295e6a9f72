//! The topology as text.

use std::fmt::Write;

use super::{Figure, Link, Topology};
use crate::reading::{Reading, Source};

impl Topology {
    /// A few lines that a person reads: the cluster, then each link.
    pub fn summary(&self) -> String {
        let analysis = self.analyse();
        let mut text =
            format!("{}, {}", counted(self.devices().len(), "device"), counted(self.links().len(), "link"));
        if analysis.parts > 1 {
            let _ = write!(text, ", in {} parts that cannot reach each other", analysis.parts);
        }
        text.push('\n');
        if let Some(far) = &analysis.diameter {
            let hops = counted(far.hops, "hop");
            let time = milliseconds(far.round_trip);
            let _ =
                writeln!(text, "farthest apart: {} and {}, {hops}, {time} there and back", far.from, far.to);
        }
        if let Some(average) = analysis.average_bandwidth {
            let _ = writeln!(text, "average bandwidth: {}", bits(average));
        }
        for link in &analysis.bottlenecks {
            let _ = writeln!(text, "bottleneck: {} - {}, {}", link.from, link.to, bits(link.bandwidth));
        }
        if !analysis.cut_devices.is_empty() {
            let _ = writeln!(text, "falls apart without: {}", analysis.cut_devices.join(", "));
        }
        let ends = |link: &Link| format!("{} - {}", link.from, link.to);
        let width = self.links().map(|link| ends(link).chars().count()).max().unwrap_or_default();
        for link in self.links() {
            let _ = writeln!(text, "{:width$}  {:11}  {}", ends(link), link.kind.words(), words(link));
        }
        text
    }
}

fn words(link: &Link) -> String {
    let there = known(&link.bandwidth_up, bits);
    let back = known(&link.bandwidth_down, bits);
    let mut text =
        format!("{}, jitter {}, ", known(&link.latency_p50, milliseconds), known(&link.jitter, milliseconds));
    match (there, back) {
        (there, back) if there == back => text += &there,
        (there, back) => {
            let _ = write!(text, "{there} there, {back} back");
        }
    }
    if let Some(loss) = link.loss.get().filter(|loss| loss.value > 0.0) {
        let _ = write!(text, ", {:.1}% lost", loss.value * 100.0);
    }
    text
}

/// The value with a `~` if it is an estimate, or `?`.
pub(super) fn known(reading: &Reading<Figure>, words: impl Fn(f64) -> String) -> String {
    match (reading.get(), reading.source()) {
        (Some(figure), Source::Estimated) => format!("~{}", words(figure.value)),
        (Some(figure), _) => words(figure.value),
        (None, _) => "?".into(),
    }
}

pub(super) fn bits(bytes_per_second: f64) -> String {
    match bytes_per_second * 8.0 {
        rate if rate >= 1e9 => format!("{:.1} Gbit/s", rate / 1e9),
        rate if rate >= 1e7 => format!("{:.0} Mbit/s", rate / 1e6),
        rate => format!("{:.1} Mbit/s", rate / 1e6),
    }
}

pub(super) fn milliseconds(seconds: f64) -> String {
    if seconds < 0.01 { format!("{:.2} ms", seconds * 1e3) } else { format!("{:.0} ms", seconds * 1e3) }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
