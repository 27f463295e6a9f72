//! A good plan at once, and better ones by small changes.

use std::time::Duration;

use super::{
    bound::Bound,
    clock::Deadline,
    cost::Costs,
    door::best_alone,
    plan::{Costed, Plan},
    problem::Objective,
    split::split,
};

/// How long the first plan may take to find.
const CONSTRUCTION: Duration = Duration::from_millis(40);
/// How many sizes of a set are tried for each ranking, from the smallest that has the memory.
const SIZES: usize = 12;

/// A plan from the devices that rank highest, in an order of short hops. `None` if none was found, which proves nothing.
pub(super) fn construct(costs: &Costs, bound: &Bound, deadline: Deadline<'_>) -> Option<Costed> {
    let deadline = deadline.within(CONSTRUCTION);
    let mut best = best_alone(costs);
    for ranking in rankings(costs, bound) {
        for size in sizes(costs, &ranking) {
            for order in orders(costs, &ranking[..size]) {
                best = Costed::better(best, split(costs, &order));
                if best.is_some() && deadline.has_passed() {
                    return best;
                }
            }
        }
    }
    best
}

/// Devices by what they cost for each layer with their hop, by memory, and by speed alone.
fn rankings(costs: &Costs, bound: &Bound) -> Vec<Vec<usize>> {
    let by_price = bound.order().to_vec();
    let mut by_memory = by_price.clone();
    by_memory.sort_by(|&a, &b| costs.memory[b].total_cmp(&costs.memory[a]));
    let mut by_speed = by_price.clone();
    let whole = |device: usize| costs.time(device, 0, costs.layers);
    by_speed.sort_by(|&a, &b| whole(a).total_cmp(&whole(b)));
    vec![by_price, by_memory, by_speed]
}

/// Numbers of devices from the first whose memory could be enough.
fn sizes(costs: &Costs, ranking: &[usize]) -> Vec<usize> {
    let need = costs.need(0, costs.layers) + costs.embedding + costs.head;
    let most = costs.most.min(ranking.len());
    let mut memory = 0.0;
    let enough = ranking.iter().position(|&device| {
        memory += costs.memory[device];
        memory >= need
    });
    let Some(enough) = enough.map(|index| (index + 1).max(2)) else { return Vec::new() };
    let mut sizes = Vec::new();
    let (mut size, mut step) = (enough, 1);
    while size <= most && sizes.len() < SIZES {
        sizes.push(size);
        size += step;
        // A token wants few hops; a full pipeline wants many hands.
        step += if costs.objective == Objective::Latency { sizes.len() / 4 } else { sizes.len() / 2 };
    }
    if most >= enough && sizes.last() != Some(&most) {
        sizes.push(most);
    }
    sizes
}

/// The nearest device next, beginning with the one of most memory; and the two of most memory at the ends.
fn orders(costs: &Costs, devices: &[usize]) -> [Vec<usize>; 2] {
    let mut by_memory = devices.to_vec();
    by_memory.sort_by(|&a, &b| costs.memory[b].total_cmp(&costs.memory[a]));
    let mut left = by_memory.clone();
    let mut nearest = vec![left.swap_remove(0)];
    while let Some(&at) = nearest.last().filter(|_| !left.is_empty()) {
        let closest =
            (0..left.len()).min_by(|&a, &b| costs.hop(at, left[a]).total_cmp(&costs.hop(at, left[b])));
        nearest.push(left.swap_remove(closest.unwrap_or_default()));
    }
    let second = by_memory.remove(1.min(by_memory.len() - 1));
    by_memory.push(second);
    [nearest, by_memory]
}

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
    best = Costed::better(split(costs, &best.plan.devices()), Some(best.clone())).unwrap_or(best);
    loop {
        let mut better = None;
        for neighbour in neighbours(costs, bound, &best.plan) {
            if neighbour.cost < best.cost * (1.0 - 1e-12) {
                better = Some(neighbour);
                break;
            }
            if deadline.has_passed() {
                return best;
            }
        }
        match better {
            Some(better) if !deadline.has_passed() => best = better,
            Some(better) => return better,
            None => return best,
        }
    }
}
