//! Hosts where a cluster was found before.

use std::{
    collections::VecDeque,
    net::{IpAddr, Ipv4Addr},
};

const MOST_PAST: usize = 4;
const MOST_LATELY: usize = 4;

/// A few hosts. Those that the app remembers were joined once and stay; those that answered lately may be anybody, and
/// push out only each other.
#[derive(Debug)]
pub(super) struct KnownHosts {
    past: Vec<Ipv4Addr>,
    lately: VecDeque<Ipv4Addr>,
}

impl KnownHosts {
    pub(super) fn of(past: &[IpAddr]) -> Self {
        let v4 = |ip: &IpAddr| match ip {
            IpAddr::V4(v4) => Some(*v4),
            IpAddr::V6(_) => None,
        };
        Self { past: past.iter().filter_map(v4).take(MOST_PAST).collect(), lately: VecDeque::new() }
    }

    pub(super) fn answered(&mut self, ip: IpAddr) {
        let IpAddr::V4(ip) = ip else { return };
        if self.past.contains(&ip) {
            return;
        }
        self.lately.retain(|known| *known != ip);
        self.lately.push_front(ip);
        self.lately.truncate(MOST_LATELY);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Ipv4Addr> {
        self.past.iter().chain(&self.lately).copied()
    }
}
