//! The address that a person gave and confirmed.
//!
//! A link is a person's word, so it is told at once: the host may be behind a router that lets nothing but TCP
//! through. A Hello goes to it as well, since its answer says who is there.

use std::{
    net::{IpAddr, SocketAddr, SocketAddrV6},
    time::Duration,
};

use exo_wire::{Namespace, datagram::Nonce};

use super::{
    Activity, Found, Host, Link, Locator, Output, Provider, ProviderStatus,
    obstacles::Obstacles,
    question::Question,
    reach::is_lan,
    seeker::{Refused, Seeker, Turn},
};
use crate::{interface::Interface, now::Moment};

const PERIOD: Duration = Duration::from_secs(1);
/// How often the link itself is told while the search goes on.
const TELL_PERIOD: Duration = Duration::from_secs(5);
/// A search that goes on because the dial failed tells it again no sooner than this.
const TELL_SOONEST: Duration = Duration::from_secs(2);
const RESOLVE_PERIOD: Duration = Duration::from_secs(5);
const MOST_ADDRESSES: usize = 4;

/// The link.
#[derive(Debug)]
pub(super) struct Given {
    link: Link,
    discovery_port: u16,
    question: Question,
    /// Interfaces by name and number, to make sense of a scope.
    scopes: Vec<(String, u32)>,
    resolved: Vec<IpAddr>,
    trouble: Option<String>,
    searching: bool,
    hello_due: Moment,
    tell_due: Moment,
    resolve_due: Moment,
    told: Option<Moment>,
    found: Option<IpAddr>,
    obstacles: Obstacles,
}

impl Given {
    pub(super) fn new(namespace: Namespace, discovery_port: u16, link: Link) -> Self {
        Self {
            link,
            discovery_port,
            question: Question::about(namespace),
            scopes: Vec::new(),
            resolved: Vec::new(),
            trouble: None,
            searching: false,
            hello_due: Moment::default(),
            tell_due: Moment::default(),
            resolve_due: Moment::default(),
            told: None,
            found: None,
            obstacles: Obstacles::default(),
        }
    }

    /// Where that port of the host is, as far as known by now.
    fn places(&self, port: u16) -> Vec<SocketAddr> {
        let (ips, scope) = match self.link.host() {
            Host::Address(ip, scope) => (std::slice::from_ref(ip), scope.as_deref()),
            Host::Name(_) => (self.resolved.as_slice(), None),
        };
        let mut places: Vec<SocketAddr> = ips.iter().flat_map(|ip| self.place(*ip, scope, port)).collect();
        places.truncate(MOST_ADDRESSES);
        places
    }

    /// A link-local address is on the interface that its scope names; without one it may be on any.
    fn place(&self, ip: IpAddr, scope: Option<&str>, port: u16) -> Vec<SocketAddr> {
        let IpAddr::V6(v6) = ip else { return vec![SocketAddr::new(ip, port)] };
        if !v6.is_unicast_link_local() {
            return vec![SocketAddr::new(ip, port)];
        }
        let on = |index| SocketAddr::V6(SocketAddrV6::new(v6, port, 0, index));
        match scope.map(|scope| (scope, scope.parse())) {
            Some((_, Ok(index))) => vec![on(index)],
            Some((name, Err(_))) => {
                self.scopes.iter().filter(|(known, _)| known == name).map(|(_, index)| on(*index)).collect()
            }
            None => self.scopes.iter().map(|(_, index)| on(*index)).collect(),
        }
    }

    fn tell(&mut self, turn: &mut Turn<'_>) {
        let locators: Vec<Locator> = self.places(self.link.port()).into_iter().map(Locator::new).collect();
        if locators.is_empty() {
            return;
        }
        self.told = Some(turn.now);
        let api = self.places(self.link.api()).into_iter().find(SocketAddr::is_ipv4);
        turn.out.push(Output::Found(Found { locators, zid: None, api, by: Provider::Link }));
    }
}

impl Seeker for Given {
    fn provider(&self) -> Provider {
        Provider::Link
    }

    fn search(&mut self, turn: &mut Turn<'_>) {
        if !self.searching {
            self.hello_due = turn.now;
            self.resolve_due = turn.now;
        }
        self.searching = true;
        self.found = None;
        self.tell_due = self.told.map_or(turn.now, |told| turn.now.max(told + TELL_SOONEST));
    }

    fn rest(&mut self, _turn: &mut Turn<'_>) {
        self.question.forget();
        self.searching = false;
    }

    fn interfaces(&mut self, now: Moment, _allowed: &[Interface], all: &[Interface]) {
        let lan = all.iter().filter(|interface| is_lan(interface.kind)).take(MOST_ADDRESSES);
        self.scopes = lan.map(|interface| (interface.name.clone(), interface.index)).collect();
        self.tell_due = self.tell_due.min(self.told.map_or(now, |told| now.max(told + TELL_SOONEST)));
    }

    fn tick(&mut self, turn: &mut Turn<'_>) {
        if let Host::Name(name) = self.link.host()
            && self.resolved.is_empty()
            && turn.now >= self.resolve_due
        {
            self.resolve_due = turn.now + RESOLVE_PERIOD;
            turn.out.push(Output::Resolve(name.clone()));
        }
        if turn.now >= self.tell_due {
            self.tell_due = turn.now + TELL_PERIOD;
            self.tell(turn);
        }
        if turn.now >= self.hello_due {
            self.hello_due = turn.now + PERIOD;
            self.obstacles.trying();
            let hello = self.question.ask_anew(turn.now, turn.random);
            for place in self.places(self.discovery_port) {
                turn.out.send(Provider::Link, place, hello.clone());
            }
        }
    }

    fn deadline(&self) -> Option<Moment> {
        self.searching.then(|| {
            let resolving = matches!(self.link.host(), Host::Name(_)) && self.resolved.is_empty();
            let hello = self.hello_due.min(self.tell_due);
            if resolving { hello.min(self.resolve_due) } else { hello }
        })
    }

    fn asked(&self, nonce: Nonce, now: Moment) -> bool {
        self.question.is_answered_by(nonce, now)
    }

    fn found(&mut self, _now: Moment, at: IpAddr, by: Provider) {
        if by == Provider::Link {
            self.found = Some(at);
        }
    }

    fn refused(&mut self, _now: Moment, refused: &Refused<'_>) {
        self.obstacles.refused(refused);
    }

    fn resolved(&mut self, now: Moment, host: &str, addresses: &Result<&[IpAddr], String>) {
        if !matches!(self.link.host(), Host::Name(name) if name == host) {
            return;
        }
        match addresses {
            Ok(addresses) => {
                let usable = |ip: &&IpAddr| !ip.is_unspecified() && !ip.is_multicast();
                self.resolved = addresses.iter().filter(usable).take(MOST_ADDRESSES).copied().collect();
                self.trouble = self.resolved.is_empty().then(|| "it has no address".to_owned());
                self.tell_due = now;
                self.hello_due = now;
            }
            Err(why) => self.trouble = Some(why.chars().take(120).collect()),
        }
    }

    fn status(&self) -> ProviderStatus {
        let status = |activity, note| ProviderStatus { provider: Provider::Link, activity, note };
        let host = self.link.host();
        if let Some(at) = self.found {
            return status(Activity::Found, format!("an exo answered from {at}"));
        }
        if let Some(trouble) = &self.trouble {
            return status(Activity::Blocked, format!("{host} could not be resolved: {trouble}"));
        }
        if self.places(self.discovery_port).is_empty() {
            return match host {
                Host::Name(_) => status(Activity::Searching, format!("looking up {host}")),
                Host::Address(..) => {
                    status(Activity::Blocked, format!("{host} is on no interface that is up"))
                }
            };
        }
        let why = self.obstacles.latest().map(|(_, why)| format!(" ({why})")).unwrap_or_default();
        status(Activity::Searching, format!("{host} did not answer a Hello{why}, dialled all the same"))
    }
}
