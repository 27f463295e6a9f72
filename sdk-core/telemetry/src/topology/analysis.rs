//! What the links make of the cluster.

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BinaryHeap},
};

use serde::Serialize;

use super::{Figure, Link, Topology, echoes::median};
use crate::reading::Reading;

/// A link of the widest tree that carries less than this part of the median is a bottleneck. Not of the average, which
/// one Thunderbolt cable would lift above everything else.
const NARROW: f64 = 0.5;

/// What the links make of the cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    /// How many parts cannot reach each other. One is good.
    pub parts: usize,
    /// The two devices farthest from each other, by round trip along the fastest path; none if no latency is known.
    pub diameter: Option<Diameter>,
    /// Bytes a second, over all directions of all links that were measured; none if none was.
    pub average_bandwidth: Option<f64>,
    /// Links that hold the cluster back, slowest first.
    pub bottlenecks: Vec<Bottleneck>,
    /// Devices without which a part falls apart, by name.
    pub cut_devices: Vec<String>,
}

/// The two devices farthest from each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diameter {
    /// One end.
    pub from: String,
    /// The other.
    pub to: String,
    /// Links between them.
    pub hops: usize,
    /// Ordered there and back.
    pub round_trip: f64,
}

/// A link that holds the cluster back: every other way between its two sides is no faster, and it carries less than
/// half of what the middle one of all links does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bottleneck {
    /// One end.
    pub from: String,
    /// The other.
    pub to: String,
    /// Its slower direction, in bytes a second.
    pub bandwidth: f64,
}

impl Topology {
    /// Looks at the whole.
    pub fn analyse(&self) -> Analysis {
        let graph = Graph::of(self);
        let mut rates: Vec<f64> = self.links().flat_map(|link| both(link).into_iter().flatten()).collect();
        let average = (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64);
        rates.sort_by(f64::total_cmp);
        let narrow = median(&rates).value * NARROW;
        let (parts, cut) = graph.parts_and_cut_devices();
        Analysis {
            parts,
            diameter: graph.diameter(),
            average_bandwidth: average,
            bottlenecks: graph.bottlenecks(narrow),
            cut_devices: cut.into_iter().map(|index| graph.name(index)).collect(),
        }
    }
}

fn both(link: &Link) -> [Option<f64>; 2] {
    let value =
        |reading: &Reading<Figure>| reading.get().map(|figure| figure.value).filter(|rate| rate.is_finite());
    [value(&link.bandwidth_up), value(&link.bandwidth_down)]
}

/// The topology with numbers instead of names.
struct Graph<'a> {
    names: Vec<&'a str>,
    /// For each device its links: to whom, round trip, slower direction.
    edges: Vec<Vec<Edge>>,
}

#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    round_trip: Option<f64>,
    bandwidth: Option<f64>,
}

impl<'a> Graph<'a> {
    fn of(topology: &'a Topology) -> Self {
        let names: Vec<_> = topology.devices().collect();
        let index: BTreeMap<_, _> = names.iter().enumerate().map(|(index, name)| (*name, index)).collect();
        let mut edges = vec![Vec::new(); names.len()];
        for link in topology.links() {
            let (Some(&from), Some(&to)) = (index.get(link.from.as_str()), index.get(link.to.as_str()))
            else {
                continue;
            };
            let bandwidth = both(link).into_iter().flatten().reduce(f64::min);
            let round_trip = link.latency_p50.get().map(|figure| figure.value).filter(|time| *time >= 0.0);
            edges[from].push(Edge { to, round_trip, bandwidth });
            edges[to].push(Edge { to: from, round_trip, bandwidth });
        }
        Self { names, edges }
    }

    fn name(&self, index: usize) -> String {
        self.names[index].to_owned()
    }

    fn diameter(&self) -> Option<Diameter> {
        let mut farthest: Option<Diameter> = None;
        for from in 0..self.names.len() {
            for (to, reached) in self.fastest_paths(from).into_iter().enumerate().skip(from + 1) {
                let Some((round_trip, hops)) = reached else { continue };
                if farthest.as_ref().is_none_or(|known| round_trip > known.round_trip) {
                    farthest = Some(Diameter { from: self.name(from), to: self.name(to), hops, round_trip });
                }
            }
        }
        farthest
    }

    /// The round trip and the hops to every device that can be reached over links with a known latency.
    fn fastest_paths(&self, from: usize) -> Vec<Option<(f64, usize)>> {
        let mut reached: Vec<Option<(f64, usize)>> = vec![None; self.names.len()];
        let mut open = BinaryHeap::from([Reverse((Ordered(0.0), 0, from))]);
        while let Some(Reverse((Ordered(time), hops, device))) = open.pop() {
            if reached[device].is_some() {
                continue;
            }
            reached[device] = Some((time, hops));
            for edge in &self.edges[device] {
                if let Some(step) = edge.round_trip.filter(|_| reached[edge.to].is_none()) {
                    open.push(Reverse((Ordered(time + step), hops + 1, edge.to)));
                }
            }
        }
        reached
    }

    /// The narrow links of the widest tree: Prim's way, always over the widest link that leads on.
    fn bottlenecks(&self, narrow: f64) -> Vec<Bottleneck> {
        let mut inside = vec![false; self.names.len()];
        let mut found = Vec::new();
        for start in 0..self.names.len() {
            let mut open = BinaryHeap::from([(Ordered(f64::INFINITY), Reverse(start), start)]);
            while let Some((Ordered(bandwidth), Reverse(to), from)) = open.pop() {
                if std::mem::replace(&mut inside[to], true) {
                    continue;
                }
                if bandwidth < narrow {
                    let (one, other) = (from.min(to), from.max(to));
                    found.push(Bottleneck { from: self.name(one), to: self.name(other), bandwidth });
                }
                for edge in self.edges[to].iter().filter(|edge| !inside[edge.to]) {
                    open.extend(edge.bandwidth.map(|rate| (Ordered(rate), Reverse(edge.to), to)));
                }
            }
        }
        found.sort_by(|one, other| one.bandwidth.total_cmp(&other.bandwidth));
        found
    }

    /// Tarjan's depth-first search, without recursion: a cluster may be a long chain, a phone's stack is short.
    fn parts_and_cut_devices(&self) -> (usize, Vec<usize>) {
        let count = self.names.len();
        let (mut order, mut low) = (vec![usize::MAX; count], vec![usize::MAX; count]);
        let mut cut = vec![false; count];
        let (mut clock, mut parts) = (0, 0);
        for root in 0..count {
            if order[root] != usize::MAX {
                continue;
            }
            parts += 1;
            let mut children_of_root = 0;
            // The device, whence it was reached, and how many of its links were followed.
            let mut path = vec![(root, root, 0)];
            while let Some((device, parent, followed)) = path.last_mut() {
                let (device, parent) = (*device, *parent);
                if order[device] == usize::MAX {
                    (order[device], low[device]) = (clock, clock);
                    clock += 1;
                }
                if let Some(edge) = self.edges[device].get(*followed) {
                    *followed += 1;
                    if order[edge.to] == usize::MAX {
                        path.push((edge.to, device, 0));
                    } else if edge.to != parent {
                        low[device] = low[device].min(order[edge.to]);
                    }
                    continue;
                }
                path.pop();
                if parent == root && device != root {
                    children_of_root += 1;
                } else if device != root && low[device] >= order[parent] {
                    cut[parent] = true;
                }
                low[parent] = low[parent].min(low[device]);
            }
            cut[root] = children_of_root > 1;
        }
        (parts, (0..count).filter(|device| cut[*device]).collect())
    }
}

/// A number that can be compared, for the heaps.
#[derive(Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
