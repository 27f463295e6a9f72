//! A unicast Hello to each host of our own private subnets: how a phone without multicast rights finds exo.
//!
//! The budget is fixed. Of each subnet the 254 nearest hosts are asked in two rounds, then in one round a minute; all
//! subnets together get less than 100 datagrams a second. Hosts where a cluster was found before are asked first and
//! then every two seconds, so that a cluster that comes back is not missed for a minute. A finding pauses the sweep.
//! It never leaves the subnet of an interface that may be searched: no public, cellular, VPN or point-to-point
//! address is ever asked.

mod field;
mod known;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use exo_wire::{Namespace, datagram::Nonce};

use self::{field::Field, known::KnownHosts};
use super::{
    Activity, Obstacle, Provider, ProviderStatus,
    obstacles::Obstacles,
    question::Question,
    seeker::{Refused, Seeker, Turn},
    subnet::Subnet,
};
use crate::{
    interface::{Interface, InterfaceKind},
    now::Moment,
};

/// Nine datagrams each tenth of a second: below 100 in any second, however it is cut.
const BATCH: usize = 9;
const PACE: Duration = Duration::from_millis(100);
/// How often hosts that are known are asked.
const KNOWN_PERIOD: Duration = Duration::from_secs(2);
/// How long a finding stops the sweep. If by then nobody said that we are joined, it did not do.
const PAUSE: Duration = Duration::from_secs(10);
/// A finding pauses it this often at most: a host that answers each second must not keep it from finding others.
const PAUSE_PERIOD: Duration = Duration::from_mins(1);
/// A host with more networks than this is no phone: the rest is not swept.
const MOST_SUBNETS: usize = 4;
/// Subnets that went away are remembered, so that one that flaps does not get a new budget each time.
const MOST_REMEMBERED: usize = 12;

/// The unicast Hello.
#[derive(Debug)]
pub(super) struct Sweep {
    port: u16,
    question: Question,
    fields: Vec<Field>,
    turn: usize,
    known: KnownHosts,
    /// Why interfaces are not swept.
    unfit: Vec<String>,
    searching: bool,
    next: Moment,
    known_due: Moment,
    paused: Option<Moment>,
    paused_until: Moment,
    /// Hosts asked the last time, and how many of them the system found no way to.
    asked: usize,
    unreachable: usize,
    found: Option<IpAddr>,
    obstacles: Obstacles,
}

impl Sweep {
    pub(super) fn new(namespace: Namespace, port: u16, past_hosts: &[IpAddr]) -> Self {
        Self {
            port,
            question: Question::about(namespace),
            fields: Vec::new(),
            turn: 0,
            known: KnownHosts::of(past_hosts),
            unfit: Vec::new(),
            searching: false,
            next: Moment::default(),
            known_due: Moment::default(),
            paused: None,
            paused_until: Moment::default(),
            asked: 0,
            unreachable: 0,
            found: None,
            obstacles: Obstacles::default(),
        }
    }

    fn subnets(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.is_present())
    }

    /// Hosts that are known and live in a subnet of ours.
    fn known_neighbours(&self) -> impl Iterator<Item = IpAddr> {
        let here = |ip: &Ipv4Addr| self.subnets().any(|field| field.subnet().holds(*ip));
        self.known.iter().filter(here).map(IpAddr::V4)
    }

    /// The next host of the next subnet that has one to ask: subnets take turns.
    fn next_host(&mut self, now: Moment) -> Option<IpAddr> {
        let count = self.fields.len();
        for step in 0..count {
            let at = self.turn.wrapping_add(step) % count;
            if let Some(host) = self.fields.get_mut(at).and_then(|field| field.next_host(now)) {
                self.turn = at + 1;
                return Some(IpAddr::V4(host));
            }
        }
        None
    }
}

impl Seeker for Sweep {
    fn provider(&self) -> Provider {
        Provider::Unicast
    }

    fn search(&mut self, turn: &mut Turn<'_>) {
        // A new search earns no new budget: rounds stay where they are. Hosts that are known are asked at once.
        if !self.searching {
            self.known_due = turn.now;
            self.paused = None;
        }
        self.searching = true;
        self.found = None;
        self.paused_until = turn.now;
    }

    fn rest(&mut self, _turn: &mut Turn<'_>) {
        self.question.forget();
        self.searching = false;
    }

    fn interfaces(&mut self, now: Moment, allowed: &[Interface], _all: &[Interface]) {
        self.unfit.clear();
        let mut wanted = Vec::new();
        for interface in allowed {
            match subnets_to_sweep(interface) {
                Ok(subnets) => wanted.extend(subnets.into_iter().map(|subnet| (interface, subnet))),
                Err(why) => self.unfit.push(why),
            }
        }
        if wanted.len() > MOST_SUBNETS {
            self.unfit.push(format!("{} more subnets, not swept", wanted.len() - MOST_SUBNETS));
            wanted.truncate(MOST_SUBNETS);
        }
        for field in &mut self.fields {
            match wanted.iter().find(|(interface, subnet)| field.is_of(interface.index, *subnet)) {
                Some((_, subnet)) => field.present(now, *subnet),
                None => field.gone(),
            }
        }
        for (interface, subnet) in wanted {
            if !self.fields.iter().any(|field| field.is_of(interface.index, subnet)) {
                self.fields.push(Field::new(now, interface, subnet));
            }
        }
        // The oldest go first; those that are present are never among them.
        while self.fields.len() > MOST_REMEMBERED {
            let Some(at) = self.fields.iter().position(|field| !field.is_present()) else { break };
            self.fields.remove(at);
        }
    }

    fn tick(&mut self, turn: &mut Turn<'_>) {
        self.next = turn.now + PACE;
        self.obstacles.trying();
        let mut hosts = Vec::with_capacity(BATCH);
        if turn.now >= self.known_due {
            self.known_due = turn.now + KNOWN_PERIOD;
            hosts.extend(self.known_neighbours());
        }
        while hosts.len() < BATCH && turn.now >= self.paused_until {
            let Some(host) = self.next_host(turn.now) else { break };
            hosts.push(host);
        }
        (self.asked, self.unreachable) = (hosts.len(), 0);
        for host in hosts {
            let hello = self.question.ask(turn.now, turn.random);
            turn.out.send(Provider::Unicast, SocketAddr::new(host, self.port), hello);
        }
    }

    fn deadline(&self) -> Option<Moment> {
        if !self.searching {
            return None;
        }
        let known = self.known_neighbours().next().map(|_| self.known_due);
        let sweep = self.subnets().map(Field::due).min().map(|due| due.max(self.paused_until));
        [known, sweep].into_iter().flatten().min().map(|due| due.max(self.next))
    }

    fn asked(&self, nonce: Nonce, now: Moment) -> bool {
        self.question.is_answered_by(nonce, now)
    }

    fn found(&mut self, now: Moment, at: IpAddr, by: Provider) {
        self.known.answered(at);
        if self.paused.is_none_or(|paused| now.since(paused) >= PAUSE_PERIOD) {
            self.paused = Some(now);
            self.paused_until = now + PAUSE;
        }
        if by == Provider::Unicast {
            self.found = Some(at);
        }
    }

    fn refused(&mut self, _now: Moment, refused: &Refused<'_>) {
        // That a single host cannot be reached is what most of a sweep meets. All of them is another matter.
        if refused.obstacle == Obstacle::Unreachable {
            self.unreachable += 1;
            if self.asked < 2 || self.unreachable < self.asked {
                return;
            }
        }
        self.obstacles.refused(refused);
    }

    fn status(&self) -> ProviderStatus {
        let status = |activity, note| ProviderStatus { provider: Provider::Unicast, activity, note };
        if let Some(at) = self.found {
            return status(Activity::Found, format!("an exo answered from {at}"));
        }
        match self.obstacles.latest() {
            Some((Obstacle::NotPermitted, why)) => {
                return status(Activity::Blocked, format!("no local network permission ({why})"));
            }
            Some((Obstacle::Unreachable, why)) => {
                let note =
                    format!("no host can be reached ({why}; on iOS this means no permission), trying on");
                return status(Activity::Blocked, note);
            }
            Some((Obstacle::Other, why)) => {
                return status(Activity::Blocked, format!("sending failed ({why}), trying on"));
            }
            None => {}
        }
        let notes: Vec<String> = self.subnets().map(Field::note).chain(self.unfit.iter().cloned()).collect();
        if notes.is_empty() {
            return status(Activity::Blocked, "no network to search on".to_owned());
        }
        let sweeping = self.subnets().next().is_some();
        status(if sweeping { Activity::Searching } else { Activity::Blocked }, notes.join("; "))
    }
}

/// The subnets of an interface that may be swept, or why there are none.
fn subnets_to_sweep(interface: &Interface) -> Result<Vec<Subnet>, String> {
    let name = &interface.name;
    match interface.kind {
        InterfaceKind::Wifi | InterfaceKind::Ethernet => {}
        InterfaceKind::PointToPoint => return Err(format!("{name} is a point-to-point link, never swept")),
        InterfaceKind::Cellular | InterfaceKind::Loopback | InterfaceKind::Unknown => {
            return Err(format!("{name} is no local network that we know, never swept"));
        }
    }
    let mut subnets: Vec<Subnet> = Vec::new();
    for subnet in interface.addresses.iter().filter_map(|address| Subnet::around(*address)) {
        if !subnets.iter().any(|other| other.is_same(subnet)) {
            subnets.push(subnet);
        }
    }
    if subnets.is_empty() {
        let any = interface.addresses.iter().any(|address| address.ip.is_ipv4());
        return Err(format!("no {} IPv4 subnet on {name}", if any { "private" } else { "own" }));
    }
    Ok(subnets)
}
