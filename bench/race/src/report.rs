//! The rows as JSON: what `docs/benchmarks/*.json` hold.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    Titles,
    machine::Machine,
    race::Outcome,
    row::{Row, Unit},
    stats::Statistic,
};

/// A whole run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// What wrote this file.
    pub written_by: String,
    /// How to read the ratios.
    pub ratios: &'static str,
    /// Whether this was a short run, whose figures are for the eye only.
    pub quick: bool,
    /// Where it ran.
    pub machine: Machine,
    /// The rows.
    pub rows: Vec<RowReport>,
}

/// One row. Figures are in `unit`; ratios above 1 are better than the limit or the peer.
#[derive(Debug, Serialize)]
pub struct RowReport {
    id: &'static str,
    what: &'static str,
    unit: &'static str,
    higher_is_better: bool,
    /// Which of `best` and `median` decides, and is given as the figure.
    decided_by: &'static str,
    ours: Option<f64>,
    ours_detail: Figure,
    limit: Option<f64>,
    limit_detail: Option<Figure>,
    peers: BTreeMap<String, Figure>,
    best_peer: Option<String>,
    ratio_to_limit: Option<f64>,
    ratio_to_best_peer: Option<f64>,
    goal: &'static str,
    met: bool,
    /// Whoever did not run, with the reason.
    errors: Vec<String>,
    /// Why the goal was missed, as profiling found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A contestant's figures.
#[derive(Debug, Serialize)]
struct Figure {
    name: String,
    version: String,
    value: Option<f64>,
    best: Option<f64>,
    median: Option<f64>,
    samples: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Report {
    /// The report of a run. `reasons` explains misses, by row or family.
    pub fn of(
        titles: Titles,
        machine: Machine,
        quick: bool,
        rows: &[Row],
        reasons: &BTreeMap<String, String>,
    ) -> Self {
        Self {
            written_by: format!("./scripts/bench {}", titles.part),
            ratios: "more than 1 always means better than the limit or the peer",
            quick,
            machine,
            rows: rows.iter().map(|row| RowReport::of(row, reasons)).collect(),
        }
    }
}

impl RowReport {
    fn of(row: &Row, reasons: &BTreeMap<String, String>) -> Self {
        let (unit, statistic) = (row.spec.unit, row.spec.statistic);
        let figure = |outcome: &Outcome| Figure::of(outcome, unit, statistic);
        Self {
            id: row.spec.id,
            what: row.spec.what,
            unit: unit.name(),
            higher_is_better: unit.higher_is_better(),
            decided_by: match statistic {
                Statistic::Best => "best",
                Statistic::Median => "median",
            },
            ours: figure(&row.ours).value,
            ours_detail: figure(&row.ours),
            limit: row.limit.as_ref().and_then(|limit| figure(limit).value),
            limit_detail: row.limit.as_ref().map(figure),
            peers: row.peers.iter().map(|peer| (peer.name.clone(), figure(peer))).collect(),
            best_peer: row.best_peer().map(|peer| peer.name.clone()),
            ratio_to_limit: row.ratio_to_limit().map(rounded),
            ratio_to_best_peer: row.ratio_to_best_peer().map(rounded),
            goal: row.spec.goal,
            met: row.is_met(),
            errors: row.errors(),
            reason: (!row.is_met()).then(|| reason(row.spec.id, reasons)).flatten(),
        }
    }
}

impl Figure {
    fn of(outcome: &Outcome, unit: Unit, statistic: Statistic) -> Self {
        let stats = outcome.stats();
        Self {
            name: outcome.name.clone(),
            version: outcome.version.clone(),
            value: stats.map(|stats| rounded(unit.show(stats.get(statistic)))),
            best: stats.map(|stats| rounded(unit.show(stats.best))),
            median: stats.map(|stats| rounded(unit.show(stats.median))),
            samples: stats.map_or(0, |stats| stats.samples),
            error: outcome.result.as_ref().err().cloned(),
        }
    }
}

/// Why a row missed its goal: its own reason, or its family's.
pub fn reason(id: &str, reasons: &BTreeMap<String, String>) -> Option<String> {
    let family = id.split('.').next().unwrap_or(id);
    reasons.get(id).or_else(|| reasons.get(family)).cloned()
}

/// Four significant digits: more would pretend that the machine is quieter than it is.
pub fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_four_digits_whatever_their_size() {
        assert_eq!(rounded(123_456.0), 123_500.0);
        assert_eq!(rounded(0.001_234_56), 0.001_235);
        assert_eq!(rounded(0.0), 0.0);
    }

    #[test]
    fn a_reason_is_looked_up_by_row_and_then_by_family() {
        let reasons =
            BTreeMap::from([("P1".to_owned(), "family".to_owned()), ("P1.up".to_owned(), "row".to_owned())]);
        assert_eq!(reason("P1.up", &reasons).as_deref(), Some("row"));
        assert_eq!(reason("P1.down", &reasons).as_deref(), Some("family"));
        assert_eq!(reason("P2", &reasons), None);
    }
}
