//! Partial plans as rows of numbers.
//!
//! The *door* of a device is the least cost of everything before it, for each layer at which its stage may begin: all
//! earlier stages are closed and their hops paid. One step leads from the door of a device to the door of the next, for
//! all beginnings and ends at once. Searches choose only the order of devices; where to cut follows.

use super::{
    cost::Costs,
    plan::{Costed, Plan, Stage},
    problem::Objective,
};

/// The share by which two sums of the same numbers may differ.
pub(super) const ROUNDING: f64 = 1e-9;

/// The door of the first device: nothing was done, and nothing paid.
pub(super) fn first_door(costs: &Costs) -> Vec<f64> {
    let mut door = vec![f64::INFINITY; costs.layers];
    if let Some(start) = door.first_mut() {
        *start = 0.0;
    }
    door
}

/// The layer that a stage from `start` cannot hold any more, if it does not hold the head. `from` is where to begin to
/// look: the answer for an earlier start.
fn reach(costs: &Costs, device: usize, start: usize, from: usize) -> usize {
    let mut end = from.max(start);
    while end < costs.layers - 1 && costs.fits(&Stage { device, start, end: end + 1 }) {
        end += 1;
    }
    end
}

/// The least cost of having done the layers before each layer from `from` on, if `device` does the last of them: a sum,
/// without the hop that follows. The door is that of the layers from `first` on. `queue` is room to work in.
pub(super) fn walk(
    costs: &Costs,
    device: usize,
    (first, door): (usize, &[f64]),
    queue: &mut Vec<(f64, usize)>,
    (from, done): (usize, &mut [f64]),
) {
    let times = costs.times(device);
    done.fill(f64::INFINITY);
    queue.clear();
    // Starts in the queue have ever greater values; a start leaves when the device cannot reach so far from it.
    let mut head = 0;
    let mut reaches = 0;
    for end in first + 1..from + done.len() {
        let start = end - 1;
        if let Some(&before) = door.get(start - first)
            && before < f64::INFINITY
        {
            let value = before - times[start];
            while queue.len() > head && queue[queue.len() - 1].0 >= value {
                queue.pop();
            }
            queue.push((value, start));
            if queue.len() == head + 1 {
                reaches = reach(costs, device, start, reaches);
            }
        }
        while head < queue.len() && reaches < end {
            head += 1;
            if let Some(&(_, start)) = queue.get(head) {
                reaches = reach(costs, device, start, reaches);
            }
        }
        if let (Some(&(value, _)), true) = (queue.get(head), end >= from) {
            done[end - from] = value + times[end];
        }
    }
}

/// Lowers `next` to the largest stage so far, if `device` does the layers from its door and then hops. Stages that
/// reach `limit` are of no use.
pub(super) fn squeeze(costs: &Costs, device: usize, door: &[f64], hop: f64, limit: f64, next: &mut [f64]) {
    let times = costs.times(device);
    let mut reaches = 0;
    for (start, &before) in door.iter().enumerate() {
        if before >= limit {
            continue;
        }
        reaches = reach(costs, device, start, reaches);
        for end in start + 1..=reaches {
            let spent = times[end] - times[start] + hop;
            if spent >= limit {
                break;
            }
            let cost = spent.max(before);
            if cost < next[end] {
                next[end] = cost;
            }
        }
    }
}

/// The least cost of a whole plan whose last stage is `device`, and where that stage begins. The door is that of the
/// layers from `first` on.
pub(super) fn close(
    costs: &Costs,
    device: usize,
    (first, door): (usize, &[f64]),
    return_hop: f64,
) -> Option<(f64, usize)> {
    let fixed = costs.head_time[device] + return_hop;
    let mut best: Option<(f64, usize)> = None;
    for (at, &before) in door.iter().enumerate().rev() {
        let start = first + at;
        if !costs.fits(&Stage { device, start, end: costs.layers }) {
            break;
        }
        let spent = costs.time(device, start, costs.layers) + fixed;
        let cost = match costs.objective {
            Objective::Latency => before + spent,
            Objective::Throughput => before.max(spent),
        };
        if cost < f64::INFINITY && best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, start));
        }
    }
    best
}

/// What a stage adds to the cost of what came before it.
pub(super) fn join(objective: Objective, before: f64, spent: f64) -> f64 {
    match objective {
        Objective::Latency => before + spent,
        Objective::Throughput => before.max(spent),
    }
}

/// The best single stage.
pub(super) fn best_alone(costs: &Costs) -> Option<Costed> {
    let stage = |device: usize| Stage { device, start: 0, end: costs.layers };
    let holds: Vec<usize> = (0..costs.devices()).filter(|&device| costs.fits(&stage(device))).collect();
    // Only those that rounding could make the best are added up layer by layer.
    let about = |device: usize| costs.whole[device] + costs.head_time[device];
    let limit = holds.iter().map(|&device| about(device)).fold(f64::INFINITY, f64::min) * (1.0 + ROUNDING);
    let fastest = holds.into_iter().filter(|&device| about(device) <= limit);
    fastest.fold(None, |best, device| {
        let plan = Plan::alone(device, costs.layers);
        let costed = costs.of(&plan).map(|cost| Costed { plan, cost });
        Costed::better(best, costed)
    })
}
