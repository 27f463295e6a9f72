//! Which solver a problem gets.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    alike::Alike,
    bound::Bound,
    branch,
    clock::Deadline,
    cost::Costs,
    greedy::construct,
    nearby::{improve, wander},
    plan::Costed,
    problem::Objective,
    subsets,
};

/// A bound proves a plan if they differ by no more than this share of the cost.
pub const PROVEN_WITHIN: f64 = 1e-9;
/// How long small changes may last before an exact search takes over.
const POLISH: Duration = Duration::from_millis(30);

/// How a plan was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// Counting alike layers over uniform links: exact.
    Alike,
    /// Dynamic programming over sets of devices: exact.
    Subsets,
    /// A lower bound that the greedy plan meets: exact.
    Greedy,
    /// Branch and bound: the best plan that was found in time, and how far it may be from the best there is.
    BranchAndBound,
    /// An equal split of every layer over several devices.
    Tensor,
}

/// What a solver found.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    /// The best plan found. Without one the problem has none, unless time ran out.
    pub(super) best: Option<Costed>,
    /// What no plan can cost less than; infinite if there is no plan.
    pub(super) lower_bound: f64,
    pub(super) solver: Solver,
    /// What the greedy plan cost, where one was made.
    pub(super) greedy_cost: Option<f64>,
}

impl Solution {
    fn exact(best: Option<Costed>, solver: Solver, greedy_cost: Option<f64>) -> Self {
        let lower_bound = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
        Self { best, lower_bound, solver, greedy_cost }
    }
}

/// The best pipeline that can be found in time.
pub(super) fn solve(costs: &Costs, deadline: Deadline<'_>) -> Solution {
    if costs.devices() == 0 {
        return Solution::exact(None, Solver::Greedy, None);
    }
    if let Some(solution) = solve_alike(costs) {
        return solution;
    }
    let bound = Bound::new(costs);
    let first = construct(costs, &bound, deadline);
    let greedy_cost = first.as_ref().map(|first| first.cost);
    let best = first.map(|first| improve(costs, &bound, first, deadline.within(POLISH)));
    let floor = floor(costs, &bound, &deadline);
    let limit = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
    if best.is_some() && floor >= limit * (1.0 - PROVEN_WITHIN) {
        return Solution::exact(best, Solver::Greedy, greedy_cost);
    }
    let helps = |&device: &usize| deadline.has_passed() || may_help(costs, &bound, device, limit);
    let chosen: Vec<usize> = bound.order().iter().copied().filter(helps).collect();
    if chosen.len() < 2 {
        return Solution::exact(best, Solver::Greedy, greedy_cost);
    }
    if subsets::is_affordable(costs, &chosen, &deadline) {
        let outcome = subsets::best(costs, &bound, &chosen, best, &deadline);
        if outcome.complete {
            return Solution::exact(outcome.best, Solver::Subsets, greedy_cost);
        }
        let lower_bound = outcome.best.as_ref().map_or(floor, |best| floor.min(best.cost));
        return Solution { best: outcome.best, lower_bound, solver: Solver::Subsets, greedy_cost };
    }
    let best = best.map(|best| wander(costs, &bound, best, deadline.within(deadline.left() / 2)));
    let outcome = branch::best(costs, &bound, &chosen, best, &deadline);
    let limit = outcome.best.as_ref().map_or(f64::INFINITY, |best| best.cost);
    // Nothing is below the floor, and plans on devices that were taken away are not below the limit.
    let lower_bound = outcome.lower_bound.max(floor).min(limit);
    Solution { best: outcome.best, lower_bound, solver: Solver::BranchAndBound, greedy_cost }
}

fn solve_alike(costs: &Costs) -> Option<Solution> {
    let hop = costs.uniform_hop().filter(|_| costs.alike)?;
    let problem = Alike::new(costs, &vec![hop; costs.devices()]);
    if !problem.is_exact() {
        return None;
    }
    // The cost is added up once more, as that of every plan is.
    let best = problem.best().and_then(|best| Some(Costed { cost: costs.of(&best.plan)?, plan: best.plan }));
    Some(Solution::exact(best, Solver::Alike, None))
}

/// What no plan can cost less than, before any search.
fn floor(costs: &Costs, bound: &Bound, deadline: &Deadline<'_>) -> f64 {
    let alone = super::door::best_alone(costs).map_or(f64::INFINITY, |best| best.cost);
    let mut several = bound.of_several(costs, &[]);
    if costs.alike && !deadline.has_passed() {
        let counted = |hops: &[f64]| Alike::new(costs, hops).best().map_or(f64::INFINITY, |best| best.cost);
        several = several.max(counted(&costs.least_hops()));
        if costs.objective == Objective::Latency {
            // Every stage is also hopped to once.
            several = several.max(counted(&costs.least_hops_to()));
        }
        several *= 1.0 - 1e-12;
    }
    alone.min(several)
}

/// Whether a plan with this device among several could cost less than the limit.
fn may_help(costs: &Costs, bound: &Bound, device: usize, limit: f64) -> bool {
    let hop = bound.hop(device);
    let least = match costs.objective {
        Objective::Latency => bound.of_several(costs, &[(device, hop)]),
        Objective::Throughput => {
            let layers = (0..costs.layers).map(|layer| costs.time(device, layer, layer + 1));
            hop + layers.fold(f64::INFINITY, f64::min)
        }
    };
    least < limit
}
