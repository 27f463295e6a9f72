//! The largest stage time with its hop, made least.
//!
//! Given a limit, each device has a number of layers that it can do within it, so a limit can be kept if the best
//! choice of a first, a last and middle stages has room for all layers. The least limit that can be kept is found by
//! halving; both ends snap to values that a stage can really take, so the search ends at the exact one.

use super::{
    super::plan::{Costed, Plan},
    Alike, Counted, FIRST, LAST, MIDDLE,
};

/// The plan of at least two stages whose slowest stage is the fastest.
pub(super) fn best(problem: &Alike) -> Option<Costed> {
    if problem.most < 2 || problem.layers < 2 {
        return None;
    }
    let mut best = within(problem, f64::MAX)?;
    let mut broken = 0.0;
    loop {
        let next = next_value(problem, broken);
        if next >= best.cost {
            return Some(best);
        }
        let limit = next.max(broken + (best.cost - broken) / 2.0);
        match within(problem, limit) {
            Some(plan) if plan.cost < best.cost => best = plan,
            // Rounding left nothing between the two ends.
            Some(_) => return Some(best),
            None => broken = limit,
        }
    }
}

/// The most layers of a role that a device does within a limit.
fn within_limit(device: &Counted, role: usize, limit: f64) -> usize {
    let extra = device.extra(role);
    let room = device.room[role];
    if extra > limit || room == 0 {
        return 0;
    }
    if device.unit == 0.0 {
        return room;
    }
    let mut count = (((limit - extra) / device.unit) as usize).min(room);
    while count > 0 && count as f64 * device.unit + extra > limit {
        count -= 1;
    }
    while count < room && (count + 1) as f64 * device.unit + extra <= limit {
        count += 1;
    }
    count
}

/// The least time above `limit` that any stage can take.
fn next_value(problem: &Alike, limit: f64) -> f64 {
    let mut next = f64::INFINITY;
    for device in &problem.devices {
        for role in [MIDDLE, FIRST, LAST] {
            let count = within_limit(device, role, limit) + 1;
            if count <= device.room[role] {
                next = next.min(count as f64 * device.unit + device.extra(role));
            }
        }
    }
    next
}

/// A plan whose stages all keep the limit.
fn within(problem: &Alike, limit: f64) -> Option<Costed> {
    let room = |role| -> Vec<usize> {
        problem.devices.iter().map(|device| within_limit(device, role, limit)).collect()
    };
    let (middles, firsts, lasts) = (room(MIDDLE), room(FIRST), room(LAST));
    let mut order: Vec<usize> = (0..middles.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(middles[index]));
    let (first, last) = ends(problem, &order, &middles, &firsts, &lasts)?;

    let mut seats = vec![(first, FIRST, firsts[first]), (last, LAST, lasts[last])];
    let mut total = firsts[first] + lasts[last];
    for &index in order.iter().filter(|&&index| index != first && index != last && middles[index] > 0) {
        if total >= problem.layers {
            break;
        }
        total += middles[index];
        seats.push((index, MIDDLE, middles[index]));
    }
    // What is too much goes from the slowest first; every stage keeps a layer.
    let mut slowest: Vec<usize> = (0..seats.len()).collect();
    slowest.sort_by(|&a, &b| problem.devices[seats[b].0].unit.total_cmp(&problem.devices[seats[a].0].unit));
    let mut excess = total - problem.layers;
    for seat in slowest {
        let spared = excess.min(seats[seat].2 - 1);
        seats[seat].2 -= spared;
        excess -= spared;
    }
    let spent = |&(index, role, count): &(usize, usize, usize)| {
        let device = &problem.devices[index];
        count as f64 * device.unit + device.extra(role)
    };
    let cost = seats.iter().map(spent).fold(0.0, f64::max);
    seats.sort_by_key(|&(_, role, _)| [1, 0, 2][role]);
    let plan = Plan::of_counts(seats.into_iter().map(|(device, _, count)| (device, count)));
    (excess == 0).then_some(Costed { plan, cost })
}

/// The first and the last stage that leave room for all layers together with the roomiest middle stages.
fn ends(
    problem: &Alike,
    order: &[usize],
    middles: &[usize],
    firsts: &[usize],
    lasts: &[usize],
) -> Option<(usize, usize)> {
    let between = (problem.most - 2).min(order.len());
    // roomiest[n]: the layers of the n roomiest middle stages.
    let mut roomiest = vec![0];
    roomiest.extend(order.iter().scan(0, |sum, &index| {
        *sum += middles[index];
        Some(*sum)
    }));
    let top = |count: usize| roomiest[count.min(order.len())];
    // The roomiest `between` without the devices at two ranks.
    let rest = |low: usize, high: usize| {
        let (low, high) = (low.min(high), low.max(high));
        if low >= between {
            top(between)
        } else if high > between {
            top(between + 1) - middles[order[low]]
        } else {
            top(between + 2) - middles[order[low]] - middles[order[high]]
        }
    };
    let mut best = None;
    for (first_rank, &first) in order.iter().enumerate().filter(|&(_, &first)| firsts[first] > 0) {
        let others = order.iter().enumerate().filter(|&(_, &last)| last != first && lasts[last] > 0);
        for (last_rank, &last) in others {
            let total = firsts[first] + lasts[last] + rest(first_rank, last_rank);
            if total >= problem.layers && best.is_none_or(|(most, _, _)| total > most) {
                best = Some((total, first, last));
            }
        }
    }
    best.map(|(_, first, last)| (first, last))
}
