//! Every plan of a small problem, priced from the formulas alone: shares no code with the solvers.

use super::super::{Device, Link, LinkSpeed, Objective, Problem};

/// The least cost of any plan, by trying all of them.
pub(super) fn least_cost(problem: &Problem) -> Option<f64> {
    let devices: Vec<&Device> =
        problem.devices.iter().filter(|device| device.allowed && device.thermal_factor > 0.0).collect();
    let mut best = None;
    try_all(problem, &devices, &mut Vec::new(), 0, &mut best);
    best
}

fn try_all<'a>(
    problem: &Problem,
    devices: &[&'a Device],
    stages: &mut Vec<(&'a Device, usize, usize)>,
    start: usize,
    best: &mut Option<f64>,
) {
    let layers = problem.model.layers.len();
    if start == layers {
        if let Some(cost) = price(problem, stages)
            && best.is_none_or(|least| cost < least)
        {
            *best = Some(cost);
        }
        return;
    }
    for device in devices {
        if stages.iter().any(|(other, _, _)| other.id == device.id) {
            continue;
        }
        for end in start + 1..=layers {
            stages.push((device, start, end));
            try_all(problem, devices, stages, end, best);
            stages.pop();
        }
    }
}

/// What a plan costs by the formulas; `None` if it breaks a rule.
pub(super) fn price(problem: &Problem, stages: &[(&Device, usize, usize)]) -> Option<f64> {
    let model = &problem.model;
    if problem.max_devices.is_some_and(|most| stages.len() > most) {
        return None;
    }
    let mut spent = Vec::new();
    for (index, &(device, start, end)) in stages.iter().enumerate() {
        let mut memory = 0.0;
        let mut time = 0.0;
        for layer in &model.layers[start..end] {
            memory += layer.bytes + layer.kv_bytes_per_token * problem.workload.context_tokens;
            let read = layer.bytes / device.memory_bytes_per_s;
            let compute = layer.flops / device.flops_per_s;
            time += read.max(compute) / device.thermal_factor;
        }
        if index == 0 {
            memory += model.embedding_bytes;
        }
        if index + 1 == stages.len() {
            memory += model.head_bytes;
            time += model.head_bytes / device.memory_bytes_per_s / device.thermal_factor;
        }
        if memory > device.memory_bytes {
            return None;
        }
        if stages.len() > 1 {
            let to = stages[(index + 1) % stages.len()].0;
            let link = link(problem, &device.id, &to.id)?;
            time += link.latency_s + model.activation_bytes / link.bytes_per_s;
        }
        spent.push(time);
    }
    Some(match problem.objective {
        Objective::Latency => spent.iter().sum(),
        Objective::Throughput => spent.iter().copied().fold(0.0, f64::max),
    })
}

fn link(problem: &Problem, from: &str, to: &str) -> Option<LinkSpeed> {
    let listed = problem.links.iter().find(|link| link.from == from && link.to == to);
    listed.map(Link::speed).or(problem.default_link)
}
