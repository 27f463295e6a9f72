//! Hosts where a cluster was found before.

use std::{
    collections::VecDeque,
    net::{IpAddr, Ipv4Addr},
};

const MOST: usize = 8;

/// A few hosts, the latest first.
#[derive(Debug)]
pub(super) struct KnownHosts(VecDeque<Ipv4Addr>);

impl KnownHosts {
    pub(super) fn of(past: &[IpAddr]) -> Self {
        let mut hosts = Self(VecDeque::new());
        for ip in past.iter().rev() {
            hosts.remember(*ip);
        }
        hosts
    }

    pub(super) fn remember(&mut self, ip: IpAddr) {
        let IpAddr::V4(ip) = ip else { return };
        self.0.retain(|known| *known != ip);
        self.0.push_front(ip);
        self.0.truncate(MOST);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Ipv4Addr> {
        self.0.iter().copied()
    }
}
