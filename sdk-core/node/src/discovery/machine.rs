//! The machine: feeds the providers, judges the answers, tells what was found.

use std::net::{IpAddr, SocketAddr};

use exo_wire::{
    Zid,
    datagram::{API_PORT, Datagram},
};

#[cfg(feature = "driver")]
use super::Reach;
use super::{
    Activity, Found, Input, Link, Locator, Output, Provider, ProviderStatus, SearchConfig,
    dns_sd::DnsSd,
    findings::Findings,
    given::Given,
    loopback::Loopback,
    multicast::Multicast,
    seeker::{Outbox, Refused, Seeker, Turn},
    sweep::Sweep,
};
use crate::{
    interface::Interface,
    now::{Moment, Now},
    random::Random,
};

/// The search for a cluster. It is at rest until [`Input::Search`] comes.
#[derive(Debug)]
pub struct Discovery {
    config: SearchConfig,
    random: Random,
    seekers: Vec<Box<dyn Seeker>>,
    findings: Findings,
    interfaces: Vec<Interface>,
    out: Outbox,
    told: Vec<ProviderStatus>,
    searching: bool,
}

impl Discovery {
    /// A search as configured. Providers that are left out are never built, so they cannot send.
    pub fn new(config: SearchConfig, random: Random) -> Self {
        let (namespace, port) = (config.searched(), config.discovery_port);
        let mut seekers: Vec<Box<dyn Seeker>> = Vec::new();
        for provider in Provider::ALL.into_iter().filter(|provider| config.wants(*provider)) {
            match (provider, &config.link) {
                (Provider::Loopback, _) => seekers.push(Box::new(Loopback::new(namespace, port))),
                (Provider::Multicast, _) => seekers.push(Box::new(Multicast::new(namespace, port))),
                (Provider::Unicast, _) => {
                    seekers.push(Box::new(Sweep::new(namespace, port, &config.past_hosts)));
                }
                (Provider::DnsSd, _) => seekers.push(Box::new(DnsSd::new(namespace, port))),
                (Provider::Link, Some(link)) => {
                    seekers.push(Box::new(Given::new(namespace, port, link.clone())));
                }
                (Provider::Link, None) => {}
            }
        }
        Self {
            config,
            random,
            seekers,
            findings: Findings::default(),
            interfaces: Vec::new(),
            out: Outbox::default(),
            told: Vec::new(),
            searching: false,
        }
    }

    /// Feeds one input. Never blocks, never fails: bad input is itself an observation.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        let now = now.mono;
        match input {
            // The one input that anybody can send us, as fast as they like: nothing else is done for it.
            Input::Datagram { from, bytes } => {
                if self.searching && self.heard(now, from, bytes) {
                    self.tell_changes();
                }
                return;
            }
            Input::Tick => {}
            Input::Interfaces(all) => self.follow(now, all),
            Input::Refused { provider, interface, obstacle, why } => {
                let refused = Refused { interface, obstacle, why: &why };
                if let Some(seeker) = self.seekers.iter_mut().find(|seeker| seeker.provider() == provider) {
                    seeker.refused(now, &refused);
                }
            }
            Input::Service(service) => self.each_turn(now, |seeker, turn| seeker.service(turn, &service)),
            Input::Resolved { host, addresses } => self.each(|seeker| seeker.resolved(now, host, &addresses)),
            Input::Search => self.search(now),
            Input::Rest => self.rest(now),
        }
        self.tick(now);
        self.tell_changes();
    }

    /// The next thing to do or to know; `None` until something happens.
    pub fn poll(&mut self) -> Option<Output> {
        self.out.pop()
    }

    /// When to call `handle` with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        if !self.searching {
            return None;
        }
        self.seekers.iter().filter_map(|seeker| seeker.deadline()).min()
    }

    /// The subnets that may be searched: none for a search that stays on this device.
    #[cfg(feature = "driver")]
    pub(crate) fn reach(&self) -> Reach {
        if self.config.is_confined_to_loopback() {
            return Reach::default();
        }
        let allowed = self.interfaces.iter().filter(|interface| self.config.allows(interface));
        Reach::of(allowed)
    }

    /// What each provider did and what came of it; one line a provider, those that are off too.
    pub fn statuses(&self) -> Vec<ProviderStatus> {
        Provider::ALL.into_iter().map(|provider| self.status(provider)).collect()
    }

    fn status(&self, provider: Provider) -> ProviderStatus {
        let off = |note: &str| ProviderStatus { provider, activity: Activity::Off, note: note.to_owned() };
        match self.seekers.iter().find(|seeker| seeker.provider() == provider) {
            Some(seeker) => match seeker.status() {
                status if self.searching || status.activity == Activity::Found => status,
                _ => off("not searching"),
            },
            None if !self.config.wants(provider) => off("left out"),
            None => off("no link was given"),
        }
    }

    fn each(&mut self, act: impl Fn(&mut dyn Seeker)) {
        self.seekers.iter_mut().for_each(|seeker| act(seeker.as_mut()));
    }

    fn each_turn(&mut self, now: Moment, act: impl Fn(&mut dyn Seeker, &mut Turn<'_>)) {
        for seeker in &mut self.seekers {
            act(seeker.as_mut(), &mut Turn { now, random: &mut self.random, out: &mut self.out });
        }
    }

    fn follow(&mut self, now: Moment, all: &[Interface]) {
        if self.interfaces == all {
            return;
        }
        self.interfaces = all.to_vec();
        let allowed: Vec<Interface> =
            all.iter().filter(|interface| self.config.allows(interface)).cloned().collect();
        self.each(|seeker| seeker.interfaces(now, &allowed, all));
    }

    fn search(&mut self, now: Moment) {
        self.searching = true;
        self.each_turn(now, |seeker, turn| seeker.search(turn));
    }

    fn rest(&mut self, now: Moment) {
        if std::mem::take(&mut self.searching) {
            self.each_turn(now, |seeker, turn| seeker.rest(turn));
        }
    }

    fn tick(&mut self, now: Moment) {
        if !self.searching {
            return;
        }
        self.each_turn(now, |seeker, turn| {
            if seeker.deadline().is_some_and(|due| due <= now) {
                seeker.tick(turn);
            }
        });
    }

    /// Judges a datagram. True if it was an answer that counts.
    fn heard(&mut self, now: Moment, from: SocketAddr, bytes: &[u8]) -> bool {
        let Some(Datagram::WhatsUp { nonce, zid, port }) = Datagram::parse(bytes) else { return false };
        let Some(by) =
            self.seekers.iter().find(|seeker| seeker.asked(nonce, now)).map(|seeker| seeker.provider())
        else {
            return false;
        };
        if !is_plausible(from, zid, port) {
            return false;
        }
        let locator = Locator::beside(from, port);
        let Some(locators) = self.findings.tell(now, zid, locator) else { return false };
        let at = locator.address().ip();
        self.each(|seeker| seeker.found(now, at, by));
        let api = self.api_beside(&locators);
        self.out.push(Output::Found(Found { locators, zid: Some(zid), api, by }));
        true
    }

    /// exo's HTTP interface listens on IPv4 alone.
    fn api_beside(&self, locators: &[Locator]) -> Option<SocketAddr> {
        let port = self.config.link.as_ref().map_or(API_PORT, Link::api);
        let ip = locators.iter().map(|locator| locator.address().ip()).find(IpAddr::is_ipv4)?;
        Some(SocketAddr::new(ip, port))
    }

    fn tell_changes(&mut self) {
        let statuses = self.statuses();
        if statuses != self.told {
            self.told = statuses;
            self.out.changed();
        }
    }
}

fn is_plausible(from: SocketAddr, zid: Zid, port: u16) -> bool {
    let ip = from.ip().to_canonical();
    let scoped = match from {
        SocketAddr::V6(v6) if v6.ip().is_unicast_link_local() => v6.scope_id() != 0,
        _ => true,
    };
    zid.node_id().is_some() && scoped && port != 0 && !ip.is_unspecified() && !ip.is_multicast()
}
