//! Where to cut the layers, once the devices and their order are chosen.

use super::{
    cost::Costs,
    door::{close, first_door, join, squeeze, walk},
    plan::{Costed, Plan, Stage},
    problem::Objective,
};

/// Halvings of a limit: enough for every digit that matters.
const HALVINGS: usize = 40;

/// A good split of the layers over devices in this order, each with at least one layer: the best one for latency, and
/// nearly always for throughput.
pub(super) fn split(costs: &Costs, order: &[usize]) -> Option<Costed> {
    if costs.objective == Objective::Latency || order.len() == 1 {
        return best_split(costs, order);
    }
    if order.is_empty() || order.len() > costs.most {
        return None;
    }
    let plan = least_largest(costs, order)?;
    costs.of(&plan).map(|cost| Costed { plan, cost })
}

/// A split at once: each device in turn takes what it can hold.
pub(super) fn fill(costs: &Costs, order: &[usize]) -> Option<Costed> {
    let plan = within(costs, order, f64::MAX)?;
    costs.of(&plan).map(|cost| Costed { plan, cost })
}

/// A split that costs less than the limit, or `None`: most orders are told apart from good ones without being split.
pub(super) fn split_below(costs: &Costs, order: &[usize], limit: f64) -> Option<Costed> {
    let may_be_below = order.len() < 2
        || match costs.objective {
            Objective::Latency => hops(costs, order) < limit,
            Objective::Throughput => order.len() <= costs.most && within(costs, order, limit).is_some(),
        };
    if !may_be_below {
        return None;
    }
    split(costs, order).filter(|found| found.cost < limit)
}

/// Seconds of all hops of an order, the one back to the first included.
fn hops(costs: &Costs, order: &[usize]) -> f64 {
    (0..order.len()).map(|at| costs.hop(order[at], order[(at + 1) % order.len()])).sum()
}

/// The best split of the layers over devices in this order, each with at least one layer.
pub(super) fn best_split(costs: &Costs, order: &[usize]) -> Option<Costed> {
    if order.len() > costs.most {
        return None;
    }
    let (&last, before) = order.split_last()?;
    let plan =
        if before.is_empty() { Plan::alone(last, costs.layers) } else { cuts(costs, order, before, last)? };
    costs.of(&plan).map(|cost| Costed { plan, cost })
}

fn cuts(costs: &Costs, order: &[usize], before: &[usize], last: usize) -> Option<Plan> {
    let layers = costs.layers;
    let mut doors = Vec::with_capacity(order.len() * layers);
    doors.extend(first_door(costs));
    let mut next = vec![0.0; layers];
    let mut queue = Vec::new();
    for (index, &device) in before.iter().enumerate() {
        let hop = costs.hop(device, order[index + 1]);
        let door = &doors[index * layers..];
        match costs.objective {
            Objective::Latency => {
                walk(costs, device, door, &mut queue, &mut next);
                for done in &mut next {
                    *done += hop;
                }
            }
            Objective::Throughput => {
                next.fill(f64::INFINITY);
                squeeze(costs, device, door, hop, f64::INFINITY, &mut next);
            }
        }
        doors.extend_from_slice(&next);
    }
    let (_, mut start) = close(costs, last, &doors[before.len() * layers..], costs.hop(last, order[0]))?;
    let mut ends = vec![(last, layers)];
    for (index, &device) in before.iter().enumerate().rev() {
        ends.push((device, start));
        let hop = costs.hop(device, order[index + 1]);
        let door = &doors[index * layers..][..start];
        let fits = |begin: &usize| costs.fits(&Stage { device, start: *begin, end: start });
        let cost = |begin: usize| join(costs.objective, door[begin], costs.time(device, begin, start) + hop);
        start = (0..start).filter(fits).min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
    }
    ends.reverse();
    Some(Plan::of_ends(ends))
}

fn least_largest(costs: &Costs, order: &[usize]) -> Option<Plan> {
    let mut best = within(costs, order, f64::MAX)?;
    let mut high = costs.of(&best)?;
    let mut low = 0.0;
    for _ in 0..HALVINGS {
        let limit = low + (high - low) / 2.0;
        if limit <= low || limit >= high {
            break;
        }
        match within(costs, order, limit).and_then(|plan| Some((costs.of(&plan)?, plan))) {
            Some((cost, plan)) => (best, high) = (plan, cost.min(limit)),
            None => low = limit,
        }
    }
    Some(best)
}

/// Each stage takes all that it can within the limit, and leaves a layer to each that follows.
fn within(costs: &Costs, order: &[usize], limit: f64) -> Option<Plan> {
    let mut start = 0;
    let mut ends = Vec::with_capacity(order.len());
    for (index, &device) in order.iter().enumerate() {
        let hop = costs.hop(device, order[(index + 1) % order.len()]);
        let following = order.len() - 1 - index;
        let keeps = |end: usize| {
            costs.fits(&Stage { device, start, end }) && costs.time(device, start, end) + hop <= limit
        };
        let end = if following == 0 {
            costs.layers
        } else {
            let most = costs.layers.checked_sub(following)?;
            last_that(start, most, keeps)
        };
        if end <= start {
            return None;
        }
        ends.push((device, end));
        start = end;
    }
    let plan = Plan::of_ends(ends);
    (costs.of(&plan)? <= limit).then_some(plan)
}

/// The last number up to `most` of which something holds that holds for none above it; `least` if for none.
pub(super) fn last_that(least: usize, most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (least, most.max(least));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}
