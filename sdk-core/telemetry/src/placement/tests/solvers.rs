//! Every solver finds what brute force finds, and never claims more than is true.

use std::time::Duration;

use super::{
    super::{
        Objective, Problem,
        bound::Bound,
        branch,
        clock::Deadline,
        cost::Costs,
        door::best_alone,
        greedy::construct,
        nearby::improve,
        plan::Costed,
        solve::{Solution, Solver, solve},
        subsets,
    },
    brute::{least_cost, price},
    sample::{Kind, problem},
};
use crate::Random;

const OBJECTIVES: [Objective; 2] = [Objective::Latency, Objective::Throughput];

fn no_limit() -> Deadline<'static> {
    Deadline::new(&|| Duration::ZERO, Duration::from_secs(5))
}

fn is_close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// Prices a solver's plan by the formulas and holds it against the best that there is.
fn assert_best(problem: &Problem, costs: &Costs, found: Option<&Costed>, least: Option<f64>, seed: u64) {
    match (found, least) {
        (None, None) => {}
        (Some(found), Some(least)) => {
            assert!(is_close(found.cost, least), "seed {seed}: {} instead of {least}", found.cost);
            assert_honest(problem, costs, found, seed);
        }
        (found, least) => panic!("seed {seed}: found {found:?}, but the best is {least:?}"),
    }
}

fn assert_honest(problem: &Problem, costs: &Costs, found: &Costed, seed: u64) {
    let stages: Vec<_> = found
        .plan
        .stages()
        .iter()
        .map(|stage| (&problem.devices[costs.usable[stage.device]], stage.start, stage.end))
        .collect();
    let priced =
        price(problem, &stages).unwrap_or_else(|| panic!("seed {seed}: {:?} breaks a rule", found.plan));
    assert!(is_close(found.cost, priced), "seed {seed}: says {}, is {priced}", found.cost);
    let mut at = 0;
    for stage in found.plan.stages() {
        assert!(stage.start == at && stage.end > at, "seed {seed}: a gap in {:?}", found.plan);
        at = stage.end;
    }
    assert_eq!(at, costs.layers, "seed {seed}");
    let mut devices = found.plan.devices();
    devices.sort_unstable();
    devices.dedup();
    assert_eq!(devices.len(), found.plan.stages().len(), "seed {seed}: a device twice");
}

fn small(random: &mut Random, seed: u64) -> Problem {
    let kind = Kind {
        devices: 1 + random.below(5) as usize,
        layers: 1 + random.below(6) as usize,
        alike: seed.is_multiple_of(2),
        uniform: (seed / 2).is_multiple_of(2),
        objective: OBJECTIVES[(seed / 4 % 2) as usize],
    };
    problem(random, kind)
}

#[test]
fn thousands_of_small_problems_are_solved_as_by_brute_force() {
    let mut infeasible = 0;
    let mut by_solver = std::collections::HashMap::new();
    for seed in 0..6000 {
        let problem = small(&mut Random::seeded(seed), seed);
        let costs = Costs::new(&problem);
        let Solution { best, lower_bound, solver, .. } = solve(&costs, no_limit());
        let least = least_cost(&problem);
        assert_best(&problem, &costs, best.as_ref(), least, seed);
        assert!(is_close(lower_bound.min(1e300), least.unwrap_or(1e300)), "seed {seed}: bound {lower_bound}");
        infeasible += usize::from(least.is_none());
        *by_solver.entry(solver).or_insert(0) += 1;
    }
    // The problems really are of all kinds.
    assert!((300..3000).contains(&infeasible), "{infeasible} of 6000 have no plan");
    assert!(by_solver.get(&Solver::Alike).is_some_and(|&count| count > 1000), "{by_solver:?}");
    assert!(by_solver.get(&Solver::Subsets).is_some_and(|&count| count > 500), "{by_solver:?}");
}

#[test]
fn sets_of_devices_alone_find_the_best_plan() {
    for seed in 10_000..13_000 {
        let problem = small(&mut Random::seeded(seed), seed);
        let costs = Costs::new(&problem);
        let bound = Bound::new(&costs);
        if !has_a_choice(&bound) {
            continue;
        }
        let found = subsets::best(&costs, &bound, bound.order(), best_alone(&costs), &no_limit());
        assert!(found.complete);
        assert_best(&problem, &costs, found.best.as_ref(), least_cost(&problem), seed);
    }
}

#[test]
fn branch_and_bound_alone_finds_the_best_plan_and_proves_it() {
    for seed in 20_000..23_000 {
        let problem = small(&mut Random::seeded(seed), seed);
        let costs = Costs::new(&problem);
        let bound = Bound::new(&costs);
        if !has_a_choice(&bound) {
            continue;
        }
        let least = least_cost(&problem);
        let found = branch::best(&costs, &bound, bound.order(), best_alone(&costs), &no_limit());
        assert_best(&problem, &costs, found.best.as_ref(), least, seed);
        assert!(is_close(found.lower_bound.min(1e300), least.unwrap_or(1e300)), "seed {seed}");
    }
}

/// Whether there are two devices to choose from, which is what the searches are for.
fn has_a_choice(bound: &Bound) -> bool {
    bound.order().len() >= 2
}

#[test]
fn bounds_are_never_above_the_best_plan() {
    for seed in 30_000..33_000 {
        let problem = small(&mut Random::seeded(seed), seed);
        let costs = Costs::new(&problem);
        let (Some(least), true) = (least_cost(&problem), costs.devices() > 1) else { continue };
        let alone = best_alone(&costs).map_or(f64::INFINITY, |best| best.cost);
        let bound = Bound::new(&costs).of_several(&costs, &[]);
        assert!(bound.min(alone) <= least * (1.0 + 1e-9), "seed {seed}: {bound} above {least}");
    }
}

#[test]
fn a_greedy_plan_is_a_valid_plan() {
    let mut found = 0;
    for seed in 40_000..41_000 {
        let random = &mut Random::seeded(seed);
        let kind = Kind {
            devices: 2 + random.below(30) as usize,
            layers: 1 + random.below(60) as usize,
            alike: seed.is_multiple_of(2),
            uniform: false,
            objective: OBJECTIVES[(seed / 2 % 2) as usize],
        };
        let problem = problem(random, kind);
        let costs = Costs::new(&problem);
        if costs.devices() == 0 {
            continue;
        }
        let bound = Bound::new(&costs);
        let Some(plan) = construct(&costs, &bound, no_limit()) else { continue };
        assert_honest(&problem, &costs, &plan, seed);
        if seed.is_multiple_of(10) {
            let better = improve(&costs, &bound, plan.clone(), no_limit());
            assert_honest(&problem, &costs, &better, seed);
            assert!(better.cost <= plan.cost);
        }
        found += 1;
    }
    assert!(found > 250, "only {found} of 1000");
}

#[test]
fn alike_layers_over_uniform_links_agree_with_sets_of_devices() {
    for seed in 50_000..50_400 {
        let random = &mut Random::seeded(seed);
        let kind = Kind {
            devices: 2 + random.below(6) as usize,
            layers: 2 + random.below(30) as usize,
            alike: true,
            uniform: true,
            objective: OBJECTIVES[(seed % 2) as usize],
        };
        let problem = problem(random, kind);
        let costs = Costs::new(&problem);
        let counted = solve(&costs, no_limit());
        let bound = Bound::new(&costs);
        if !has_a_choice(&bound) {
            continue;
        }
        let alone = best_alone(&costs);
        let tabled = subsets::best(&costs, &bound, bound.order(), alone, &no_limit());
        let (one, other) = (counted.best.map(|best| best.cost), tabled.best.map(|best| best.cost));
        assert!(is_close(one.unwrap_or(1e300), other.unwrap_or(1e300)), "seed {seed}: {one:?} and {other:?}");
    }
}
