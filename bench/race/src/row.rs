//! One line of the table: who was raced, what the goal was, and whether it was met.

use crate::{
    race::{Contestant, Outcome, race},
    stats::{Statistic, Stats, ratio},
};

/// How a cost is shown to people.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// `work / cost`, such as GB/s: more is better.
    Rate {
        /// The unit's name.
        name: &'static str,
        /// The work of one sample, in the unit.
        work: f64,
    },
    /// `cost * scale`, such as ms: less is better.
    Cost {
        /// The unit's name.
        name: &'static str,
        /// Units in one second or byte.
        scale: f64,
    },
}

impl Unit {
    /// The unit's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rate { name, .. } | Self::Cost { name, .. } => name,
        }
    }

    /// A cost in this unit.
    pub fn show(self, cost: f64) -> f64 {
        match self {
            Self::Rate { work, .. } => work / cost,
            Self::Cost { scale, .. } => cost * scale,
        }
    }

    /// Whether more is better.
    pub fn higher_is_better(self) -> bool {
        matches!(self, Self::Rate { .. })
    }
}

/// One condition of a goal. Ratios are above 1 where we are better.
#[derive(Clone, Copy, Debug)]
pub enum Bar {
    /// At least this ratio to the limit.
    Limit(f64),
    /// At most this cost more than the limit.
    OverLimit(f64),
    /// At least this ratio to the best of the peers.
    BestPeer(f64),
}

/// What a row measures and what it must reach.
#[derive(Clone, Debug)]
pub struct Spec {
    /// `P1.up`; the part before the dot is the family, which `--only` takes too.
    pub id: &'static str,
    /// The work.
    pub what: &'static str,
    /// How figures are shown.
    pub unit: Unit,
    /// The goal in words.
    pub goal: &'static str,
    /// The goal as conditions; all of them must hold.
    pub bars: &'static [Bar],
    /// Which figure decides.
    pub statistic: Statistic,
}

/// Everybody who runs for a row.
pub struct Field<'a> {
    /// What is measured.
    pub spec: Spec,
    /// Ourselves.
    pub ours: Contestant<'a>,
    /// What the machine allows, measured in the same rounds.
    pub limit: Option<Contestant<'a>>,
    /// The rivals.
    pub peers: Vec<Contestant<'a>>,
}

impl Field<'_> {
    /// Runs the race.
    pub fn run(self, rounds: usize) -> Row {
        let has_limit = self.limit.is_some();
        let everyone = std::iter::once(self.ours).chain(self.limit).chain(self.peers);
        let mut outcomes = race(rounds, everyone.collect()).into_iter();
        let nobody =
            || Outcome { name: "ours".into(), version: String::new(), result: Err("did not run".into()) };
        let ours = outcomes.next().unwrap_or_else(nobody);
        let limit = if has_limit { outcomes.next() } else { None };
        Row { spec: self.spec, ours, limit, peers: outcomes.collect() }
    }
}

/// A measured row.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was measured.
    pub spec: Spec,
    /// Ourselves.
    pub ours: Outcome,
    /// What the machine allows.
    pub limit: Option<Outcome>,
    /// The rivals. All of them must have run for the row to be met.
    pub peers: Vec<Outcome>,
}

/// A condition with its figures, for the plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Against whom.
    pub against: String,
    /// The ratio that was reached.
    pub ratio: f64,
    /// The ratio that was asked.
    pub goal: f64,
}

impl Row {
    /// Our ratio to the limit.
    pub fn ratio_to_limit(&self) -> Option<f64> {
        Some(ratio(self.cost(&self.ours)?, self.cost(self.limit.as_ref()?)?))
    }

    /// The best peer that ran.
    pub fn best_peer(&self) -> Option<&Outcome> {
        let with_cost = self.peers.iter().filter_map(|peer| Some((self.cost(peer)?, peer)));
        with_cost.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, peer)| peer)
    }

    /// Our ratio to the best peer that ran.
    pub fn ratio_to_best_peer(&self) -> Option<f64> {
        Some(ratio(self.cost(&self.ours)?, self.cost(self.best_peer()?)?))
    }

    /// Whoever did not run, with the reason.
    pub fn errors(&self) -> Vec<String> {
        let everyone = std::iter::once(&self.ours).chain(&self.limit).chain(&self.peers);
        everyone.filter_map(|o| Some(format!("{}: {}", o.name, o.result.as_ref().err()?))).collect()
    }

    /// Every condition that can be judged, in the goal's order.
    pub fn judged(&self) -> Vec<Judged> {
        self.spec.bars.iter().filter_map(|bar| self.judge(*bar)).collect()
    }

    /// Whether everybody ran and every condition holds.
    pub fn is_met(&self) -> bool {
        let judged = self.judged();
        self.errors().is_empty()
            && judged.len() == self.spec.bars.len()
            && judged.iter().all(|judged| judged.ratio >= judged.goal)
    }

    fn judge(&self, bar: Bar) -> Option<Judged> {
        match bar {
            Bar::Limit(goal) => Some(Judged {
                against: self.limit.as_ref()?.name.clone(),
                ratio: self.ratio_to_limit()?,
                goal,
            }),
            Bar::OverLimit(cost) => {
                let limit = self.limit.as_ref()?;
                let allowed = self.cost(limit)?;
                let goal = ratio(allowed + cost, allowed);
                Some(Judged { against: limit.name.clone(), ratio: self.ratio_to_limit()?, goal })
            }
            Bar::BestPeer(goal) => Some(Judged {
                against: self.best_peer()?.name.clone(),
                ratio: self.ratio_to_best_peer()?,
                goal,
            }),
        }
    }

    fn cost(&self, outcome: &Outcome) -> Option<f64> {
        outcome.stats().map(|stats: Stats| stats.get(self.spec.statistic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Unit = Unit::Rate { name: "GB/s", work: 10.0 };
    const TIME: Unit = Unit::Cost { name: "ms", scale: 1e3 };

    fn ran(name: &str, cost: f64) -> Outcome {
        Outcome { name: name.into(), version: "1".into(), result: Ok(Stats::fixed(cost)) }
    }

    fn failed(name: &str, why: &str) -> Outcome {
        Outcome { name: name.into(), version: String::new(), result: Err(why.into()) }
    }

    fn row(unit: Unit, bars: &'static [Bar], ours: f64, limit: Option<f64>, peers: Vec<Outcome>) -> Row {
        let spec = Spec { id: "T", what: "", unit, goal: "", bars, statistic: Statistic::Best };
        Row { spec, ours: ran("ours", ours), limit: limit.map(|cost| ran("limit", cost)), peers }
    }

    #[test]
    fn a_ratio_above_one_is_better_for_rates_and_for_times() {
        for unit in [RATE, TIME] {
            let faster = row(unit, &[], 1.0, Some(2.0), vec![ran("peer", 4.0)]);
            assert_eq!(faster.ratio_to_limit(), Some(2.0));
            assert_eq!(faster.ratio_to_best_peer(), Some(4.0));
        }
    }

    #[test]
    fn a_rate_falls_and_a_time_grows_with_the_cost() {
        assert_eq!((RATE.show(2.0), RATE.show(5.0)), (5.0, 2.0));
        assert_eq!((TIME.show(2.0), TIME.show(5.0)), (2000.0, 5000.0));
        assert!(RATE.higher_is_better() && !TIME.higher_is_better());
    }

    #[test]
    fn the_best_peer_is_the_one_that_is_hardest_to_beat() {
        let row = row(TIME, &[Bar::BestPeer(1.0)], 3.0, None, vec![ran("slow", 9.0), ran("fast", 2.0)]);
        assert_eq!(row.best_peer().unwrap().name, "fast");
        assert!(!row.is_met());
    }

    #[test]
    fn all_conditions_must_hold() {
        let bars = &[Bar::Limit(0.9), Bar::BestPeer(2.0)];
        assert!(row(RATE, bars, 1.0, Some(0.95), vec![ran("peer", 2.1)]).is_met());
        assert!(!row(RATE, bars, 1.0, Some(0.85), vec![ran("peer", 2.1)]).is_met());
        assert!(!row(RATE, bars, 1.0, Some(0.95), vec![ran("peer", 1.9)]).is_met());
    }

    #[test]
    fn an_allowance_over_the_limit_is_judged_as_a_ratio() {
        let bars = &[Bar::OverLimit(0.020)];
        assert!(row(TIME, bars, 0.059, Some(0.040), vec![]).is_met());
        assert!(!row(TIME, bars, 0.061, Some(0.040), vec![]).is_met());
    }

    #[test]
    fn a_missing_peer_leaves_the_row_unmet_with_its_error_even_if_the_others_are_beaten() {
        let row = row(
            RATE,
            &[Bar::BestPeer(1.0)],
            1.0,
            None,
            vec![ran("a", 5.0), failed("ggml", "no C++ compiler")],
        );
        assert!(!row.is_met());
        assert_eq!(row.errors(), ["ggml: no C++ compiler"]);
        assert_eq!(row.ratio_to_best_peer(), Some(5.0));
    }

    #[test]
    fn a_condition_that_cannot_be_judged_is_not_met() {
        assert!(!row(RATE, &[Bar::Limit(0.9)], 1.0, None, vec![]).is_met());
        assert!(!row(RATE, &[Bar::BestPeer(0.9)], 1.0, Some(1.0), vec![]).is_met());
    }
}
