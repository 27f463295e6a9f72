//! A good plan at once.

use std::time::Duration;

use super::{
    bound::Bound, clock::Deadline, cost::Costs, door::best_alone, plan::Costed, problem::Objective,
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
