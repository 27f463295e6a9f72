//! Every layer split equally over several devices, instead of layers one after the other.
//!
//! * n devices, where n divides the heads of keys and values and the hidden size; each holds 1/n of everything
//! * a layer takes as long as on the slowest of them, divided by n; so does the head
//! * after attention and after the feed-forward part all devices add up their activations: two all-reduces a layer. A
//!   ring does one in `2 (n - 1)` steps of `activation_bytes / n`, each as slow as the slowest link of the ring.
//!
//! A token is done before the next begins, so latency and throughput cost the same.

use super::{
    cost::{Costs, head_time, layer_time, links},
    problem::{Layer, LinkSpeed, Problem, Tensor},
};

/// Rings of so many devices are improved by exchanging members.
const EXCHANGES: usize = 64;

/// A split, and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Split {
    /// Devices in the order of the ring, counted among those that can work.
    pub(super) devices: Vec<usize>,
    pub(super) cost: f64,
}

/// The best split that was found, and what none can cost less than.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Splits {
    pub(super) best: Option<Split>,
    pub(super) lower_bound: f64,
}

/// Bytes that each of `parts` devices holds.
pub(super) fn share(costs: &Costs, parts: usize) -> f64 {
    (costs.need(0, costs.layers) + costs.embedding + costs.head) / parts as f64
}

/// Splits for every number of devices that divides what must be divided.
pub(super) fn best(problem: &Problem, costs: &Costs, tensor: Tensor) -> Splits {
    let steps = Steps::new(problem, costs);
    let mut splits = Splits { best: None, lower_bound: f64::INFINITY };
    let most = problem.max_devices.unwrap_or(usize::MAX).min(costs.devices());
    for parts in (2..=most).filter(|&parts| divides(tensor, parts)) {
        let holders: Vec<usize> =
            (0..costs.devices()).filter(|&device| share(costs, parts) <= costs.memory[device]).collect();
        if holders.len() < parts {
            continue;
        }
        splits.lower_bound = splits.lower_bound.min(steps.floor(&holders, parts));
        let found = steps.ring(holders, parts);
        if found.cost.is_finite() && splits.best.as_ref().is_none_or(|best| found.cost < best.cost) {
            splits.best = Some(found);
        }
    }
    splits
}

fn divides(tensor: Tensor, parts: usize) -> bool {
    tensor.kv_heads.is_multiple_of(parts as u64) && tensor.hidden_size.is_multiple_of(parts as u64)
}

/// What the steps of a split take.
struct Steps<'a> {
    problem: &'a Problem,
    costs: &'a Costs,
    /// Layers that differ, and how often each occurs.
    layers: Vec<(Layer, f64)>,
    /// By sender and receiver, of all devices of the problem.
    links: Vec<Option<LinkSpeed>>,
}

impl<'a> Steps<'a> {
    fn new(problem: &'a Problem, costs: &'a Costs) -> Self {
        let all = &problem.model.layers;
        let layers = match all.first() {
            Some(&layer) if costs.alike => vec![(layer, all.len() as f64)],
            _ => all.iter().map(|&layer| (layer, 1.0)).collect(),
        };
        Self { problem, costs, layers, links: links(problem, |link| link) }
    }

    /// Seconds of one message of a ring.
    fn message(&self, from: usize, to: usize, parts: usize) -> f64 {
        let place = |device: usize| self.costs.usable[device];
        let link = self.links[place(from) * self.problem.devices.len() + place(to)];
        link.map_or(f64::INFINITY, |link| link.seconds(self.problem.model.activation_bytes / parts as f64))
    }

    /// Seconds of all steps of all rings, if the slowest message takes so long.
    fn reducing(&self, message: f64, parts: usize) -> f64 {
        message * (2 * (parts - 1)) as f64 * (2 * self.costs.layers) as f64
    }

    /// Seconds of all layers and the head, each as slow as `slowest` says.
    fn computing(&self, parts: usize, slowest: impl Fn(&dyn Fn(usize) -> f64) -> f64) -> f64 {
        let device = |index: usize| &self.problem.devices[self.costs.usable[index]];
        let layers = self
            .layers
            .iter()
            .map(|(layer, times)| times * slowest(&|index| layer_time(layer, device(index))));
        let head = slowest(&|index| head_time(self.problem, device(index)));
        (layers.sum::<f64>() + head) / parts as f64
    }

    fn cost(&self, ring: &[usize]) -> f64 {
        let parts = ring.len();
        let message =
            (0..parts).map(|at| self.message(ring[at], ring[(at + 1) % parts], parts)).fold(0.0, f64::max);
        let slowest = |time: &dyn Fn(usize) -> f64| ring.iter().map(|&index| time(index)).fold(0.0, f64::max);
        self.computing(parts, slowest) + self.reducing(message, parts)
    }

    /// No split into so many parts is faster: each layer on the devices that are fastest for it, the fastest link.
    fn floor(&self, holders: &[usize], parts: usize) -> f64 {
        let slowest = |time: &dyn Fn(usize) -> f64| {
            let mut times: Vec<f64> = holders.iter().map(|&index| time(index)).collect();
            *times.select_nth_unstable_by(parts - 1, f64::total_cmp).1
        };
        let pairs = holders.iter().flat_map(|&from| holders.iter().map(move |&to| (from, to)));
        let message = pairs
            .filter(|(from, to)| from != to)
            .map(|(from, to)| self.message(from, to, parts))
            .fold(f64::INFINITY, f64::min);
        self.computing(parts, slowest) + self.reducing(message, parts)
    }

    /// A ring of the fastest holders, nearest next, with members exchanged while that helps.
    fn ring(&self, mut holders: Vec<usize>, parts: usize) -> Split {
        let whole =
            |device: usize| self.costs.time(device, 0, self.costs.layers) + self.costs.head_time[device];
        holders.sort_by(|&a, &b| whole(a).total_cmp(&whole(b)));
        let mut ring = self.nearest_next(&holders[..parts], parts);
        let mut cost = self.cost(&ring);
        for _ in 0..EXCHANGES {
            let exchanges = holders.iter().take(2 * EXCHANGES).filter(|device| !ring.contains(device));
            let exchanged = exchanges.flat_map(|&device| {
                let ring = &ring;
                (0..parts.min(EXCHANGES)).map(move |at| {
                    let mut members = ring.clone();
                    members[at] = device;
                    members
                })
            });
            let better = exchanged.map(|members| (self.cost(&members), members)).find(|other| other.0 < cost);
            match better {
                Some(better) => (cost, ring) = better,
                None => break,
            }
        }
        Split { devices: ring, cost }
    }

    fn nearest_next(&self, members: &[usize], parts: usize) -> Vec<usize> {
        let mut left = members.to_vec();
        let mut ring = vec![left.swap_remove(0)];
        while let Some(&at) = ring.last().filter(|_| !left.is_empty()) {
            let message = |index: usize| self.message(at, left[index], parts);
            let nearest = (0..left.len()).min_by(|&a, &b| message(a).total_cmp(&message(b)));
            ring.push(left.swap_remove(nearest.unwrap_or_default()));
        }
        ring
    }
}
