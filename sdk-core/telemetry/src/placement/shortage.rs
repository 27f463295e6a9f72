//! What is missing where there is no plan.

use std::time::Duration;

use super::{
    check::MAX_DEVICES,
    clock::Deadline,
    cost::{Costs, heaviest, layer_need, usable},
    problem::{Device, LinkSpeed, Problem},
    solve::solve,
    words,
};

/// How exactly the memory of one more device is told, as a share of it.
const ADVICE_WITHIN: f64 = 1e-3;

/// What a cluster lacks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shortage {
    /// Bytes that the devices that may be used do not have together; where they have enough together, bytes of the
    /// layers that still fit nowhere.
    pub(super) missing_bytes: f64,
    /// Whether there would be a plan if every device reached every other.
    is_unlinked: bool,
    /// Memory of one more device that would do.
    nearest_bytes: Option<f64>,
    /// How many devices can work, and how many may.
    workers: usize,
    most: Option<usize>,
}

impl Shortage {
    pub(super) fn of(problem: &Problem, costs: &Costs) -> Self {
        let need = costs.need(0, costs.layers) + costs.embedding + costs.head;
        let mut memory = costs.memory.clone();
        memory.sort_by(|a, b| b.total_cmp(a));
        let most = problem.max_devices.unwrap_or(usize::MAX);
        let have: f64 = memory.iter().take(most).sum();
        let nearest_bytes = nearest(problem);
        let is_unlinked = need <= have && has_plan(&fully_linked(problem));
        let missing_bytes = if need > have {
            need - have
        } else if is_unlinked {
            0.0
        } else {
            // Together they have enough, but a layer is not cut: what is left over is what one more device must take.
            nearest_bytes.unwrap_or(0.0)
        };
        Self {
            missing_bytes,
            is_unlinked,
            nearest_bytes,
            workers: costs.devices(),
            most: problem.max_devices,
        }
    }

    /// "3.1 GB short; nearest: add one device of 3.4 GB".
    pub(super) fn sentence(&self, problem: &Problem, is_proven: bool) -> String {
        let refused = problem.devices.len() - self.workers;
        let what = if self.is_unlinked {
            "the memory is enough, but no links join the devices that have it".to_owned()
        } else if self.missing_bytes > 0.0 {
            format!("{} short", words::bytes(self.missing_bytes))
        } else {
            "the memory is in pieces that hold too few whole layers".to_owned()
        };
        let doubt = if is_proven { "" } else { "no plan was found in time; perhaps " };
        let nearest = self.nearest_bytes.map_or_else(String::new, |bytes| {
            format!("; nearest: add one device of {}", words::bytes(bytes))
        });
        let more = self.most.filter(|&most| most < self.workers).map_or_else(String::new, |most| {
            format!(", or allow more than {most} of the {} devices", self.workers)
        });
        let idle = match refused {
            0 => String::new(),
            _ => format!(" ({refused} of {} devices may not or cannot work)", problem.devices.len()),
        };
        format!("{doubt}{what}{nearest}{more}{idle}")
    }
}

/// The least memory, in whole layers, of one more device as fast as the others that makes a plan possible.
fn nearest(problem: &Problem) -> Option<f64> {
    let layers = &problem.model.layers;
    let whole: f64 = layers.iter().map(|layer| layer_need(problem, layer)).sum::<f64>()
        + problem.model.embedding_bytes
        + problem.model.head_bytes;
    let mut costs = Costs::new(&with_device(problem, whole)?);
    let one_more = costs.devices().checked_sub(1)?;
    let mut helps = |bytes: f64| {
        costs.memory[one_more] = bytes;
        has_plan(&costs)
    };
    // One device for everything always does, unless devices are too many; halve from there.
    let (mut low, mut best) = (0.0, helps(whole).then_some(whole)?);
    while best - low > best * ADVICE_WITHIN {
        let middle = (low + (best - low) / 2.0).ceil();
        if middle >= best {
            break;
        }
        if helps(middle) {
            best = middle;
        } else {
            low = middle;
        }
    }
    Some(best)
}

/// Whether a plan is found at once: this is for advice, and not worth a search.
fn has_plan(costs: &Costs) -> bool {
    let deadline = Deadline::new(&|| Duration::ZERO, Duration::ZERO);
    solve(costs, deadline).best.is_some()
}

/// The problem as if every device reached every other.
fn fully_linked(problem: &Problem) -> Costs {
    let hop = problem.hop(Some(LinkSpeed { latency_s: 0.0, bytes_per_s: 1e12 }));
    Costs::joined(problem, vec![hop; problem.devices.len() * problem.devices.len()])
}

/// The problem with one more device, in place of the smallest if there are as many as can be.
fn with_device(problem: &Problem, memory_bytes: f64) -> Option<Problem> {
    let mut extended = problem.clone();
    let heaviest = heaviest(problem);
    let model = extended.devices.iter().find(|device| usable(problem, &heaviest, device).is_ok());
    let (flops_per_s, memory_bytes_per_s) =
        model.map_or((1e12, 1e11), |device| (device.flops_per_s, device.memory_bytes_per_s));
    let mut id = "one more".to_owned();
    while extended.devices.iter().any(|device| device.id == id) {
        id.push('+');
    }
    let device =
        Device { id, memory_bytes, flops_per_s, memory_bytes_per_s, thermal_factor: 1.0, allowed: true };
    if extended.devices.len() == MAX_DEVICES {
        let by_memory = |a: &&Device, b: &&Device| a.memory_bytes.total_cmp(&b.memory_bytes);
        let smallest = extended.devices.iter().min_by(by_memory).map(|device| device.id.clone())?;
        extended.devices.retain(|device| device.id != smallest);
        extended.links.retain(|link| link.from != smallest && link.to != smallest);
    }
    extended.devices.push(device);
    extended.check().is_ok().then_some(extended)
}
