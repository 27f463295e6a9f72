//! A good plan at once.

use std::time::Duration;

use super::{
    bound::Bound,
    clock::Deadline,
    cost::Costs,
    door::{ROUNDING, best_alone},
    plan::Costed,
    problem::Objective,
    split::{effort, fill, is_filled, last_that, split},
};

/// How long the first plan may take to find.
const CONSTRUCTION: Duration = Duration::from_millis(40);
/// How many sizes of a set are tried for each ranking, from the smallest that has the memory.
const SIZES: usize = 12;

/// A plan from the devices that rank highest, in an order of short hops. `None` if none was found, which proves nothing.
pub(super) fn construct(costs: &Costs, bound: &Bound, deadline: Deadline<'_>) -> Option<Costed> {
    let deadline = deadline.within(CONSTRUCTION);
    let mut best = best_alone(costs);
    let rankings = rankings(costs, bound);
    for ranking in &rankings {
        for size in sizes(costs, ranking) {
            for order in orders(costs, &ranking[..size]) {
                best = Costed::better(best, fill(costs, &order));
                let left = deadline.left();
                if left.is_zero() {
                    break;
                }
                // A split that would end late is not begun.
                if effort(costs, &order) <= left {
                    best = Costed::better(best, split(costs, &order));
                }
            }
            if best.is_some() && deadline.has_passed() {
                return best;
            }
        }
    }
    // Where nothing was filled at once, a whole split finds more: the largest sets get one.
    best.or_else(|| largest_split(costs, &rankings))
}

/// The first split of the largest sets. They are often the same, and are then tried once.
fn largest_split(costs: &Costs, rankings: &[Vec<usize>]) -> Option<Costed> {
    let largest = rankings.iter().map(|ranking| &ranking[..costs.most.min(ranking.len())]);
    let need = costs.need(0, costs.layers) + costs.embedding + costs.head;
    let may_hold = |set: &&[usize]| {
        let memory: f64 = set.iter().map(|&device| costs.memory[device]).sum();
        set.len() > 1 && memory >= need * (1.0 - ROUNDING)
    };
    let mut tried: Vec<Vec<usize>> = Vec::new();
    for order in largest.filter(may_hold).flat_map(|set| orders(costs, set)) {
        if !tried.contains(&order) {
            if let Some(found) = split(costs, &order) {
                return Some(found);
            }
            tried.push(order);
        }
    }
    None
}

/// Devices by what they cost for each layer with their hop, by memory, and by speed alone.
fn rankings(costs: &Costs, bound: &Bound) -> Vec<Vec<usize>> {
    let by_price = bound.order().to_vec();
    let mut by_memory = by_price.clone();
    by_memory.sort_by(|&a, &b| costs.memory[b].total_cmp(&costs.memory[a]));
    let mut by_speed = by_price.clone();
    by_speed.sort_by(|&a, &b| costs.whole[a].total_cmp(&costs.whole[b]));
    vec![by_price, by_memory, by_speed]
}

/// The least number of devices whose memory is enough in sum, and then in whole layers.
fn enough(costs: &Costs, ranking: &[usize], most: usize) -> Option<usize> {
    let need = costs.need(0, costs.layers) + costs.embedding + costs.head;
    let mut memory = 0.0;
    let in_sum = ranking.iter().position(|&device| {
        memory += costs.memory[device];
        memory >= need
    })?;
    let least = (in_sum + 1).max(2);
    let is_filled = |size: usize| is_filled(costs, &largest_at_ends(costs, &ranking[..size]));
    if least >= most || !is_filled(most) {
        return Some(least);
    }
    // One below the first that is filled is the last that is not.
    Some(last_that(least - 1, most - 1, |size| !is_filled(size)) + 1)
}

/// Numbers of devices to try, from the first that could be enough.
fn sizes(costs: &Costs, ranking: &[usize]) -> Vec<usize> {
    let most = costs.most.min(ranking.len());
    let Some(enough) = enough(costs, ranking, most) else { return Vec::new() };
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

/// Two orders: the nearest device next, beginning with the one of most memory; and [`largest_at_ends`].
fn orders(costs: &Costs, devices: &[usize]) -> [Vec<usize>; 2] {
    let by_memory = largest_at_ends(costs, devices);
    let mut left = by_memory.clone();
    let mut nearest = vec![left.swap_remove(0)];
    while let Some(&at) = nearest.last().filter(|_| !left.is_empty()) {
        let hops = costs.hops_from(at);
        let (mut closest, mut least) = (0, hops[left[0]]);
        for (place, &device) in left.iter().enumerate() {
            // Hops are no less than 0 and are numbers.
            if hops[device] < least {
                (closest, least) = (place, hops[device]);
            }
        }
        nearest.push(left.swap_remove(closest));
    }
    [nearest, by_memory]
}

/// The two devices of most memory first and last, where the embedding and the head are; the others by memory between.
fn largest_at_ends(costs: &Costs, devices: &[usize]) -> Vec<usize> {
    let mut order = devices.to_vec();
    order.sort_by(|&a, &b| costs.memory[b].total_cmp(&costs.memory[a]));
    if order.len() > 1 {
        order[1..].rotate_left(1);
    }
    order
}
