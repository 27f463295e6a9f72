//! A network of nothing but numbers, and one phone that searches it.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use exo_wire::{
    Namespace, Zid,
    datagram::{DEFAULT_NAMESPACE, DISCOVERY_PORT, Datagram, ZENOH_PORT},
};

use super::super::*;
use crate::{Interface, InterfaceKind, Now, Random, interface::InterfaceAddress, now::Moment};

pub(super) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(super) fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(super) fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// `192.168.1.7:52413`, `[fe80::1%3]:52413`.
pub(super) fn place(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

pub(super) fn zid(number: u128) -> Zid {
    Zid(number.to_le_bytes())
}

/// An interface with these addresses, as `ip addr` writes them.
pub(super) fn interface(name: &str, index: u32, kind: InterfaceKind, addresses: &[&str]) -> Interface {
    let address = |text: &&str| {
        let (ip, prefix) = text.split_once('/').unwrap();
        InterfaceAddress { ip: ip.parse().unwrap(), prefix: prefix.parse().unwrap() }
    };
    let addresses = addresses.iter().map(address).collect();
    Interface { name: name.to_owned(), index, kind, multicast: true, addresses }
}

/// A phone's Wi-Fi as it mostly is.
pub(super) fn wifi() -> Interface {
    interface("wlan0", 3, InterfaceKind::Wifi, &["192.168.1.20/24", "fe80::20/64"])
}

/// A datagram that the phone sent.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) at: Duration,
    pub(super) by: Provider,
    pub(super) to: SocketAddr,
    pub(super) bytes: Vec<u8>,
}

/// A host that answers Hellos as exo does.
#[derive(Debug, Clone)]
struct Exo {
    zid: Zid,
    namespace: Namespace,
    delay: Duration,
}

/// The phone and the hosts around it.
pub(super) struct Lan {
    pub(super) phone: Discovery,
    pub(super) now: Duration,
    pub(super) sent: Vec<Sent>,
    pub(super) found: Vec<(Duration, Found)>,
    pub(super) browsing: Vec<bool>,
    pub(super) lookups: Vec<String>,
    exos: BTreeMap<SocketAddr, Exo>,
    in_flight: Vec<(Duration, SocketAddr, Vec<u8>)>,
}

impl Lan {
    pub(super) fn new(config: SearchConfig) -> Self {
        Self {
            phone: Discovery::new(config, Random::seeded(7)),
            now: Duration::ZERO,
            sent: Vec::new(),
            found: Vec::new(),
            browsing: Vec::new(),
            lookups: Vec::new(),
            exos: BTreeMap::new(),
            in_flight: Vec::new(),
        }
    }

    /// A phone that searches in this way alone, and is on these networks.
    pub(super) fn only(provider: Provider, interfaces: &[Interface]) -> Self {
        Self::ready(provider, interfaces).searching()
    }

    /// The same before the search begins.
    pub(super) fn ready(provider: Provider, interfaces: &[Interface]) -> Self {
        let only = Some([provider].into());
        Self::new(SearchConfig { only, ..SearchConfig::default() }).on(interfaces)
    }

    pub(super) fn on(mut self, interfaces: &[Interface]) -> Self {
        self.give(Input::Interfaces(interfaces));
        self
    }

    pub(super) fn searching(mut self) -> Self {
        self.give(Input::Search);
        self
    }

    /// An exo that takes Hellos here (the scope of a link-local address is the phone's interface).
    pub(super) fn exo(mut self, at: &str, number: u128) -> Self {
        self.exo_that_takes(at, number, millis(3));
        self
    }

    pub(super) fn exo_that_takes(&mut self, at: &str, number: u128, delay: Duration) {
        let exo = Exo { zid: zid(number), namespace: Namespace::named(DEFAULT_NAMESPACE), delay };
        let text = if at.contains("]:") || at.matches(':').count() == 1 {
            at.to_owned()
        } else {
            format!("{at}:{DISCOVERY_PORT}")
        };
        self.exos.insert(place(&text), exo);
    }

    pub(super) fn kill(&mut self) {
        self.exos.clear();
        self.in_flight.clear();
    }

    pub(super) fn time(&self) -> Now {
        Now { mono: Moment::after_start(self.now), wall: Duration::ZERO }
    }

    pub(super) fn give(&mut self, input: Input<'_>) {
        self.phone.handle(self.time(), input);
        self.drain();
    }

    /// Lets that time pass.
    pub(super) fn run(&mut self, time: Duration) {
        let end = self.now + time;
        loop {
            let wake = self.phone.deadline().map(Moment::since_start);
            let arrival = self.in_flight.iter().map(|(at, ..)| *at).min();
            let Some(next) = [wake, arrival].into_iter().flatten().min().filter(|next| *next <= end) else {
                break;
            };
            self.now = self.now.max(next);
            if arrival.is_some_and(|at| at <= self.now) {
                let at = self.in_flight.iter().position(|(at, ..)| *at <= self.now).unwrap();
                let (_, from, bytes) = self.in_flight.swap_remove(at);
                self.give(Input::Datagram { from, bytes: &bytes });
            } else {
                self.give(Input::Tick);
            }
        }
        self.now = end;
    }

    /// Jumps, as a phone that sleeps: nothing happens in between.
    pub(super) fn sleep(&mut self, time: Duration) {
        self.now += time;
    }

    fn drain(&mut self) {
        while let Some(output) = self.phone.poll() {
            match output {
                Output::Send { provider, to, bytes } => {
                    self.deliver(to, &bytes);
                    self.sent.push(Sent { at: self.now, by: provider, to, bytes });
                }
                Output::Found(found) => self.found.push((self.now, found)),
                Output::Browse(on) => self.browsing.push(on),
                Output::Resolve(name) => self.lookups.push(name),
                Output::Changed => {}
            }
        }
    }

    fn deliver(&mut self, to: SocketAddr, bytes: &[u8]) {
        let Some(Datagram::Hello { nonce, namespace }) = Datagram::parse(bytes) else {
            panic!("the phone sent something that is not a Hello: {bytes:02x?}");
        };
        let hears = |at: &SocketAddr| match (at, to) {
            (SocketAddr::V6(at), SocketAddr::V6(group)) if group.ip().is_multicast() => {
                at.scope_id() == group.scope_id() && at.port() == group.port()
            }
            (at, to) => *at == to,
        };
        for (at, exo) in self.exos.iter().filter(|(at, exo)| hears(at) && exo.namespace == namespace) {
            let answer = Datagram::WhatsUp { nonce, zid: exo.zid, port: ZENOH_PORT }.to_bytes();
            self.in_flight.push((self.now + exo.delay, *at, answer));
        }
    }

    /// What the phone says of one way of searching.
    pub(super) fn note(&self, provider: Provider) -> String {
        self.status(provider).note
    }

    pub(super) fn activity(&self, provider: Provider) -> Activity {
        self.status(provider).activity
    }

    fn status(&self, provider: Provider) -> ProviderStatus {
        self.phone.statuses().into_iter().find(|status| status.provider == provider).unwrap()
    }

    /// The nonce of the latest Hello.
    pub(super) fn latest_hello(&self) -> (exo_wire::datagram::Nonce, SocketAddr) {
        let sent = self.sent.last().expect("the phone sent nothing");
        match Datagram::parse(&sent.bytes) {
            Some(Datagram::Hello { nonce, .. }) => (nonce, sent.to),
            other => panic!("not a Hello: {other:?}"),
        }
    }

    /// An answer to the latest Hello, from there, with this content.
    pub(super) fn answer(&mut self, from: &str, zid: Zid, port: u16) {
        let (nonce, _) = self.latest_hello();
        let bytes = Datagram::WhatsUp { nonce, zid, port }.to_bytes();
        self.give(Input::Datagram { from: place(from), bytes: &bytes });
    }

    pub(super) fn sent_to(&self, ip: IpAddr) -> usize {
        self.sent.iter().filter(|sent| sent.to.ip() == ip).count()
    }

    /// The most datagrams that left within any one second, both ends counted.
    pub(super) fn busiest_second(&self) -> usize {
        let within = |sent: &Sent| {
            let end = sent.at + secs(1);
            self.sent.iter().filter(|other| (sent.at..=end).contains(&other.at)).count()
        };
        self.sent.iter().map(within).max().unwrap_or(0)
    }
}
