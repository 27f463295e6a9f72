//! Exact plans where every layer is alike and a hop costs the same wherever it goes: only *how many* layers each device
//! runs matters, and which device is first and last, because those hold the embedding and the head.
//!
//! The two solvers take a hop for each *sender*. With the least hop of each device they bound general links from below.

mod latency;
mod throughput;

use super::{
    cost::Costs,
    plan::{Costed, Plan},
    problem::Objective,
};

/// A problem of counts.
#[derive(Debug)]
pub(super) struct Alike {
    layers: usize,
    most: usize,
    objective: Objective,
    devices: Vec<Counted>,
}

/// A device of such a problem.
#[derive(Debug, Clone, Copy)]
struct Counted {
    /// Seconds of one layer.
    unit: f64,
    /// Seconds of the head.
    head: f64,
    /// Seconds of the hop that leaves it.
    hop: f64,
    /// The most layers between two others, as the first, as the last, and as the only stage.
    room: [usize; 3],
    room_alone: usize,
}

/// What a stage is in a plan of several: the index of its room, and the bit that says that the plan has one.
const MIDDLE: usize = 0;
const FIRST: usize = 1;
const LAST: usize = 2;

impl Counted {
    /// Seconds that a role adds to the layers.
    fn extra(&self, role: usize) -> f64 {
        if role == LAST { self.hop + self.head } else { self.hop }
    }
}

impl Alike {
    /// Counts what fits where. `hops` is the hop that leaves each device.
    pub(super) fn new(costs: &Costs, hops: &[f64]) -> Self {
        let devices = (0..costs.devices())
            .map(|device| {
                let rooms = |extra| room(costs, device, extra);
                Counted {
                    unit: costs.time(device, 0, 1),
                    head: costs.head_time[device],
                    hop: hops[device],
                    room: [rooms(0.0), rooms(costs.embedding), rooms(costs.head)],
                    room_alone: rooms(costs.embedding + costs.head),
                }
            })
            .collect();
        Self { layers: costs.layers, most: costs.most, objective: costs.objective, devices }
    }

    /// The best plan; `None` if there is none. The cost of several stages counts the hop of each sender.
    pub(super) fn best(&self) -> Option<Costed> {
        let several = match self.objective {
            Objective::Latency => latency::best(self),
            Objective::Throughput => throughput::best(self),
        };
        Costed::better(self.best_alone(), several)
    }

    /// Whether [`Alike::best`] is exact: a limit on the number of stages takes memory that a phone may not have.
    pub(super) fn is_exact(&self) -> bool {
        self.objective == Objective::Throughput || latency::is_affordable(self)
    }

    fn best_alone(&self) -> Option<Costed> {
        let fits = self.devices.iter().enumerate().filter(|(_, device)| device.room_alone >= self.layers);
        let costed = fits.map(|(index, device)| (self.layers as f64 * device.unit + device.head, index));
        let (cost, index) = costed.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Costed { plan: Plan::alone(index, self.layers), cost })
    }
}

/// How many alike layers fit beside `extra` bytes.
fn room(costs: &Costs, device: usize, extra: f64) -> usize {
    let free = costs.memory[device] - extra;
    let unit = costs.need(0, 1);
    if free < 0.0 {
        return 0;
    }
    if unit == 0.0 {
        return costs.layers;
    }
    let mut count = ((free / unit) as usize).min(costs.layers);
    // A quotient is rounded; the check of a plan is not.
    while count > 0 && count as f64 * unit + extra > costs.memory[device] {
        count -= 1;
    }
    while count < costs.layers && (count + 1) as f64 * unit + extra <= costs.memory[device] {
        count += 1;
    }
    count
}
