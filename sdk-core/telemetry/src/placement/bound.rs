//! What no plan can be cheaper than.
//!
//! Each layer gets a *weight*: its time on the device that is fastest for it. A device then needs at least `pace`
//! seconds for each unit of weight, and has room for at most so many units. Dropping that stages are contiguous and
//! that layers are whole leaves a problem of filling: cheapest devices first. The hop of a device is spread over its
//! room, which is what a linear relaxation does.

use super::{
    cost::Costs,
    pace::{least_paces, least_times},
    plan::Stage,
    problem::Objective,
};

/// Rounding must not turn a bound into a lie.
const SLACK: f64 = 1e-9;

/// What the bounds of one problem share.
#[derive(Debug)]
pub(super) struct Bound {
    /// Weight of the layers from each layer on.
    weight_from: Vec<f64>,
    /// Seconds for each unit of weight, at least.
    pace: Vec<f64>,
    /// Units of weight, at most.
    room: Vec<f64>,
    /// The least hop that leaves each device.
    hop: Vec<f64>,
    /// Seconds of the head on the device that is fastest for it.
    head: f64,
    /// Devices by `price`, cheapest first.
    order: Vec<usize>,
    /// `pace` with the hop spread over the room.
    price: Vec<f64>,
}

/// A device that is surely in the plan, and the hop that it surely pays.
pub(super) type Forced = (usize, f64);

impl Bound {
    pub(super) fn new(costs: &Costs) -> Self {
        let devices = costs.devices();
        let (layers, rates) = costs.paces();
        // Alike layers are all told by the first.
        let told = if costs.alike { 1 } else { costs.layers };
        let mut weights = least_times(&layers[..told], rates);
        let paces = least_paces(&layers[..told], &weights, rates);
        weights.resize(costs.layers, weights[0]);
        let mut weight_from = vec![0.0; costs.layers + 1];
        for l in (0..costs.layers).rev() {
            weight_from[l] = weight_from[l + 1] + weights[l];
        }
        let hop = costs.least_hops();
        let (mut pace, mut room, mut price) = (Vec::new(), Vec::new(), Vec::new());
        let densities = weights[..told].iter().enumerate().filter(|&(_, &weight)| weight > 0.0);
        let densest =
            densities.map(|(layer, &weight)| weight / costs.need(layer, layer + 1)).fold(0.0, f64::max);
        for device in 0..devices {
            let slowest_pace = paces[device];
            // Alike layers come whole.
            let memory = match costs.memory[device] {
                memory if costs.alike && costs.need(0, 1) > 0.0 => {
                    (memory / costs.need(0, 1) * (1.0 + SLACK)).floor() * costs.need(0, 1)
                }
                memory => memory,
            };
            let units = if densest.is_finite() { memory * densest * (1.0 + SLACK) } else { f64::INFINITY };
            let holds = (0..costs.layers).any(|start| costs.fits(&Stage { device, start, end: start + 1 }));
            let units = if holds { units.min(weight_from[0] * (1.0 + SLACK)) } else { 0.0 };
            pace.push(if slowest_pace.is_finite() { slowest_pace * (1.0 - SLACK) } else { 0.0 });
            price.push(pace[device] + if units > 0.0 { hop[device] / units } else { 0.0 });
            room.push(units);
        }
        let mut order: Vec<usize> = (0..devices).filter(|&device| room[device] > 0.0).collect();
        order.sort_by(|&a, &b| price[a].total_cmp(&price[b]));
        let head = costs.head_time.iter().copied().fold(f64::INFINITY, f64::min);
        Self { weight_from, pace, room, hop, head, order, price }
    }

    /// Devices that can hold a layer, the cheapest for each layer with its hop first.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The least hop that leaves a device.
    pub(super) fn hop(&self, device: usize) -> f64 {
        self.hop[device]
    }

    /// For each layer, the least sum of doing it and all that follow with several stages on devices that are `free`, or
    /// forced. `head` is what the head takes at least.
    pub(super) fn sums(&self, free: impl Fn(usize) -> bool, forced: &[Forced], head: f64, sums: &mut [f64]) {
        let fixed = head + forced.iter().map(|&(_, hop)| hop).sum::<f64>();
        let is_forced = |device: usize| forced.iter().any(|&(other, _)| other == device);
        let mut forced: Vec<(f64, usize)> =
            forced.iter().map(|&(device, _)| (self.pace[device], device)).collect();
        forced.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut forced = forced.into_iter().peekable();
        let mut others =
            self.order.iter().copied().filter(|&device| free(device) && !is_forced(device)).peekable();
        let mut cheapest = || match (forced.peek().copied(), others.peek().copied()) {
            (Some((pace, device)), Some(other)) if pace <= self.price[other] => {
                forced.next();
                Some((pace, self.room[device]))
            }
            (_, Some(other)) => {
                others.next();
                Some((self.price[other], self.room[other]))
            }
            (Some((pace, device)), None) => {
                forced.next();
                Some((pace, self.room[device]))
            }
            (None, None) => None,
        };
        let (mut filled, mut paid) = (0.0, 0.0);
        let (mut price, mut room) = (0.0, 0.0);
        for layer in (0..sums.len()).rev() {
            let weight = self.weight_from[layer];
            while filled + room < weight {
                filled += room;
                paid += room * price;
                let Some(next) = cheapest() else {
                    // Whatever is heavier has no room at all.
                    sums[..=layer].fill(f64::INFINITY);
                    return;
                };
                (price, room) = next;
            }
            sums[layer] = (fixed + paid + (weight - filled) * price) * (1.0 - 1e-13);
        }
    }

    /// The weight that devices can do within a limit on each stage: at most `most` of them, besides those forced.
    pub(super) fn capacity(
        &self,
        free: impl Fn(usize) -> bool,
        forced: &[Forced],
        most: usize,
        limit: f64,
    ) -> f64 {
        let units = |device: usize, hop: f64| {
            let time = limit - hop;
            let pace = self.pace[device];
            if time < 0.0 {
                0.0
            } else if pace == 0.0 {
                self.room[device]
            } else {
                self.room[device].min(time / pace)
            }
        };
        let sure: f64 = forced.iter().map(|&(device, hop)| units(device, hop)).sum();
        let is_forced = |device: usize| forced.iter().any(|&(other, _)| other == device);
        let others = self.order.iter().copied().filter(|&device| free(device) && !is_forced(device));
        let mut rest: Vec<f64> = others.map(|device| units(device, self.hop[device])).collect();
        if most < rest.len() {
            rest.sort_by(|a, b| b.total_cmp(a));
            rest.truncate(most);
        }
        (sure + rest.iter().sum::<f64>()) * (1.0 + SLACK)
    }

    /// Weight of the layers from each layer on.
    pub(super) fn weight_from(&self) -> &[f64] {
        &self.weight_from
    }

    /// Seconds of the head on the device that is fastest for it.
    pub(super) fn head(&self) -> f64 {
        self.head
    }

    /// The least that a plan of several stages can cost, whatever it is, if `forced` are in it.
    pub(super) fn of_several(&self, costs: &Costs, forced: &[Forced]) -> f64 {
        let mut door = vec![f64::INFINITY; costs.layers];
        door[0] = 0.0;
        self.of_door(costs, &door, |_| true, forced, costs.most, self.head)
    }

    /// The least that any plan can cost that goes on from a door.
    pub(super) fn of_door(
        &self,
        costs: &Costs,
        door: &[f64],
        free: impl Fn(usize) -> bool,
        forced: &[Forced],
        most: usize,
        head: f64,
    ) -> f64 {
        match costs.objective {
            Objective::Latency => {
                let mut sums = vec![0.0; costs.layers];
                self.sums(free, forced, head, &mut sums);
                let whole = door.iter().zip(&sums).map(|(before, rest)| before + rest);
                whole.fold(f64::INFINITY, f64::min)
            }
            Objective::Throughput => self.least_limit(door, free, forced, most),
        }
    }

    /// The least limit that some beginning keeps and the capacity of the devices allows.
    fn least_limit(&self, door: &[f64], free: impl Fn(usize) -> bool, forced: &[Forced], most: usize) -> f64 {
        let kept = |limit: f64| {
            let capacity = self.capacity(&free, forced, most, limit);
            door.iter().zip(&self.weight_from).any(|(&before, &weight)| before <= limit && weight <= capacity)
        };
        let paid = forced.iter().map(|&(_, hop)| hop).fold(0.0, f64::max);
        let mut high = door.iter().copied().filter(|before| before.is_finite()).fold(paid, f64::max);
        high = high.max(self.weight_from[0] * self.pace.iter().copied().fold(0.0, f64::max));
        high += self.order.iter().map(|&d| self.hop[d]).filter(|hop| hop.is_finite()).fold(0.0, f64::max);
        if !kept(high) {
            return f64::INFINITY;
        }
        let mut low = paid;
        for _ in 0..48 {
            let middle = low + (high - low) / 2.0;
            if kept(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        low
    }
}
