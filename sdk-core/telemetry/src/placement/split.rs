//! Where to cut the layers, once the devices and their order are chosen.

use std::{ops::Range, time::Duration};

use super::{
    cost::Costs,
    door::{close, first_door, join, squeeze, walk},
    plan::{Costed, Plan, Stage},
    problem::Objective,
};

/// Halvings of a limit: enough for every digit that matters.
const HALVINGS: usize = 40;
/// What one layer of a door takes, and one layer of a row of times.
const DOOR_NANOS: usize = 20;
const TIME_NANOS: usize = 5;

/// A good split of the layers over devices in this order, each with at least one layer: the best one for latency, and
/// nearly always for throughput.
pub(super) fn split(costs: &Costs, order: &[usize]) -> Option<Costed> {
    if costs.objective == Objective::Latency || order.len() == 1 {
        return best_split(costs, order);
    }
    if order.is_empty() || order.len() > costs.most {
        return None;
    }
    least_largest(costs, order)
}

/// About how long a [`split`] takes: the rows of times that may have to be made, and the doors.
pub(super) fn effort(costs: &Costs, order: &[usize]) -> Duration {
    let doors = match costs.objective {
        Objective::Latency => {
            starts(costs, order).map_or(0, |starts| starts.iter().map(ExactSizeIterator::len).sum())
        }
        Objective::Throughput => HALVINGS * order.len(),
    };
    let nanos = doors * DOOR_NANOS + order.len() * costs.layers * TIME_NANOS;
    Duration::from_nanos(nanos as u64)
}

/// A split at once: each device in turn takes what it can hold.
pub(super) fn fill(costs: &Costs, order: &[usize]) -> Option<Costed> {
    let plan = filled(costs, order, has_hop)?;
    costs.of_once(&plan).map(|cost| Costed { plan, cost })
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
    if hops(costs, order) == f64::INFINITY {
        return None;
    }
    let starts = starts(costs, order)?;
    let mut doors = Vec::with_capacity(starts.iter().map(ExactSizeIterator::len).sum());
    doors.extend_from_slice(&first_door(costs)[starts[0].clone()]);
    let mut next = Vec::new();
    let mut queue = Vec::new();
    // Where the door of each device is among all.
    let mut places = vec![0];
    for (index, &device) in before.iter().enumerate() {
        let hop = costs.hop(device, order[index + 1]);
        let (from, to) = (&starts[index], &starts[index + 1]);
        let door = &doors[places[index]..];
        next.clear();
        next.resize(to.len(), f64::INFINITY);
        match costs.objective {
            Objective::Latency => {
                walk(costs, device, (from.start, door), &mut queue, (to.start, &mut next));
                for done in &mut next {
                    *done += hop;
                }
            }
            // All layers are in each of these doors.
            Objective::Throughput => squeeze(costs, device, door, hop, f64::INFINITY, &mut next),
        }
        places.push(doors.len());
        doors.extend_from_slice(&next);
    }
    let door = (starts[before.len()].start, &doors[places[before.len()]..]);
    let (_, mut start) = close(costs, last, door, costs.hop(last, order[0]))?;
    let mut ends = vec![(last, costs.layers)];
    for (index, &device) in before.iter().enumerate().rev() {
        ends.push((device, start));
        let hop = costs.hop(device, order[index + 1]);
        let from = starts[index].start;
        let door = &doors[places[index]..places[index + 1]];
        let fits = |begin: &usize| costs.fits(&Stage { device, start: *begin, end: start });
        let cost =
            |begin: usize| join(costs.objective, door[begin - from], costs.time(device, begin, start) + hop);
        let begins = from..starts[index].end.min(start);
        start = begins.filter(fits).min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
    }
    ends.reverse();
    Some(Plan::of_ends(ends))
}

/// For each device of an order, the layers at which its stage may begin: those before cannot hold more, and those that
/// follow must hold the rest. `None` if some device has no such layer. Where memory is scarce these are few.
fn starts(costs: &Costs, order: &[usize]) -> Option<Vec<Range<usize>>> {
    let (layers, count) = (costs.layers, order.len());
    if costs.objective == Objective::Throughput {
        return Some(vec![0..layers; count]);
    }
    let mut starts = Vec::with_capacity(count);
    let mut last = 0;
    for (index, &device) in order.iter().enumerate() {
        starts.push(index..last + 1);
        let most = layers.checked_sub(count - 1 - index)?;
        last = last_near(last, most, |end| costs.fits(&Stage { device, start: last, end }));
    }
    let mut end = layers;
    for (index, &device) in order.iter().enumerate().skip(1).rev() {
        // Not before the layers of the devices before it, one each.
        let fits = |back: usize| costs.fits(&Stage { device, start: end - back, end });
        let least = end - last_near(0, end.saturating_sub(index), fits);
        starts[index].start = least.max(index);
        end = starts[index].start;
    }
    starts.iter().all(|starts| !starts.is_empty()).then_some(starts)
}

fn least_largest(costs: &Costs, order: &[usize]) -> Option<Costed> {
    let plan = filled(costs, order, has_hop)?;
    let mut best = costs.of(&plan).map(|cost| Costed { plan, cost })?;
    let mut high = best.cost;
    let mut low = 0.0;
    for _ in 0..HALVINGS {
        let limit = low + (high - low) / 2.0;
        if limit <= low || limit >= high {
            break;
        }
        match within(costs, order, limit) {
            Some(found) => (high, best) = (found.cost.min(limit), found),
            None => low = limit,
        }
    }
    Some(best)
}

/// Each stage takes all that it can within the limit, and leaves a layer to each that follows.
fn within(costs: &Costs, order: &[usize], limit: f64) -> Option<Costed> {
    let in_time =
        |&Stage { device, start, end }: &Stage, hop: f64| costs.time(device, start, end) + hop <= limit;
    let plan = filled(costs, order, in_time)?;
    let cost = costs.of(&plan).filter(|&cost| cost <= limit)?;
    Some(Costed { plan, cost })
}

/// Whether each device in turn, taking what it can hold, leaves nothing over.
pub(super) fn is_filled(costs: &Costs, order: &[usize]) -> bool {
    filled(costs, order, has_hop).is_some()
}

/// All that a stage must have where time is no matter.
fn has_hop(_: &Stage, hop: f64) -> bool {
    hop < f64::INFINITY
}

/// Each stage takes all that it can hold and that is allowed, given its hop, and leaves a layer to each that
/// follows; nothing may be left over.
fn filled(costs: &Costs, order: &[usize], allowed: impl Fn(&Stage, f64) -> bool) -> Option<Plan> {
    let mut start = 0;
    let mut ends = Vec::with_capacity(order.len());
    for (index, &device) in order.iter().enumerate() {
        let hop = costs.hop(device, order[(index + 1) % order.len()]);
        let following = order.len() - 1 - index;
        let keeps = |end: usize| {
            let stage = Stage { device, start, end };
            costs.fits(&stage) && allowed(&stage, hop)
        };
        let end = last_near(start, costs.layers.checked_sub(following)?, keeps);
        if end <= start || following == 0 && end < costs.layers {
            return None;
        }
        ends.push((device, end));
        start = end;
    }
    Some(Plan::of_ends(ends))
}

/// As [`last_that`], where the answer is most likely near `least`.
fn last_near(least: usize, most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut step) = (least, 1);
    while low + step < most && holds(low + step) {
        low += step;
        step *= 2;
    }
    last_that(low, most.min(low + step), holds)
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
