//! A good plan at once.

use std::time::Duration;

use super::{
    bound::Bound,
    clock::Deadline,
    cost::Costs,
    door::best_alone,
    plan::Costed,
    problem::Objective,
    split::{fill, last_that, split},
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
                if deadline.has_passed() {
                    break;
                }
                best = Costed::better(best, split(costs, &order));
            }
            if best.is_some() && deadline.has_passed() {
                return best;
            }
        }
    }
    if best.is_none() {
        // Time is up and nothing was filled at once: a whole split finds more, so the largest sets get one.
        let largest = rankings.iter().map(|ranking| &ranking[..costs.most.min(ranking.len())]);
        let splits = largest.filter(|set| set.len() > 1).flat_map(|set| orders(costs, set));
        best = splits.map(|order| split(costs, &order)).find(Option::is_some).flatten();
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

/// The least number of devices whose memory is enough in sum, and then in whole layers.
fn enough(costs: &Costs, ranking: &[usize], most: usize) -> Option<usize> {
    let need = costs.need(0, costs.layers) + costs.embedding + costs.head;
    let mut memory = 0.0;
    let in_sum = ranking.iter().position(|&device| {
        memory += costs.memory[device];
        memory >= need
    })?;
    let least = (in_sum + 1).max(2);
    let is_filled = |size: usize| fill(costs, &largest_at_ends(costs, &ranking[..size])).is_some();
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
        let closest =
            (0..left.len()).min_by(|&a, &b| costs.hop(at, left[a]).total_cmp(&costs.hop(at, left[b])));
        nearest.push(left.swap_remove(closest.unwrap_or_default()));
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
