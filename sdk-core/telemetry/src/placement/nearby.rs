//! Plans near a plan, and better plans by small changes.

use super::{
    bound::Bound,
    clock::Deadline,
    cost::Costs,
    plan::{Costed, Plan},
    split::{split, split_below},
};
use crate::Random;

/// A change must save more than rounding does.
const REAL: f64 = 1.0 - 1e-12;
/// How many changes at once lead away from a plan that no single change improves.
const STRIDE: u64 = 4;
/// How often a plan is left without finding a better one.
const FRUITLESS: usize = 5000;

/// A change of an order of devices.
#[derive(Debug, Clone, Copy)]
enum Change {
    Remove(usize),
    Replace(usize, usize),
    Insert(usize, usize),
    Swap(usize, usize),
    Move(usize, usize),
}

impl Change {
    fn apply(self, order: &[usize]) -> Vec<usize> {
        let mut order = order.to_vec();
        match self {
            Self::Remove(at) => {
                order.remove(at);
            }
            Self::Replace(at, device) => order[at] = device,
            Self::Insert(at, device) => order.insert(at, device),
            Self::Swap(one, other) => order.swap(one, other),
            Self::Move(from, to) => {
                let device = order.remove(from);
                order.insert(to, device);
            }
        }
        order
    }
}

fn changes(order: &[usize], bound: &Bound) -> Vec<Change> {
    let length = order.len();
    let mut changes = Vec::new();
    for one in 0..length {
        changes.push(Change::Remove(one));
        changes.extend((one + 1..length).map(|other| Change::Swap(one, other)));
        changes.extend((0..length).filter(|&to| to != one).map(|to| Change::Move(one, to)));
    }
    for &device in bound.order().iter().filter(|device| !order.contains(device)) {
        changes.extend((0..length).map(|at| Change::Replace(at, device)));
        changes.extend((0..=length).map(|at| Change::Insert(at, device)));
    }
    changes
}

/// Plans that differ from one plan by one change of its devices or their order, each split well.
pub(super) fn neighbours<'a>(
    costs: &'a Costs,
    bound: &Bound,
    plan: &Plan,
) -> impl Iterator<Item = Costed> + use<'a> {
    let order = plan.devices();
    changes(&order, bound).into_iter().filter_map(move |change| split(costs, &change.apply(&order)))
}

/// Plans that differ from one plan by what one device does: another split, other neighbours, in or out.
pub(super) fn neighbours_with<'a>(
    costs: &'a Costs,
    plan: &Plan,
    device: usize,
) -> impl Iterator<Item = Costed> + use<'a> {
    let order = plan.devices();
    let length = order.len();
    let mut orders = vec![vec![device], order.clone()];
    if let Some(at) = order.iter().position(|&other| other == device) {
        let others = || (0..length).filter(|&other| other != at);
        orders.extend(others().map(|other| Change::Remove(other).apply(&order)));
        orders.extend(others().map(|to| Change::Move(at, to).apply(&order)));
    } else {
        orders.extend((0..=length).map(|at| Change::Insert(at, device).apply(&order)));
        orders.extend((0..length).map(|at| Change::Replace(at, device).apply(&order)));
    }
    orders.into_iter().filter_map(move |order| split(costs, &order))
}

/// Takes small changes for as long as they help, or until time is up.
pub(super) fn improve(costs: &Costs, bound: &Bound, mut best: Costed, deadline: Deadline<'_>) -> Costed {
    let mut better = !deadline.has_passed();
    if better && let Some(found) = split_below(costs, &best.plan.devices(), best.cost) {
        best = found;
    }
    while better {
        better = false;
        let order = best.plan.devices();
        for change in changes(&order, bound) {
            if deadline.has_passed() {
                return best;
            }
            if let Some(found) = split_below(costs, &change.apply(&order), best.cost * REAL) {
                best = found;
                better = true;
                break;
            }
        }
    }
    best
}

/// Leaves the plan by a few changes at random, improves what is there, and keeps it if it is better: until time is up.
pub(super) fn wander(costs: &Costs, bound: &Bound, mut best: Costed, deadline: Deadline<'_>) -> Costed {
    // The same seed every time: a problem has one answer.
    let mut random = Random::seeded(1);
    let mut fruitless = 0;
    while fruitless < FRUITLESS && !deadline.has_passed() {
        fruitless += 1;
        let mut order = best.plan.devices();
        for _ in 0..2 + random.below(STRIDE) {
            let all = changes(&order, bound);
            let Some(change) = all.get(random.below(all.len() as u64) as usize) else { break };
            order = change.apply(&order);
        }
        if let Some(start) = split(costs, &order) {
            let found = improve(costs, bound, start, deadline);
            if found.cost < best.cost {
                best = found;
                fruitless = 0;
            }
        }
    }
    best
}
