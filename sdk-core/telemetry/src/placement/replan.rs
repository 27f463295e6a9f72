//! Whether a plan that is in use shall change.
//!
//! A device leaves, heats up or gets slower, and another plan would be cheaper. But layers that a device does not have
//! yet must be brought to it, and measured speeds always waver. So a change must save at least a share of the cost
//! (`hysteresis`), and over `horizon_tokens` it must save more time than moving takes. A plan that does not hold any
//! more is replaced by the one that is cheapest with its moves.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{
    answer::{Answer, PlacedStage},
    bound::Bound,
    clock::Clock,
    cost::Costs,
    error::ProblemError,
    nearby::neighbours,
    place::{Found, find},
    plan::{Costed, Plan, Stage},
    problem::Problem,
    words,
};

/// Rounds of small changes around the old plan.
const ROUNDS: usize = 8;

/// What a move costs, and when it pays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moving {
    /// How fast weights come to a device: one after the other, as over one Wi-Fi.
    pub bytes_per_s: f64,
    /// Tokens over which a move must pay.
    pub horizon_tokens: f64,
    /// The share of the cost that a change must save at least.
    pub hysteresis: f64,
}

impl Default for Moving {
    fn default() -> Self {
        Self { bytes_per_s: 40e6, horizon_tokens: 4000.0, hysteresis: 0.05 }
    }
}

/// What to do with the old plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It stays.
    Keep,
    /// It still holds, and another one is worth the move.
    Improve,
    /// It does not hold any more.
    Replace,
    /// It does not hold any more, and nothing does.
    Stop,
}

/// The outcome of re-planning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replan {
    /// What to do.
    pub decision: Decision,
    /// The stages from now on; those of the old plan if it stays.
    pub stages: Vec<PlacedStage>,
    /// What they cost.
    pub cost_s: Option<f64>,
    /// What the old plan costs now; `None` if it does not hold any more.
    pub old_cost_s: Option<f64>,
    /// Bytes that must come to devices that do not have them.
    pub moved_bytes: f64,
    /// How long that takes.
    pub move_s: f64,
    /// A sentence that says why.
    pub why: String,
    /// The best plan as if nothing were in use yet.
    pub answer: Answer,
}

/// Decides between the old plan and new ones for a problem that changed.
pub fn replan(
    old: &[PlacedStage],
    problem: &Problem,
    moving: Moving,
    clock: Clock<'_>,
) -> Result<Replan, ProblemError> {
    let found = find(problem, clock)?;
    let change = Change::new(old, problem, &found.costs, moving);
    Ok(change.decide(&found, clock))
}

struct Change<'a> {
    problem: &'a Problem,
    costs: &'a Costs,
    moving: Moving,
    old: &'a [PlacedStage],
    /// The old stages; `None` where the device is gone or may not work.
    stages: Vec<(Option<usize>, usize, usize)>,
}

impl<'a> Change<'a> {
    fn new(old: &'a [PlacedStage], problem: &'a Problem, costs: &'a Costs, moving: Moving) -> Self {
        let places: HashMap<&str, usize> = costs
            .usable
            .iter()
            .enumerate()
            .map(|(place, &index)| (problem.devices[index].id.as_str(), place))
            .collect();
        let stage = |stage: &PlacedStage| {
            (places.get(stage.device.as_str()).copied(), stage.start_layer, stage.end_layer)
        };
        Self { problem, costs, moving, old, stages: old.iter().map(stage).collect() }
    }

    fn decide(&self, found: &Found, clock: Clock<'_>) -> Replan {
        let kept = self.kept();
        let best = self.cheapest_with_moves(found);
        let answer = found.answer(self.problem, clock, true);
        let old_cost_s = kept.as_ref().map(|kept| kept.cost);
        let (decision, chosen, why) = match (kept, best) {
            (None, None) => {
                (Decision::Stop, None, format!("the old plan does not hold any more: {}", answer.summary))
            }
            (None, Some(best)) => {
                let moved = words::bytes(self.moved_bytes(&best.plan));
                let why = format!(
                    "the old plan does not hold any more; {moved} move to the cheapest with its moves"
                );
                (Decision::Replace, Some(best), why)
            }
            (Some(kept), best) => {
                let rivals = [best, found.solution.best.clone()].into_iter().flatten();
                let mut judged: Vec<_> = rivals.map(|rival| (self.judge(&kept, &rival), rival)).collect();
                if let Some(at) = judged.iter().position(|((pays, _), _)| *pays) {
                    let ((_, why), rival) = judged.swap_remove(at);
                    (Decision::Improve, Some(rival), why)
                } else {
                    // The best plan from scratch says best why even that does not pay.
                    let why = judged.pop().map_or_else(String::new, |((_, why), _)| why);
                    (Decision::Keep, Some(kept), why)
                }
            }
        };
        let is_kept = decision == Decision::Keep;
        let plan = chosen.as_ref().map(|chosen| &chosen.plan);
        Replan {
            decision,
            stages: match plan {
                Some(_) if is_kept => self.old.to_vec(),
                Some(plan) => super::answer::placed(self.problem, self.costs, plan),
                None => Vec::new(),
            },
            cost_s: chosen.as_ref().map(|chosen| chosen.cost),
            old_cost_s,
            moved_bytes: plan.map_or(0.0, |plan| self.moved_bytes(plan)),
            move_s: plan.map_or(0.0, |plan| self.move_s(plan)),
            why,
            answer,
        }
    }

    /// Whether a change to another plan pays, and why.
    fn judge(&self, kept: &Costed, rival: &Costed) -> (bool, String) {
        if rival.cost >= kept.cost {
            return (false, "nothing is better".to_owned());
        }
        let tokens = self.moving.horizon_tokens;
        let share = 1.0 - rival.cost / kept.cost;
        let move_s = self.move_s(&rival.plan);
        let (saves, moves) = (words::percent(share), words::seconds(move_s));
        if share < self.moving.hysteresis {
            let least = words::percent(self.moving.hysteresis);
            (false, format!("another plan would save {saves}, and a change needs {least}"))
        } else if (kept.cost - rival.cost) * tokens <= move_s {
            let why = format!("another plan would save {saves}, but moving takes {moves}");
            (false, format!("{why}, more than {tokens} tokens win back"))
        } else {
            (true, format!("it saves {saves}, and moving takes {moves}, which {tokens} tokens win back"))
        }
    }

    /// The old plan as it is, if it still holds.
    fn kept(&self) -> Option<Costed> {
        let ends: Option<Vec<_>> = self.stages.iter().map(|&(device, _, end)| Some((device?, end))).collect();
        self.costed(Plan::of_ends(ends?))
    }

    fn costed(&self, plan: Plan) -> Option<Costed> {
        self.costs.of(&plan).map(|cost| Costed { plan, cost })
    }

    /// Bytes that a plan needs on devices that did not have them.
    fn moved_bytes(&self, plan: &Plan) -> f64 {
        let moved = |stage: &Stage| {
            let had = self.stages.iter().find(|(device, _, _)| *device == Some(stage.device));
            let (start, end) = had.map_or((0, 0), |&(_, start, end)| (start, end));
            let new = (stage.start..stage.end).filter(|layer| !(start..end).contains(layer));
            let layers: f64 = new.map(|layer| self.costs.need(layer, layer + 1)).sum();
            let had_first = end > start && start == 0;
            let had_last = end > start && end == self.costs.layers;
            let embedding = if stage.start == 0 && !had_first { self.costs.embedding } else { 0.0 };
            let head = if stage.end == self.costs.layers && !had_last { self.costs.head } else { 0.0 };
            layers + embedding + head
        };
        plan.stages().iter().map(moved).sum()
    }

    fn move_s(&self, plan: &Plan) -> f64 {
        super::problem::ratio(self.moved_bytes(plan), self.moving.bytes_per_s)
    }

    /// Seconds of the next tokens with the move before them.
    fn whole_s(&self, costed: &Costed) -> f64 {
        costed.cost * self.moving.horizon_tokens + self.move_s(&costed.plan)
    }

    /// The plan whose next tokens take least time together with the move: the best one, one that repairs the old plan,
    /// or one between.
    fn cheapest_with_moves(&self, found: &Found) -> Option<Costed> {
        let better = |one: Option<Costed>, other: Option<Costed>| match (one, other) {
            (Some(one), Some(other)) => {
                Some(if self.whole_s(&other) < self.whole_s(&one) { other } else { one })
            }
            (one, other) => one.or(other),
        };
        let repaired = self.repaired().into_iter().filter_map(|plan| self.costed(plan));
        let mut best = repaired.fold(found.solution.best.clone(), |best, plan| better(best, Some(plan)));
        let bound = Bound::new(self.costs);
        for _ in 0..ROUNDS {
            let Some(current) = best.clone() else { break };
            let around = neighbours(self.costs, &bound, &current.plan);
            best = around.fold(best, |best, plan| better(best, Some(plan)));
            if best.as_ref() == Some(&current) {
                break;
            }
        }
        best
    }

    /// The old plan with each lost stage given to a neighbour or to one device that was idle.
    fn repaired(&self) -> Vec<Plan> {
        let used = |device: usize| self.stages.iter().any(|&(other, _, _)| other == Some(device));
        let idle: Vec<usize> = (0..self.costs.devices()).filter(|&device| !used(device)).collect();
        let mut plans = vec![Plan::of_ends(self.handed_on(true)), Plan::of_ends(self.handed_on(false))];
        let lost = self.stages.iter().filter(|(device, _, _)| device.is_none()).count();
        if lost == 1 {
            plans.extend(idle.iter().map(|&device| {
                Plan::of_ends(self.stages.iter().map(|&(old, _, end)| (old.unwrap_or(device), end)))
            }));
        }
        plans
    }

    /// Devices that are left and where they end, if lost layers go to the stage before, or to the one after.
    fn handed_on(&self, before: bool) -> Vec<(usize, usize)> {
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for &(device, _, end) in &self.stages {
            match (device, ends.last_mut()) {
                (Some(device), _) => ends.push((device, end)),
                (None, Some(last)) if before => last.1 = end,
                _ => {}
            }
        }
        if let Some(last) = ends.last_mut() {
            last.1 = self.costs.layers;
        }
        ends
    }
}
