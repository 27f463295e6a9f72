//! The sum of layer times and hops, made least.
//!
//! Take two devices of a plan, and move layers from the slower to the faster until the faster is full or the slower is
//! empty: the sum does not grow, and a middle stage that became empty saves its hop. So some best plan has this form,
//! with devices sorted from fast to slow: *full* ones, then one device with *any* number of layers, then nothing but
//! a first or a last stage of *one* layer. A knapsack over the full ones, closed by each possible rest, finds it.

use super::{
    super::plan::{Costed, Plan},
    Alike, Counted, FIRST, LAST, MIDDLE,
};

/// Bits of the roles that a partial plan has filled.
const ROLES: usize = 4;
/// The most cells of the table of choices: 64 MiB.
const MAX_CELLS: usize = 64 << 20;

/// The cheapest plan of at least two stages. If counting stages is not affordable, it may have too many of them and is
/// a lower bound only.
pub(super) fn best(problem: &Alike) -> Option<Costed> {
    if problem.most < 2 {
        return None;
    }
    let unlimited = Knapsack::new(problem, None).solve();
    match &unlimited {
        Some(costed) if costed.plan.stages().len() > problem.most && is_affordable(problem) => {
            Knapsack::new(problem, Some(problem.most)).solve()
        }
        _ => unlimited,
    }
}

/// Whether the table of a limited number of stages stays within bounds.
pub(super) fn is_affordable(problem: &Alike) -> bool {
    let stages = if problem.most < problem.devices.len().min(problem.layers) { problem.most } else { 1 };
    let row = ROLES * (problem.layers + 1);
    problem.devices.len().saturating_mul(row).saturating_mul(stages) <= MAX_CELLS
}

struct Knapsack<'a> {
    problem: &'a Alike,
    /// From fast to slow, those that can hold a layer at all.
    order: Vec<usize>,
    /// Stages are counted up to this many; one row if they are not counted.
    counted: Option<usize>,
    /// The least cost of full stages by (stages, roles, layers).
    full: Vec<f64>,
    /// The role that a device took in that, by (device, stages, roles, layers); 0 if none.
    taken: Vec<u8>,
    /// Layers that fit into the devices before each position at most, and from it on.
    rooms_before: Vec<usize>,
    rooms_from: Vec<usize>,
    /// By missing roles and position: the cheapest stages of one layer from there on.
    singles: [Vec<Single>; ROLES],
}

/// Stages of one layer that fill what is missing.
#[derive(Debug, Clone, Copy)]
struct Single {
    cost: f64,
    first: usize,
    last: usize,
}

/// A whole plan: full stages up to a position, one stage of any length, stages of one layer.
#[derive(Debug, Clone, Copy)]
struct Closing {
    cost: f64,
    position: usize,
    role: usize,
    count: usize,
    stages: usize,
    roles: usize,
    layers: usize,
}

impl<'a> Knapsack<'a> {
    fn new(problem: &'a Alike, counted: Option<usize>) -> Self {
        let useful = |device: &Counted| device.room[MIDDLE] > 0 && device.hop.is_finite();
        let mut order: Vec<usize> =
            (0..problem.devices.len()).filter(|&index| useful(&problem.devices[index])).collect();
        order.sort_by(|&a, &b| problem.devices[a].unit.total_cmp(&problem.devices[b].unit));
        let block = ROLES * (problem.layers + 1) * counted.unwrap_or(1);
        let mut full = vec![f64::INFINITY; block];
        full[0] = 0.0;
        let singles = singles(problem, &order);
        let taken = vec![0; block * order.len()];
        let rooms = |at: usize| problem.devices[order[at]].room[MIDDLE];
        let mut rooms_before = vec![0; order.len() + 1];
        let mut rooms_from = vec![0; order.len() + 1];
        for at in 0..order.len() {
            rooms_before[at + 1] = problem.layers.min(rooms_before[at] + rooms(at));
        }
        for at in (0..order.len()).rev() {
            rooms_from[at] = problem.layers.min(rooms_from[at + 1] + rooms(at));
        }
        Self { problem, order, counted, full, taken, rooms_before, rooms_from, singles }
    }

    fn row(&self, stages: usize, roles: usize) -> usize {
        (stages * ROLES + roles) * (self.problem.layers + 1)
    }

    fn solve(mut self) -> Option<Costed> {
        let mut best = None;
        for position in 0..self.order.len() {
            self.close(position, &mut best);
            self.fill(position);
        }
        best.map(|closing| self.plan(&closing))
    }

    fn device(&self, position: usize) -> Counted {
        self.problem.devices[self.order[position]]
    }

    /// Ends every partial plan with the device at `position` as the stage of any length.
    fn close(&self, position: usize, best: &mut Option<Closing>) {
        let device = self.device(position);
        for roles in 0..ROLES {
            for role in [MIDDLE, FIRST, LAST] {
                let missing = !(roles | role) & (FIRST | LAST);
                let rest = self.singles[missing][position + 1].cost;
                let singles = missing.count_ones() as usize;
                if roles & role != 0 || rest == f64::INFINITY || self.problem.layers <= singles {
                    continue;
                }
                let whole = self.problem.layers - singles;
                let extra = rest + device.extra(role);
                // With this stage and the singles there may be at most as many stages as are counted.
                for stages in 0..self.counted.map_or(1, |most| most.saturating_sub(singles)) {
                    let row = &self.full[self.row(stages, roles)..][..whole];
                    for (back, &cost) in row.iter().rev().take(device.room[role]).enumerate() {
                        let count = back + 1;
                        let cost = cost + (count as f64 * device.unit + extra);
                        if best.is_none_or(|best| cost < best.cost) && cost < f64::INFINITY {
                            let layers = whole - count;
                            *best = Some(Closing { cost, position, role, count, stages, roles, layers });
                        }
                    }
                }
            }
        }
    }

    /// Lets the device at `position` be a full stage. Targets go from many to few and a row is its own source before
    /// it is a target, so that every source is still without this device.
    fn fill(&mut self, position: usize) {
        let device = self.device(position);
        let block = self.full.len();
        let (width, last_stages) = (self.problem.layers + 1, self.counted.unwrap_or(1) - 1);
        // Only so many layers can have been placed, and only so many can still be.
        let least = self.problem.layers - self.rooms_from[position + 1];
        let most = self.rooms_before[position + 1];
        for stages in (0..=last_stages).rev() {
            let Some(before) = (if self.counted.is_some() { stages.checked_sub(1) } else { Some(stages) })
            else {
                continue;
            };
            for roles in (0..ROLES).rev() {
                let target = self.row(stages, roles);
                for role in [MIDDLE, FIRST, LAST] {
                    let count = device.room[role];
                    if role & !roles != 0 || count == 0 || count >= width {
                        continue;
                    }
                    let source = self.row(before, roles & !role);
                    let added = count as f64 * device.unit + device.extra(role);
                    let taken = &mut self.taken[position * block + target..][..width];
                    for layers in (count.max(least)..=most).rev() {
                        let cost = self.full[source + layers - count] + added;
                        if cost < self.full[target + layers] {
                            self.full[target + layers] = cost;
                            taken[layers] = role as u8 + 1;
                        }
                    }
                }
            }
        }
    }

    fn plan(&self, closing: &Closing) -> Costed {
        let block = self.full.len();
        let missing = !(closing.roles | closing.role) & (FIRST | LAST);
        let single = self.singles[missing][closing.position + 1];
        let mut seats = vec![(closing.role, self.order[closing.position], closing.count)];
        if missing & FIRST != 0 {
            seats.push((FIRST, single.first, 1));
        }
        if missing & LAST != 0 {
            seats.push((LAST, single.last, 1));
        }
        let (mut stages, mut roles, mut layers) = (closing.stages, closing.roles, closing.layers);
        for position in (0..closing.position).rev() {
            let taken = self.taken[position * block + self.row(stages, roles) + layers];
            if taken == 0 {
                continue;
            }
            let role = taken as usize - 1;
            let count = self.device(position).room[role];
            seats.push((role, self.order[position], count));
            roles &= !role;
            layers -= count;
            stages -= usize::from(self.counted.is_some());
        }
        // The first stage leads, the last one ends, the others stand between.
        seats.sort_by_key(|&(role, _, _)| [1, 0, 2][role]);
        let plan = Plan::of_counts(seats.into_iter().map(|(_, device, count)| (device, count)));
        Costed { plan, cost: closing.cost }
    }
}

/// For each set of missing roles and each position, the cheapest stages of one layer at or after it.
fn singles(problem: &Alike, order: &[usize]) -> [Vec<Single>; ROLES] {
    const NONE: Single = Single { cost: f64::INFINITY, first: 0, last: 0 };
    let mut tables = [const { Vec::new() }; ROLES];
    for table in &mut tables {
        table.resize(order.len() + 1, NONE);
    }
    // The two cheapest of each role are enough to find the cheapest pair of different devices.
    let mut cheapest = [[(f64::INFINITY, 0); 2]; 2];
    tables[0][order.len()].cost = 0.0;
    for position in (0..order.len()).rev() {
        let index = order[position];
        let device = &problem.devices[index];
        for (slot, role) in [FIRST, LAST].into_iter().enumerate() {
            let cost = if device.room[role] > 0 { device.unit + device.extra(role) } else { f64::INFINITY };
            let two = &mut cheapest[slot];
            if cost < two[0].0 {
                *two = [(cost, index), two[0]];
            } else if cost < two[1].0 {
                two[1] = (cost, index);
            }
        }
        let [firsts, lasts] = cheapest;
        tables[0][position].cost = 0.0;
        tables[FIRST][position] = Single { cost: firsts[0].0, first: firsts[0].1, last: 0 };
        tables[LAST][position] = Single { cost: lasts[0].0, first: 0, last: lasts[0].1 };
        for (first_cost, first) in firsts {
            for (last_cost, last) in lasts {
                let cost = first_cost + last_cost;
                if first != last && cost < tables[FIRST | LAST][position].cost {
                    tables[FIRST | LAST][position] = Single { cost, first, last };
                }
            }
        }
    }
    tables
}
