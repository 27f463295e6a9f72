//! Discovery as the phones run it: the real machine, on a simulated network.
//!
//! Hellos go to exo's group or from host to host, and exo nodes answer from where they listen. A third of the phones
//! has no multicast right, as iPhones without the entitlement, and must find exo by asking hosts one by one.

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use exo_node::{
    Interface, InterfaceKind, Random,
    discovery::{Discovery, Input, Output, Provider, SearchConfig},
    interface::InterfaceAddress,
    member::Input as ToMember,
};
use exo_wire::{
    Namespace,
    datagram::{DEFAULT_NAMESPACE, DISCOVERY_PORT, Datagram, GROUP, Nonce, ZENOH_PORT},
};

use crate::{
    phone::{address, site},
    queue::{MILLI, Time},
    world::{Step, World},
};

/// The search of one phone.
#[derive(Debug)]
pub struct Search {
    machine: Discovery,
    armed: Time,
    /// The last number of its address: roaming changes it.
    host: u8,
}

impl Search {
    /// At rest. What the app remembers of earlier runs are the hosts where it found exo.
    pub fn new(number: u16, past_hosts: Vec<IpAddr>, random: Random) -> Self {
        let ways = if number.is_multiple_of(3) {
            BTreeSet::from([Provider::Unicast])
        } else {
            BTreeSet::from([Provider::Multicast, Provider::Unicast])
        };
        let config = SearchConfig { only: Some(ways), past_hosts, ..SearchConfig::default() };
        Self { machine: Discovery::new(config, random), armed: Time::MAX, host: 100 + (number % 100) as u8 }
    }

    /// The phone's interfaces, with its address of now.
    pub fn interfaces(&self) -> [Interface; 1] {
        let v4 = IpAddr::V4(Ipv4Addr::new(10, 0, 0, self.host));
        let v6 = IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, u16::from(self.host)));
        let addresses =
            vec![InterfaceAddress { ip: v4, prefix: 24 }, InterfaceAddress { ip: v6, prefix: 64 }];
        let name = "wlan0".to_owned();
        [Interface { name, index: 3, kind: InterfaceKind::Wifi, multicast: true, addresses }]
    }
}

impl World {
    /// The app started: discovery learns its interfaces.
    pub(crate) fn begin_search(&mut self, number: u16) {
        let random = Random::seeded(self.random.bits());
        let past = self.phones[usize::from(number)].past_hosts.clone();
        let search = Search::new(number, past, random);
        let interfaces = search.interfaces();
        self.phones[usize::from(number)].search = Some(search);
        self.tell_search(number, Input::Interfaces(&interfaces));
    }

    /// The phone's address is another now.
    pub(crate) fn move_search(&mut self, number: u16) {
        let Some(search) = &mut self.phones[usize::from(number)].search else { return };
        search.host = 100 + (search.host + 7) % 100;
        let interfaces = search.interfaces();
        self.tell_search(number, Input::Interfaces(&interfaces));
    }

    pub(crate) fn search_timer(&mut self, number: u16) {
        let phone = &mut self.phones[usize::from(number)];
        let Some(search) = phone.search.as_mut().filter(|search| search.armed <= self.now) else { return };
        search.armed = Time::MAX;
        if phone.asleep.is_none() {
            self.tell_search(number, Input::Tick);
        }
    }

    /// Feeds a phone's discovery and does what it wants.
    pub(crate) fn tell_search(&mut self, number: u16, input: Input<'_>) {
        let phone = &mut self.phones[usize::from(number)];
        let clock = phone.clock(self.now);
        let Some(search) = &mut phone.search else { return };
        search.machine.handle(clock, input);
        loop {
            let phone = &mut self.phones[usize::from(number)];
            let Some(search) = &mut phone.search else { return };
            match search.machine.poll() {
                Some(Output::Send { to, bytes, .. }) => self.ask_around(number, to, &bytes),
                Some(Output::Found(found)) => self.tell(number, ToMember::Found(found)),
                Some(Output::Browse(_) | Output::Resolve(_) | Output::Changed) => {}
                None => break,
            }
        }
        let phone = &mut self.phones[usize::from(number)];
        let Some(search) = &mut phone.search else { return };
        let Some(deadline) = search.machine.deadline() else { return };
        let at = phone.when(deadline).max(self.now);
        if let Some(search) = phone.search.as_mut().filter(|search| at < search.armed) {
            search.armed = at;
            self.queue.push(at, Step::SearchTimer(number));
        }
    }

    /// A Hello goes out: to all exo nodes, or to the one at that address.
    fn ask_around(&mut self, number: u16, to: SocketAddr, bytes: &[u8]) {
        let Some(Datagram::Hello { nonce, namespace }) = Datagram::parse(bytes) else { return };
        if namespace != Namespace::named(DEFAULT_NAMESPACE) || to.port() != DISCOVERY_PORT {
            return;
        }
        let asked = if to.ip() == IpAddr::V6(GROUP) { None } else { site(to) };
        for place in 0..self.sites.len() as u16 {
            let is_asked = asked.is_none_or(|asked| asked == place) && (asked.is_some() || to.is_ipv6());
            if is_asked && self.is_up(place) && self.connects(number, place) {
                let at = self.now + self.between(MILLI, 20 * MILLI);
                self.queue.push(at, Step::WhatsUp { phone: number, site: place, nonce });
            }
        }
    }

    /// An exo node's answer reaches a phone.
    pub(crate) fn whats_up(&mut self, number: u16, place: u16, nonce: Nonce) {
        let Some(zid) = self.zid(place).filter(|_| self.connects(number, place)) else { return };
        if self.phones[usize::from(number)].asleep.is_none() {
            let bytes = Datagram::WhatsUp { nonce, zid, port: ZENOH_PORT }.to_bytes();
            let from = address(place, DISCOVERY_PORT);
            self.tell_search(number, Input::Datagram { from, bytes: &bytes });
        }
    }
}
