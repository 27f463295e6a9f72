//! Exact plans by dynamic programming over sets of devices, for any links and any layers.
//!
//! For a first device, the table holds the door (see [`super::door`]) of each device of each set: the set that a token
//! has passed is all that matters for what can follow, not the order in which it was passed. What cannot become better
//! than the best plan known is struck out as soon as it shows.

use super::{
    bound::Bound,
    clock::Deadline,
    cost::Costs,
    door::{close, first_door, join, squeeze, walk},
    plan::{Costed, Plan, Stage},
    problem::Objective,
};

/// The most cells of the table: 64 MiB.
const MAX_CELLS: usize = 8 << 20;
/// Tables of so few cells take well below a millisecond a cell row: they never look at the clock.
const SMALL_CELLS: usize = 1 << 13;
/// Operations that surely fit into a millisecond.
const STEPS_PER_MS: f64 = 250_000.0;
/// Sets between two looks at the clock.
const SETS_PER_LOOK: usize = 64;

/// How the search ended.
pub(super) struct Outcome {
    /// The best plan known now.
    pub(super) best: Option<Costed>,
    /// Whether nothing is better.
    pub(super) complete: bool,
}

/// Whether the table fits into memory and the work into the time.
pub(super) fn is_affordable(costs: &Costs, chosen: &[usize], deadline: &Deadline<'_>) -> bool {
    let others = chosen.len().saturating_sub(1);
    if others > 20 {
        return false;
    }
    let cells = (others << others) * costs.layers;
    let steps = (cells * (others + 4)) as f64 / 4.0 * chosen.len() as f64;
    let ms = deadline.left().as_secs_f64() * 1e3;
    cells <= SMALL_CELLS || cells <= MAX_CELLS && steps <= ms * STEPS_PER_MS
}

/// The best plan of several stages on `chosen` devices, if it is better than the one known.
pub(super) fn best(
    costs: &Costs,
    bound: &Bound,
    chosen: &[usize],
    known: Option<Costed>,
    deadline: &Deadline<'_>,
) -> Outcome {
    let mut best = known;
    if costs.most < 2 {
        return Outcome { best, complete: true };
    }
    let mut table = Table::new(costs, bound, chosen);
    for first in 0..chosen.len() {
        if !table.search(first, &mut best, deadline) {
            return Outcome { best, complete: false };
        }
    }
    Outcome { best, complete: true }
}

struct Table<'a> {
    costs: &'a Costs,
    bound: &'a Bound,
    chosen: &'a [usize],
    /// Whether a device is chosen.
    is_chosen: Vec<bool>,
    /// The chosen ones without the first.
    others: Vec<usize>,
    /// Doors by (set of others, device of the set, layer).
    doors: Vec<f64>,
    first: usize,
    /// What a plan must cost less than.
    limit: f64,
    sums: Vec<f64>,
    done: Vec<f64>,
    queue: Vec<(f64, usize)>,
}

/// Where the best plan ends.
#[derive(Clone, Copy)]
struct End {
    set: usize,
    device: usize,
    start: usize,
}

impl<'a> Table<'a> {
    fn new(costs: &'a Costs, bound: &'a Bound, chosen: &'a [usize]) -> Self {
        let mut is_chosen = vec![false; costs.devices()];
        for &device in chosen {
            is_chosen[device] = true;
        }
        let others = chosen.len() - 1;
        Self {
            costs,
            bound,
            chosen,
            is_chosen,
            others: Vec::new(),
            doors: vec![f64::INFINITY; (others << others) * costs.layers],
            first: 0,
            limit: f64::INFINITY,
            sums: vec![0.0; costs.layers],
            done: vec![0.0; costs.layers],
            queue: Vec::new(),
        }
    }

    /// Looks for a better plan that begins at one device; false if time was up before all were seen.
    fn search(&mut self, first: usize, best: &mut Option<Costed>, deadline: &Deadline<'_>) -> bool {
        self.first = self.chosen[first];
        self.others = self.chosen.iter().copied().filter(|&device| device != self.first).collect();
        self.limit = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
        self.doors.fill(f64::INFINITY);
        let is_small = self.doors.len() <= SMALL_CELLS;

        let mut complete = true;
        let mut end = None;
        let mut door = first_door(self.costs);
        self.strike_out(0, self.first, &mut door);
        self.step(0, self.first, &door);
        for set in 1..1_usize << self.others.len() {
            if !is_small && set % SETS_PER_LOOK == 0 && deadline.has_passed() {
                complete = false;
                break;
            }
            for bit in bits(set) {
                door.copy_from_slice(self.door(set, bit));
                if door.iter().all(|&cost| cost >= self.limit) {
                    continue;
                }
                let device = self.others[bit];
                if let Some((cost, start)) =
                    close(self.costs, device, (0, &door), self.costs.hop(device, self.first))
                    && cost < self.limit
                {
                    self.limit = cost;
                    end = Some(End { set, device: bit, start });
                }
                // Another device must fit behind this one, as the last.
                if (set.count_ones() as usize) + 2 <= self.costs.most
                    && self.strike_out(set, device, &mut door)
                {
                    self.step(set, device, &door);
                }
            }
        }
        let plan = end.map(|end| self.plan(end));
        let found = plan.and_then(|plan| self.costs.of(&plan).map(|cost| Costed { plan, cost }));
        *best = Costed::better(best.take(), found);
        complete
    }

    fn row(&self, set: usize, bit: usize) -> usize {
        (set * self.others.len() + bit) * self.costs.layers
    }

    fn door(&self, set: usize, bit: usize) -> &[f64] {
        let row = self.row(set, bit);
        &self.doors[row..row + self.costs.layers]
    }

    /// Strikes out the beginnings from which no plan can cost less than the limit; whether any is left.
    fn strike_out(&mut self, set: usize, device: usize, door: &mut [f64]) -> bool {
        let mut passed = vec![false; self.costs.devices()];
        passed[self.first] = true;
        bits(set).for_each(|bit| passed[self.others[bit]] = true);
        let free = |other: usize| self.is_chosen[other] && !passed[other];
        let forced = [(device, self.bound.hop(device))];
        match self.costs.objective {
            Objective::Latency => {
                self.bound.sums(free, &forced, self.bound.head(), &mut self.sums);
                for (cost, rest) in door.iter_mut().zip(&self.sums) {
                    if *cost + rest >= self.limit {
                        *cost = f64::INFINITY;
                    }
                }
            }
            Objective::Throughput => {
                let most = self.costs.most - 1 - set.count_ones() as usize;
                let capacity = self.bound.capacity(free, &forced, most, self.limit.min(f64::MAX));
                for (cost, &weight) in door.iter_mut().zip(self.bound.weight_from()) {
                    if *cost >= self.limit || weight > capacity {
                        *cost = f64::INFINITY;
                    }
                }
            }
        }
        door.iter().any(|&cost| cost < f64::INFINITY)
    }

    /// From the door of a device to the doors of all that are not in the set.
    fn step(&mut self, set: usize, device: usize, door: &[f64]) {
        let layers = self.costs.layers;
        if self.costs.objective == Objective::Latency {
            walk(self.costs, device, (0, door), &mut self.queue, (0, &mut self.done));
        }
        for bit in (0..self.others.len()).filter(|bit| set & (1 << bit) == 0) {
            let hop = self.costs.hop(device, self.others[bit]);
            let row = self.row(set | (1 << bit), bit);
            let next = &mut self.doors[row..row + layers];
            match self.costs.objective {
                Objective::Latency => {
                    for (next, done) in next.iter_mut().zip(&self.done) {
                        *next = next.min(done + hop);
                    }
                }
                Objective::Throughput => squeeze(self.costs, device, door, hop, self.limit, next),
            }
        }
    }

    /// Finds the way back from the end of the best plan: which device came before, and where it began.
    fn plan(&self, end: End) -> Plan {
        let End { mut set, device: mut bit, mut start } = end;
        let mut ends = vec![(self.others[bit], self.costs.layers)];
        loop {
            let device = self.others[bit];
            set &= !(1 << bit);
            if set == 0 {
                ends.push((self.first, start));
                break;
            }
            let mut before = (f64::INFINITY, 0, 0);
            for other in bits(set) {
                let hop = self.costs.hop(self.others[other], device);
                for (begin, &cost) in self.door(set, other)[..start].iter().enumerate() {
                    let stage = Stage { device: self.others[other], start: begin, end: start };
                    let spent = self.costs.time(stage.device, begin, start) + hop;
                    let cost = join(self.costs.objective, cost, spent);
                    if cost < before.0 && self.costs.fits(&stage) {
                        before = (cost, other, begin);
                    }
                }
            }
            if before.0 == f64::INFINITY {
                // Only a table that contradicts itself has no way back; the check of the plan then refuses it.
                break;
            }
            ends.push((self.others[before.1], start));
            (bit, start) = (before.1, before.2);
        }
        ends.reverse();
        Plan::of_ends(ends)
    }
}

/// The members of a set.
fn bits(mut set: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            bit
        })
    })
}
