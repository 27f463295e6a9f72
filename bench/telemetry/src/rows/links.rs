//! P14b: 48 layers on 12 devices, where every link is its own: too many orders to try, so what counts is what is proven
//! after a second, beside what the rivals have after ten.
//!
//! Several problems from fixed seeds, in turns; a figure is the worst of them. A rival may end without any plan: the row
//! says for how many problems it had one, and only those are compared.

use std::time::Instant;

use anyhow::{Context, Result};
use bench_race::{
    plan::Plan,
    race::Outcome,
    row::{Bar, Row, Spec, Unit},
    stats::{Statistic, Stats},
};
use exo_telemetry::placement::place_unexplained;

use crate::solvers::{Found, Given, Solver};

const SEEDS: [&str; 5] = ["14", "15", "16", "17", "18"];
const GOAL_GAP: f64 = 1.01;
const GOAL_SECONDS: f64 = 1.0;
const RIVALS_SECONDS: f64 = 10.0;
/// Sums of the same times in another order are the same cost.
const NO_WORSE: &[Bar] = &[Bar::Limit(1.0 - 1e-9)];

pub fn run(plan: &Plan) -> Vec<Row> {
    let mut rivals = [Rival::new("CP-SAT", Solver::cp_sat(plan)), Rival::new("HiGHS", Solver::highs(plan))];
    let ours = race(plan, &mut rivals);
    let [cp_sat, highs] = &rivals;
    vec![
        gap(&ours, &rivals),
        time(&ours, &rivals),
        cost(
            "P14b.cp-sat",
            "the same: cost beside CP-SAT's after 10 s",
            "never above CP-SAT's",
            &ours,
            cp_sat,
        ),
        cost("P14b.highs", "the same: cost beside HiGHS's after 10 s", "never above HiGHS's", &ours, highs),
    ]
}

/// Our answer to one problem.
struct Ours {
    cost: f64,
    lower_bound: f64,
    greedy: Option<f64>,
    seconds: f64,
}

/// A solver with its answers, one a problem, until it fails.
struct Rival {
    name: &'static str,
    solver: Result<Solver>,
    answers: Vec<Found>,
}

impl Rival {
    fn new(name: &'static str, solver: Result<Solver>) -> Self {
        Self { name, solver, answers: Vec::new() }
    }

    fn face(&mut self, given: &Given, seconds: f64) {
        let Ok(solver) = &self.solver else { return };
        match solver.solve(given, seconds).with_context(|| given.name.clone()) {
            Ok(found) => self.answers.push(found),
            Err(error) => self.solver = Err(error),
        }
    }

    /// The worst of its figures; an error if it broke, or if no problem gave one.
    fn outcome(&self, figures: impl Iterator<Item = Option<f64>>) -> Outcome {
        let had = self.answers.iter().filter(|found| found.cost_s.is_some()).count();
        let (version, result) = match &self.solver {
            Ok(solver) => {
                (format!("{}, plans for {had} of {}", solver.version, self.answers.len()), worst(figures))
            }
            Err(error) => (String::new(), Err(format!("{error:#}"))),
        };
        Outcome { name: self.name.into(), version, result }
    }
}

/// Everybody solves every problem, one after the other.
fn race(plan: &Plan, rivals: &mut [Rival]) -> Result<Vec<Ours>> {
    let (seeds, seconds) =
        if plan.quick { (SEEDS.get(..1), RIVALS_SECONDS / 2.0) } else { (SEEDS.get(..), RIVALS_SECONDS) };
    let mut ours = Vec::new();
    for seed in seeds.unwrap_or_default() {
        for objective in ["latency", "throughput"] {
            let given = Given::made(plan, &["p14b", objective, seed])?;
            ours.push(solve(&given).with_context(|| given.name.clone())?);
            for rival in &mut *rivals {
                rival.face(&given, seconds);
            }
        }
    }
    Ok(ours)
}

fn solve(given: &Given) -> Result<Ours> {
    let start = Instant::now();
    let answer = place_unexplained(&given.problem, &|| start.elapsed())?;
    let seconds = start.elapsed().as_secs_f64();
    let cost = answer.cost_s.with_context(|| answer.summary.clone())?;
    let lower_bound = answer.lower_bound_s.context("a plan without a lower bound")?;
    Ok(Ours { cost, lower_bound, greedy: answer.greedy_cost_s, seconds })
}

fn gap(ours: &Result<Vec<Ours>>, rivals: &[Rival]) -> Row {
    let spec = Spec {
        id: "P14b.gap",
        what: "12 devices, 48 layers, general links: cost over proven bound",
        unit: Unit::Cost { name: "x the bound", scale: 1.0 },
        goal: "<= 1.01, a gap of 1%",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let over = |found: &Found| Some(found.cost_s? / found.lower_bound_s.filter(|bound| *bound > 0.0)?);
    let mut peers: Vec<_> =
        rivals.iter().map(|rival| rival.outcome(rival.answers.iter().map(over))).collect();
    peers.push(outcome("our greedy plan alone", ours, |ours| Some(ours.greedy? / ours.lower_bound)));
    let ours = outcome("ours", ours, |ours| Some(ours.cost / ours.lower_bound));
    Row { spec, ours, limit: Some(Outcome::fixed("goal", GOAL_GAP)), peers }
}

fn time(ours: &Result<Vec<Ours>>, rivals: &[Rival]) -> Row {
    let spec = Spec {
        id: "P14b.time",
        what: "the same: time; rivals' solver alone, stopped after 10 s",
        unit: Unit::Cost { name: "ms", scale: 1e3 },
        goal: "<= 1 s",
        bars: &[Bar::Limit(1.0)],
        statistic: Statistic::Median,
    };
    let took = |rival: &Rival| rival.outcome(rival.answers.iter().map(|found| Some(found.elapsed_s)));
    Row {
        spec,
        ours: outcome("ours", ours, |ours| Some(ours.seconds)),
        limit: Some(Outcome::fixed("goal", GOAL_SECONDS)),
        peers: rivals.iter().map(took).collect(),
    }
}

/// Our costs as multiples of a rival's, problem by problem.
fn cost(
    id: &'static str,
    what: &'static str,
    goal: &'static str,
    ours: &Result<Vec<Ours>>,
    rival: &Rival,
) -> Row {
    let unit = Unit::Cost { name: "x the rival's", scale: 1.0 };
    let spec = Spec { id, what, unit, goal, bars: NO_WORSE, statistic: Statistic::Median };
    let theirs = rival.answers.iter().map(|found| found.cost_s);
    let beside = match ours {
        Ok(all) => worst(all.iter().zip(theirs.clone()).map(|(ours, theirs)| Some(ours.cost / theirs?))),
        Err(error) => Err(format!("{error:#}")),
    };
    let ours = Outcome { name: "ours".into(), version: env!("CARGO_PKG_VERSION").into(), result: beside };
    let limit = rival.outcome(theirs.map(|cost| cost.map(|_| 1.0)));
    Row { spec, ours, limit: Some(limit), peers: Vec::new() }
}

fn outcome(name: &str, ours: &Result<Vec<Ours>>, figure: impl Fn(&Ours) -> Option<f64>) -> Outcome {
    let result = match ours {
        Ok(all) => worst(all.iter().map(figure)),
        Err(error) => Err(format!("{error:#}")),
    };
    Outcome { name: name.into(), version: env!("CARGO_PKG_VERSION").into(), result }
}

/// The greatest figure, as a statistic of all that there are.
fn worst(figures: impl Iterator<Item = Option<f64>>) -> Result<Stats, String> {
    let figures: Vec<f64> = figures.flatten().collect();
    let greatest = figures.iter().copied().max_by(f64::total_cmp);
    let greatest = greatest.ok_or("no plan was found for any of the problems")?;
    Ok(Stats { samples: figures.len(), ..Stats::fixed(greatest) })
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    fn ours(cost: f64) -> Ours {
        Ours { cost, lower_bound: 1.0, greedy: Some(2.0), seconds: 0.1 }
    }

    fn found(cost_s: Option<f64>) -> Found {
        Found { status: "feasible".into(), cost_s, lower_bound_s: Some(0.5), elapsed_s: 10.0 }
    }

    #[test]
    fn one_bad_problem_among_many_decides() {
        let row = gap(&Ok(vec![ours(1.0), ours(1.02), ours(1.0)]), &[]);
        assert_eq!(row.ours.stats().unwrap().median, 1.02);
        assert!(!row.is_met());
        assert!(gap(&Ok(vec![ours(1.0), ours(1.005)]), &[]).is_met());
    }

    #[test]
    fn only_problems_for_which_the_rival_has_a_plan_are_compared() {
        let all = [ours(1.0), ours(3.0)];
        let theirs = [found(Some(1.25)), found(None)];
        let beside = all.iter().zip(&theirs).map(|(ours, theirs)| Some(ours.cost / theirs.cost_s?));
        let stats = worst(beside).unwrap();
        assert_eq!((stats.median, stats.samples), (0.8, 1));
    }

    #[test]
    fn a_rival_that_cannot_be_had_leaves_every_row_unmet() {
        let rival = Rival::new("CP-SAT", Err(anyhow!("not installed")));
        let all = Ok(vec![ours(1.0)]);
        let compared = cost("T", "", "", &all, &rival);
        for row in [gap(&all, std::slice::from_ref(&rival)), compared] {
            assert!(!row.is_met());
            assert!(row.errors().iter().any(|error| error.contains("not installed")), "{:?}", row.errors());
        }
    }
}
