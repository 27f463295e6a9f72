//! P14: 128 alike layers on 64 devices with uniform links, to proven optimality.
//!
//! The rivals get their kindest model: only how many layers each device has, no order.

use std::{hint::black_box, time::Instant};

use anyhow::{Context, Result, ensure};
use bench_race::{
    plan::Plan,
    race::{Contestant, Outcome, Sample, seconds_each},
    row::{Bar, Field, Row, Spec, Unit},
    stats::Statistic,
};
use exo_telemetry::placement::{Answer, Status, place_unexplained};

use crate::solvers::{Given, Solver};

const GOAL_SECONDS: f64 = 1e-3;
/// How long a rival may take.
const PATIENCE_SECONDS: f64 = 60.0;
/// Costs that differ by less than this share are the same: CP-SAT counts in whole nanoseconds.
const ALIKE_WITHIN: f64 = 1e-6;

pub fn run(plan: &Plan) -> Vec<Row> {
    let of = |id, what, objective| {
        let spec = Spec {
            id,
            what,
            unit: Unit::Cost { name: "ms", scale: 1e3 },
            goal: "<= 1 ms, >= 20x faster than the better rival",
            bars: &[Bar::Limit(1.0), Bar::BestPeer(20.0)],
            statistic: Statistic::Best,
        };
        (spec, objective)
    };
    let wanted = [
        of(
            "P14.latency",
            "best plan, 64 devices, 128 alike layers, latency; rivals' solver time alone",
            "latency",
        ),
        of("P14.throughput", "the same, throughput", "throughput"),
    ];
    let rivals = [("CP-SAT", Solver::cp_sat(plan)), ("HiGHS", Solver::highs(plan))];
    let wanted = wanted.into_iter().filter(|(spec, _)| plan.wants(spec.id));
    wanted.map(|(spec, objective)| row(plan, spec, objective, &rivals)).collect()
}

fn row(plan: &Plan, spec: Spec, objective: &str, rivals: &[(&str, Result<Solver>)]) -> Row {
    let given = Given::made(plan, &["p14", objective]).and_then(|given| {
        let cost = proven(&place(&given)?)?;
        Ok((given, cost))
    });
    let ours = match &given {
        Ok((given, _)) => Contestant::new("ours", env!("CARGO_PKG_VERSION"), Ok(of_ours(given))),
        Err(error) => Contestant::absent("ours", error),
    };
    let peers = rivals.iter().map(|(name, solver)| match (solver, &given) {
        (Ok(solver), Ok((given, cost))) => {
            Contestant::new(*name, &solver.version, Ok(of_rival(solver, given, *cost)))
        }
        (Err(error), _) | (_, Err(error)) => Contestant::absent(*name, error),
    });
    let mut row = Field { spec, ours, limit: None, peers: peers.collect() }.run(plan.rounds(7));
    row.limit = Some(Outcome::fixed("goal", GOAL_SECONDS));
    row
}

fn place(given: &Given) -> Result<Answer> {
    let start = Instant::now();
    Ok(place_unexplained(black_box(&given.problem), &|| start.elapsed())?)
}

/// The cost of an answer that is proven to be the best.
fn proven(answer: &Answer) -> Result<f64> {
    ensure!(answer.status == Status::Optimal, "the answer is not proven to be the best: {}", answer.summary);
    answer.cost_s.context("a plan without a cost")
}

fn of_ours(given: &Given) -> Sample<'_> {
    Box::new(|| {
        seconds_each(50, || {
            proven(&place(given)?)?;
            Ok(())
        })
    })
}

fn of_rival<'a>(solver: &'a Solver, given: &'a Given, ours: f64) -> Sample<'a> {
    Box::new(move || {
        let found = solver.solve(given, PATIENCE_SECONDS)?;
        let cost = found.cost_s.with_context(|| format!("no plan: {}", found.status))?;
        ensure!(found.status == "optimal", "{} after {:.1} s, not optimal", found.status, found.elapsed_s);
        ensure!((cost / ours - 1.0).abs() <= ALIKE_WITHIN, "its best plan costs {cost} s, ours {ours} s");
        Ok(found.elapsed_s)
    })
}
