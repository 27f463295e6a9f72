//! Branch and bound, for problems that no exact method can finish: better plans and a better lower bound for as long as
//! there is time.
//!
//! A node is the beginning of an order of devices; its door (see [`super::door`]) holds every way to cut it. The role
//! with the fewest candidates, first or last, is decided first. Devices that cannot be part of a better plan are taken
//! away before the search; within it, a node whose bound reaches the best plan is dropped, and so is one that another
//! order of the same devices passed at least as cheaply.

use std::collections::HashMap;

use super::{
    bound::Bound,
    clock::Deadline,
    cost::Costs,
    door::{close, first_door, squeeze, walk},
    plan::{Costed, Stage},
    problem::Objective,
    split::best_split,
};

/// Cells of remembered doors: 32 MiB.
const MEMORY_CELLS: usize = 4 << 20;

/// How the search ended.
pub(super) struct Outcome {
    /// The best plan known now.
    pub(super) best: Option<Costed>,
    /// What no plan on the given devices can cost less than.
    pub(super) lower_bound: f64,
}

/// A part of the search that is still open.
struct Node {
    bound: f64,
    first: Option<usize>,
    last: Option<usize>,
    /// The devices so far, from the first; empty while a role is open.
    order: Vec<usize>,
    door: Vec<f64>,
}

struct Search<'a> {
    costs: &'a Costs,
    bound: &'a Bound,
    chosen: &'a [usize],
    firsts: Vec<usize>,
    lasts: Vec<usize>,
    best: Option<Costed>,
    seen: HashMap<(Vec<u64>, usize, usize, usize), Vec<f64>>,
    queue: Vec<(f64, usize)>,
}

/// Searches the plans of several stages on `chosen` devices for one that is better than the one known.
pub(super) fn best(
    costs: &Costs,
    bound: &Bound,
    chosen: &[usize],
    known: Option<Costed>,
    deadline: &Deadline<'_>,
) -> Outcome {
    let holds = |start: usize, end: usize| {
        let fits = |&device: &usize| costs.fits(&Stage { device, start, end });
        chosen.iter().copied().filter(fits).collect::<Vec<_>>()
    };
    if costs.most < 2 {
        let lower_bound = known.as_ref().map_or(f64::INFINITY, |known| known.cost);
        return Outcome { best: known, lower_bound };
    }
    let mut search = Search {
        costs,
        bound,
        chosen,
        firsts: holds(0, 1),
        lasts: holds(costs.layers - 1, costs.layers),
        best: known,
        seen: HashMap::new(),
        queue: Vec::new(),
    };
    let root = Node { bound: 0.0, first: None, last: None, order: Vec::new(), door: Vec::new() };
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.bound >= search.limit() {
            continue;
        }
        if deadline.has_passed() {
            open.push(node);
            break;
        }
        let Some(mut children) = search.children(&node, deadline) else {
            open.push(node);
            break;
        };
        // The most promising child is looked at next.
        children.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        open.append(&mut children);
    }
    let limit = search.limit();
    let lower_bound = open.iter().map(|node| node.bound).fold(limit, f64::min);
    Outcome { best: search.best, lower_bound }
}

impl Search<'_> {
    /// What a plan must cost less than.
    fn limit(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.cost)
    }

    /// What a node divides into; `None` if time was up before that was known.
    fn children(&mut self, node: &Node, deadline: &Deadline<'_>) -> Option<Vec<Node>> {
        match (node.first, node.last) {
            (Some(first), Some(last)) => self.longer(node, first, last, deadline),
            _ => self.roles(node, deadline),
        }
    }

    /// Decides the open role that has the fewest candidates.
    fn roles(&self, node: &Node, deadline: &Deadline<'_>) -> Option<Vec<Node>> {
        let decide_first = match (node.first, node.last) {
            (None, None) => self.firsts.len() <= self.lasts.len(),
            (first, _) => first.is_none(),
        };
        let candidates = if decide_first { &self.firsts } else { &self.lasts };
        let taken = node.first.or(node.last);
        let mut nodes = Vec::new();
        for &device in candidates.iter().filter(|&&device| Some(device) != taken) {
            if deadline.has_passed() {
                return None;
            }
            let (first, last) =
                if decide_first { (Some(device), node.last) } else { (node.first, Some(device)) };
            let whole = first.is_some() && last.is_some();
            let order: Vec<usize> = first.filter(|_| whole).into_iter().collect();
            let child = Node { bound: 0.0, first, last, order, door: first_door(self.costs) };
            nodes.extend(self.bounded(child, node.bound));
        }
        Some(nodes)
    }

    /// Puts each free device behind the order, and closes it with the last.
    fn longer(
        &mut self,
        node: &Node,
        first: usize,
        last: usize,
        deadline: &Deadline<'_>,
    ) -> Option<Vec<Node>> {
        let device = *node.order.last()?;
        let costs = self.costs;
        let mut done = vec![0.0; costs.layers];
        if costs.objective == Objective::Latency {
            walk(costs, device, (0, &node.door), &mut self.queue, (0, &mut done));
        }
        let limit = self.limit();
        let door_of = |next: usize| {
            let hop = costs.hop(device, next);
            match costs.objective {
                Objective::Latency => done.iter().map(|done| done + hop).collect(),
                Objective::Throughput => {
                    let mut door = vec![f64::INFINITY; costs.layers];
                    squeeze(costs, device, &node.door, hop, limit, &mut door);
                    door
                }
            }
        };
        let closed = close(costs, last, (0, &door_of(last)), costs.hop(last, first));
        if closed.is_some_and(|(cost, _)| cost < limit) {
            self.settle(node, last);
        }
        if node.order.len() + 2 > costs.most {
            return Some(Vec::new());
        }
        let mut nodes = Vec::new();
        for &next in self.chosen.iter().filter(|&&next| next != last && !node.order.contains(&next)) {
            if deadline.has_passed() {
                return None;
            }
            let mut order = node.order.clone();
            order.push(next);
            let child = Node { bound: 0.0, first: Some(first), last: Some(last), order, door: door_of(next) };
            if let Some(child) = self.bounded(child, node.bound)
                && self.is_new(&child, first, last)
            {
                nodes.push(child);
            }
        }
        Some(nodes)
    }

    /// Takes the plan that ends at `last`, if it is the best.
    fn settle(&mut self, node: &Node, last: usize) {
        let mut order = node.order.clone();
        order.push(last);
        self.best = Costed::better(self.best.take(), best_split(self.costs, &order));
    }

    /// Gives a node its bound; `None` if nothing better can come of it.
    fn bounded(&self, mut node: Node, parent: f64) -> Option<Node> {
        let costs = self.costs;
        let mut forced = Vec::with_capacity(2);
        let current = node.order.last().copied().or(node.first);
        if let Some(device) = current {
            forced.push((device, self.bound.hop(device)));
        }
        if let Some(last) = node.last {
            forced.push((last, node.first.map_or(self.bound.hop(last), |first| costs.hop(last, first))));
        }
        let head = node.last.map_or(self.bound.head(), |last| costs.head_time[last]);
        let mut free = vec![false; costs.devices()];
        self.chosen.iter().for_each(|&device| free[device] = true);
        node.order.iter().for_each(|&device| free[device] = false);
        let most = costs.most.saturating_sub(node.order.len() + 1);
        let bound = self.bound.of_door(costs, &node.door, |device| free[device], &forced, most, head);
        node.bound = bound.max(parent);
        (node.bound < self.limit()).then_some(node)
    }

    /// Whether no other order of the same devices came as far at least as cheaply.
    fn is_new(&mut self, node: &Node, first: usize, last: usize) -> bool {
        let mut set = vec![0_u64; self.costs.devices().div_ceil(64)];
        node.order.iter().for_each(|&device| set[device / 64] |= 1 << (device % 64));
        let key = (set, node.order.last().copied().unwrap_or(first), first, last);
        match self.seen.get_mut(&key) {
            Some(door) if door.iter().zip(&node.door).all(|(seen, new)| seen <= new) => false,
            Some(door) => {
                door.iter_mut().zip(&node.door).for_each(|(seen, &new)| *seen = seen.min(new));
                true
            }
            None => {
                if (self.seen.len() + 1) * self.costs.layers <= MEMORY_CELLS {
                    self.seen.insert(key, node.door.clone());
                }
                true
            }
        }
    }
}
