//! The devices of a cluster and the links between them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Figure, Link, bare, echoes::median, figure::combined};
use crate::reading::{Reading, Timestamp};

/// The devices of a cluster and the links between them, whoever measured them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology {
    devices: BTreeSet<String>,
    /// One link a pair, under the names of its ends in order.
    links: BTreeMap<(String, String), Link>,
}

/// Where a device stands among the others: what a [`Candidate`](crate::score::Candidate) wants to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The median of its round trips to the others, in seconds.
    pub round_trip: Reading<f64>,
    /// The median of what it can send to the others, in bytes a second.
    pub bandwidth: Reading<f64>,
}

impl Topology {
    /// A cluster of which nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// A device is there, linked or not.
    pub fn add_device(&mut self, id: impl Into<String>) {
        self.devices.insert(id.into());
    }

    /// A device is gone, and its links with it.
    pub fn remove_device(&mut self, id: &str) {
        self.devices.remove(id);
        self.links.retain(|(one, other), _| one != id && other != id);
    }

    /// A link, and its ends. Of two descriptions of one link the one that was measured later stays. A link of a device
    /// to itself says nothing and is ignored.
    pub fn add_link(&mut self, link: Link) {
        if link.from == link.to {
            return;
        }
        self.devices.extend([link.from.clone(), link.to.clone()]);
        let key = ordered(&link.from, &link.to);
        match self.links.get(&key) {
            Some(known) if rank(known) > rank(&link) => {}
            _ => {
                self.links.insert(key, link);
            }
        }
    }

    /// All devices, by name.
    pub fn devices(&self) -> impl ExactSizeIterator<Item = &str> {
        self.devices.iter().map(String::as_str)
    }

    /// All links, by the names of their ends.
    pub fn links(&self) -> impl ExactSizeIterator<Item = &Link> {
        self.links.values()
    }

    /// The link between two devices, if there is one.
    pub fn link(&self, one: &str, other: &str) -> Option<&Link> {
        self.links.get(&ordered(one, other))
    }

    /// How long it takes to carry so many bytes from one device to another on the link between them.
    pub fn transfer_time(&self, from: &str, to: &str, bytes: u64, at: Timestamp) -> Reading<Figure> {
        match self.link(from, to) {
            Some(link) => link.transfer_time(from, bytes),
            None if from == to => Reading::measured(Figure::new(0.0, 0.0), at),
            None => Reading::unavailable(format!("no link between {from} and {to} is known"), at),
        }
    }

    /// Where a device stands among the others.
    pub fn position(&self, id: &str, at: Timestamp) -> Position {
        let links = || self.links().filter(|link| link.from == id || link.to == id);
        Position {
            round_trip: typical(links().map(|link| bare(&link.latency_p50)), at),
            bandwidth: typical(links().map(|link| bare(link.bandwidth_from(id))), at),
        }
    }
}

/// The median of what is known; as good as the weakest of it.
fn typical(readings: impl Iterator<Item = Reading<f64>>, at: Timestamp) -> Reading<f64> {
    let known: Vec<_> = readings.filter(|reading| reading.get().is_some_and(f64::is_finite)).collect();
    let mut values: Vec<f64> = known.iter().filter_map(Reading::get).collect();
    if values.is_empty() {
        return Reading::unavailable("no link was measured", at);
    }
    values.sort_by(f64::total_cmp);
    let sources: Vec<_> = known.iter().map(Reading::source).collect();
    bare(&combined(median(&values), &sources, || "from links measured a while ago".into(), at))
}

/// Which of two descriptions of a link to keep: the one with a bandwidth, then the newer one.
fn rank(link: &Link) -> (bool, Option<Timestamp>) {
    (link.bandwidth_up.get().is_some() || link.bandwidth_down.get().is_some(), link.measured_at())
}

fn ordered(one: &str, other: &str) -> (String, String) {
    if one <= other { (one.into(), other.into()) } else { (other.into(), one.into()) }
}
