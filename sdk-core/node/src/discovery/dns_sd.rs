//! `_exo._tcp`: other SDK nodes tell where the exo is that they are attached to.
//!
//! An advertisement is anybody's word. What it names is asked by a Hello of our namespace, and only its answer
//! counts; and only neighbours are asked. A client is never dialled itself.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use exo_wire::{Namespace, datagram::Nonce};

use super::{
    Activity, Output, Provider, ProviderStatus, Role, Service, Txt,
    obstacles::Obstacles,
    question::Question,
    reach::Reach,
    seeker::{Refused, Seeker, Turn},
};
use crate::{interface::Interface, now::Moment};

/// How often a candidate is asked, the first times and later.
const PERIOD: Duration = Duration::from_secs(1);
const LATER_PERIOD: Duration = Duration::from_secs(10);
const FIRST_TIMES: u32 = 3;
const MOST_CANDIDATES: usize = 16;
/// What one service may name.
const MOST_OF_ONE: usize = 4;
/// A flood of services makes no flood of Hellos.
const BATCH: usize = 4;
const PACE: Duration = Duration::from_millis(100);

/// A place that a service named.
#[derive(Debug)]
struct Candidate {
    to: SocketAddr,
    times: u32,
    due: Moment,
}

/// DNS-SD.
#[derive(Debug)]
pub(super) struct DnsSd {
    namespace: Namespace,
    discovery_port: u16,
    question: Question,
    reach: Reach,
    candidates: Vec<Candidate>,
    searching: bool,
    next: Moment,
    services: u64,
    elsewhere: u64,
    found: Option<IpAddr>,
    obstacles: Obstacles,
}

impl DnsSd {
    pub(super) fn new(namespace: Namespace, discovery_port: u16) -> Self {
        Self {
            namespace,
            discovery_port,
            question: Question::about(namespace),
            reach: Reach::default(),
            candidates: Vec::new(),
            searching: false,
            next: Moment::default(),
            services: 0,
            elsewhere: 0,
            found: None,
            obstacles: Obstacles::default(),
        }
    }

    /// Where to ask, by what the service says.
    fn places(&self, service: &Service, txt: &Txt) -> Vec<SocketAddr> {
        let hosts: Vec<IpAddr> = match txt.role {
            Role::Client => txt.via.iter().map(SocketAddr::ip).collect(),
            Role::Router => service.addresses.clone(),
        };
        let port = match txt.role {
            Role::Client => self.discovery_port,
            Role::Router => txt.hello.unwrap_or(self.discovery_port),
        };
        let near = |ip: IpAddr| self.reach.neighbour(ip.to_canonical(), port, service.interface);
        hosts.into_iter().filter_map(near).take(MOST_OF_ONE).collect()
    }

    /// A new candidate takes the place of one that had its chance, or else of any: in a flood an honest one gets in
    /// as often as it is announced.
    fn consider(&mut self, turn: &mut Turn<'_>, to: SocketAddr) {
        if self.candidates.iter().any(|candidate| candidate.to == to) {
            return;
        }
        let new = Candidate { to, times: 0, due: turn.now };
        if self.candidates.len() < MOST_CANDIDATES {
            self.candidates.push(new);
            return;
        }
        let stale = self.candidates.iter().position(|candidate| candidate.times >= FIRST_TIMES);
        let at = stale.unwrap_or_else(|| turn.random.below(MOST_CANDIDATES as u64) as usize);
        if let Some(old) = self.candidates.get_mut(at) {
            *old = new;
        }
    }
}

impl Seeker for DnsSd {
    fn provider(&self) -> Provider {
        Provider::DnsSd
    }

    fn search(&mut self, turn: &mut Turn<'_>) {
        if !self.searching {
            self.obstacles = Obstacles::default();
            turn.out.push(Output::Browse(true));
        }
        self.searching = true;
        self.found = None;
        for candidate in &mut self.candidates {
            candidate.times = 0;
            candidate.due = turn.now;
        }
    }

    fn rest(&mut self, turn: &mut Turn<'_>) {
        self.question.forget();
        self.searching = false;
        turn.out.push(Output::Browse(false));
    }

    fn interfaces(&mut self, _now: Moment, allowed: &[Interface], _all: &[Interface]) {
        self.reach = Reach::of(allowed);
        let reach = &self.reach;
        let scope = |to: &SocketAddr| match to {
            SocketAddr::V6(v6) => Some(v6.scope_id()).filter(|scope| *scope != 0),
            SocketAddr::V4(_) => None,
        };
        self.candidates.retain(|candidate| {
            reach.neighbour(candidate.to.ip(), candidate.to.port(), scope(&candidate.to)).is_some()
        });
    }

    fn service(&mut self, turn: &mut Turn<'_>, service: &Service) {
        self.services = self.services.saturating_add(1);
        let Some(txt) = Txt::parse(&service.txt) else { return };
        if txt.namespace.as_ref().is_some_and(|named| *named != self.namespace.to_string()) {
            self.elsewhere = self.elsewhere.saturating_add(1);
            return;
        }
        for place in self.places(service, &txt) {
            self.consider(turn, place);
        }
    }

    fn tick(&mut self, turn: &mut Turn<'_>) {
        self.next = turn.now + PACE;
        let due = self.candidates.iter_mut().filter(|candidate| candidate.due <= turn.now);
        for candidate in due.take(BATCH) {
            candidate.times = candidate.times.saturating_add(1);
            candidate.due = turn.now + if candidate.times < FIRST_TIMES { PERIOD } else { LATER_PERIOD };
            let hello = self.question.ask(turn.now, turn.random);
            turn.out.send(Provider::DnsSd, candidate.to, hello);
        }
    }

    fn deadline(&self) -> Option<Moment> {
        let due = self.candidates.iter().map(|candidate| candidate.due).min();
        due.filter(|_| self.searching).map(|due| due.max(self.next))
    }

    fn asked(&self, nonce: Nonce, now: Moment) -> bool {
        self.question.is_answered_by(nonce, now)
    }

    fn found(&mut self, _now: Moment, at: IpAddr, by: Provider) {
        if by == Provider::DnsSd {
            self.found = Some(at);
        }
    }

    fn refused(&mut self, _now: Moment, refused: &Refused<'_>) {
        self.obstacles.refused(refused);
    }

    fn status(&self) -> ProviderStatus {
        let status = |activity, note| ProviderStatus { provider: Provider::DnsSd, activity, note };
        if let Some(at) = self.found {
            return status(Activity::Found, format!("an exo answered from {at}"));
        }
        if let Some((_, why)) = self.obstacles.latest() {
            return status(Activity::Blocked, why.to_owned());
        }
        let seen = match (self.services, self.elsewhere) {
            (0, _) => "no _exo._tcp service seen".to_owned(),
            (seen, 0) => format!("{seen} _exo._tcp announcements"),
            (seen, elsewhere) => format!("{seen} _exo._tcp announcements, {elsewhere} of other namespaces"),
        };
        let note = match self.candidates.len() {
            0 => seen,
            asked => format!("{seen}; {asked} hosts asked, nobody answered"),
        };
        status(Activity::Searching, note)
    }
}
