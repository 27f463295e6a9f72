//! From a problem to an answer.

use std::time::Duration;

use super::{
    answer::{Alternative, Answer, DeviceShare, Parallel, PlacedStage, Status, placed},
    clock::{Clock, Deadline},
    cost::Costs,
    error::ProblemError,
    explain,
    plan::Costed,
    problem::Problem,
    shortage::Shortage,
    solve::{PROVEN_WITHIN, Solution, Solver, solve},
    tensor::{self, Split},
    words,
};

/// A plan that is worse by less than this share is as good, in words.
const AS_GOOD: f64 = 5e-4;

/// Solves a problem and explains the answer.
///
/// `clock` says how long ago the search began; a search ends at `time_limit_ms`, explanations shortly after.
///
/// ```
/// use exo_telemetry::placement::{Problem, Status, place};
///
/// let problem = Problem::from_json(
///     r#"{"model": {"layers": [{"bytes": 1e8}, {"bytes": 1e8}]},
///         "devices": [{"id": "pixel", "memory_bytes": 1e9, "flops_per_s": 1e12, "memory_bytes_per_s": 5e10}]}"#,
/// )?;
/// let start = std::time::Instant::now();
/// let answer = place(&problem, &|| start.elapsed())?;
/// assert_eq!(answer.status, Status::Optimal);
/// assert_eq!(answer.stages[0].end_layer, 2);
/// # Ok::<(), exo_telemetry::placement::ProblemError>(())
/// ```
pub fn place(problem: &Problem, clock: Clock<'_>) -> Result<Answer, ProblemError> {
    let found = find(problem, clock)?;
    Ok(found.answer(problem, clock, true))
}

/// Solves a problem without explaining the answer: `why` is empty, and there is no next best plan.
pub fn place_unexplained(problem: &Problem, clock: Clock<'_>) -> Result<Answer, ProblemError> {
    let found = find(problem, clock)?;
    Ok(found.answer(problem, clock, false))
}

/// What was found, before it is put into words.
pub(super) struct Found {
    pub(super) costs: Costs,
    pub(super) solution: Solution,
    /// The split that is better than any pipeline, if one is.
    split: Option<Split>,
    elapsed: Duration,
}

/// Solves a problem.
pub(super) fn find(problem: &Problem, clock: Clock<'_>) -> Result<Found, ProblemError> {
    let hops = problem.checked()?;
    let limit = Duration::from_secs_f64(problem.time_limit_ms / 1e3);
    let costs = Costs::joined(problem, hops);
    let mut solution = solve(&costs, Deadline::new(clock, limit));
    let mut split = None;
    if let Some(tensor) = problem.tensor {
        let splits = tensor::best(problem, &costs, tensor);
        solution.lower_bound = solution.lower_bound.min(splits.lower_bound);
        let pipeline = solution.best.as_ref().map_or(f64::INFINITY, |best| best.cost);
        split = splits.best.filter(|split| split.cost < pipeline);
    }
    Ok(Found { costs, solution, split, elapsed: clock() })
}

impl Found {
    /// What the chosen plan costs.
    fn cost(&self) -> Option<f64> {
        let pipeline = self.solution.best.as_ref().map(|best| best.cost);
        self.split.as_ref().map(|split| split.cost).or(pipeline)
    }

    fn status(&self) -> Status {
        match self.cost() {
            Some(cost) if self.solution.lower_bound >= cost * (1.0 - PROVEN_WITHIN) => Status::Optimal,
            Some(_) => Status::Feasible,
            None => Status::Infeasible,
        }
    }

    pub(super) fn answer(&self, problem: &Problem, clock: Clock<'_>, explained: bool) -> Answer {
        let status = self.status();
        let cost = self.cost();
        let lower_bound = if status == Status::Optimal { cost } else { Some(self.solution.lower_bound) };
        let parallel = problem.tensor.filter(|_| cost.is_some()).map(|_| match self.split {
            Some(_) => Parallel::Tensor,
            None => Parallel::Pipeline,
        });
        let mut answer = Answer {
            status,
            stages: self.stages(problem),
            cost_s: cost,
            lower_bound_s: lower_bound.filter(|bound| bound.is_finite()),
            solver: if self.split.is_some() { Solver::Tensor } else { self.solution.solver },
            elapsed_ms: self.elapsed.as_secs_f64() * 1e3,
            devices: Vec::new(),
            missing_bytes: 0.0,
            summary: String::new(),
            parallel,
            next_best: None,
            greedy_cost_s: self.solution.greedy_cost,
        };
        answer.devices = self.shares(problem, clock, explained);
        if cost.is_none() {
            let is_proven = self.solution.lower_bound == f64::INFINITY;
            let shortage = Shortage::of(problem, &self.costs);
            answer.missing_bytes = shortage.missing_bytes;
            answer.summary = shortage.sentence(problem, is_proven);
        } else if explained {
            answer.next_best = self.next_best(problem, clock);
            answer.summary = summary(&answer);
        }
        answer
    }

    fn stages(&self, problem: &Problem) -> Vec<PlacedStage> {
        match (&self.split, &self.solution.best) {
            (Some(split), _) => split.devices.iter().map(|&device| self.whole(problem, device)).collect(),
            (None, Some(best)) => placed(problem, &self.costs, &best.plan),
            (None, None) => Vec::new(),
        }
    }

    /// All layers on one device, as each device of a tensor plan has them.
    fn whole(&self, problem: &Problem, device: usize) -> PlacedStage {
        let device = problem.devices[self.costs.usable[device]].id.clone();
        PlacedStage { device, start_layer: 0, end_layer: self.costs.layers }
    }

    fn shares(&self, problem: &Problem, clock: Clock<'_>, explained: bool) -> Vec<DeviceShare> {
        match (&self.split, &self.solution.best) {
            (Some(split), _) => explain::split_shares(problem, &self.costs, split),
            (None, best) => explain::shares(problem, &self.costs, best.as_ref(), explained.then_some(clock)),
        }
    }

    fn next_best(&self, problem: &Problem, clock: Clock<'_>) -> Option<Alternative> {
        let best: Option<&Costed> = self.solution.best.as_ref();
        match &self.split {
            // The best pipeline is the plan that was not chosen.
            Some(split) => Some(explain::alternative(problem, &self.costs, best?, split.cost)),
            None => explain::next_best(problem, &self.costs, best?, clock),
        }
    }
}

/// One sentence about a plan.
fn summary(answer: &Answer) -> String {
    let (Some(cost), Some(bound)) = (answer.cost_s, answer.lower_bound_s) else { return String::new() };
    let devices = match answer.stages.len() {
        1 => "1 device".to_owned(),
        count => format!("{count} devices"),
    };
    let quality = match answer.status {
        Status::Optimal => "nothing is better".to_owned(),
        _ if bound > 0.0 => format!("at most {} above the best there is", words::percent(cost / bound - 1.0)),
        _ => "how much better the best there is could be is not known".to_owned(),
    };
    let next = answer.next_best.as_ref().map_or_else(String::new, |next| {
        if next.worse_by < AS_GOOD {
            "; another choice of devices would be as good".to_owned()
        } else {
            format!("; the next best devices or order would be {} slower", words::percent(next.worse_by))
        }
    });
    format!("{} on {devices}; {quality}{next}", words::seconds(cost))
}
