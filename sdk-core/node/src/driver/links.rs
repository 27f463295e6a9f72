//! Measuring the links to other members of this SDK, and how far exo's nodes are.
//!
//! Whom to probe when is decided in [`exo_telemetry::topology`], the sockets are those of [`crate::probing`]. Here the
//! two meet the member: who tells of a place where it answers, and is a neighbour, is probed; what was measured is told
//! to all. A node of exo that is a neighbour is connected to, at the port where it serves HTTP: a connection that says
//! nothing is common there, while zenoh might take it for a broken peer. Nothing is opened before there is somebody to
//! measure with, and nothing of it goes through exo's zenoh.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use exo_telemetry::{
    aggregator::{ClusterState, Presence},
    now::Moment,
    protocol::{DeviceId, LinkReport, MOST_LINKS, Told},
    reading::{NetworkKind, NetworkReadings},
    topology::{FRESH, Figure, Link, LinkKind, LinkProber, Order, PeerKind, ProbeLimits, wire::Refused},
};
use tokio::task::{self, JoinHandle};

use super::{clock::Clock, entropy, exo_nodes::ExoNodes};
use crate::{
    Interface, Now,
    discovery::is_lan,
    probing::{self, Answerer, Outcome},
};

/// Others are told this often at most: a registration goes to everybody.
const TELL_EVERY: Duration = Duration::from_secs(10);
/// And this often at least while there is something: a figure is taken at its word for so long.
const TELL_AGAIN: Duration = FRESH;
/// What differs by less is no news.
const NEWS: f64 = 0.25;
/// Addresses of our own that are told.
const MOST_PLACES: usize = 4;

/// What others are told of our links.
pub(super) type Telling = (Vec<SocketAddr>, Vec<LinkReport>);

/// Where a peer is.
#[derive(Debug, Clone, Copy)]
struct Place {
    address: SocketAddr,
    kind: PeerKind,
    link: LinkKind,
}

/// The links to other members and to exo's nodes.
pub(super) struct Links {
    own: DeviceId,
    prober: Arc<Mutex<LinkProber>>,
    clock: Clock,
    /// Where we answer.
    at: Ipv4Addr,
    answerer: Option<Answerer>,
    /// It could not be opened: others are probed, and nobody probes us.
    is_deaf: bool,
    /// Where the others answer.
    places: BTreeMap<String, Place>,
    /// Where exo's nodes are.
    exo: ExoNodes,
    /// Our own addresses.
    ours: BTreeSet<IpAddr>,
    told: Telling,
    next_telling: Moment,
    /// When what was told is to be told again.
    old_at: Moment,
}

impl Links {
    /// Links that are measured from this address, or from any.
    pub(super) fn new(own: DeviceId, clock: Clock, at: Ipv4Addr) -> Self {
        let prober =
            LinkProber::new(own.as_str(), ProbeLimits::default(), clock.now().mono, entropy::random());
        Self {
            own,
            prober: Arc::new(Mutex::new(prober)),
            clock,
            at,
            answerer: None,
            is_deaf: false,
            places: BTreeMap::new(),
            exo: ExoNodes::default(),
            ours: BTreeSet::new(),
            told: Telling::default(),
            next_telling: Moment::default(),
            old_at: Moment::default(),
        }
    }

    /// What carries our links, as far as the device knows what carries its network.
    fn kind(&self, network: &NetworkReadings) -> LinkKind {
        match network.kind.get() {
            _ if self.is_local() => LinkKind::Loopback,
            Some(NetworkKind::Wifi) => LinkKind::Wifi,
            Some(NetworkKind::Ethernet) => LinkKind::Ethernet,
            _ => LinkKind::Unknown,
        }
    }

    /// What the network is: nothing is probed where bytes cost money.
    fn on(&self, network: &NetworkReadings) {
        let (kind, metered) = (network.kind.get(), network.metered.get());
        // Loopback costs nothing, whatever the network beside it.
        let (kind, metered) =
            if self.is_local() { (Some(NetworkKind::Ethernet), Some(false)) } else { (kind, metered) };
        self.prober().network(kind, metered);
        if let Some(answerer) = &self.answerer {
            answerer.refuse_trains((metered == Some(true)).then_some(Refused::Metered));
        }
    }

    /// These nodes of exo are present, and may be at these addresses; this is where we are ourselves.
    pub(super) fn meet(
        &mut self,
        present: BTreeSet<String>,
        at: impl Iterator<Item = SocketAddr>,
        interfaces: &[Interface],
    ) {
        self.exo.follow(present, at);
        let ours = interfaces.iter().flat_map(|interface| &interface.addresses);
        self.ours = ours.map(|address| address.ip).collect();
    }

    /// Whom to ask now whether it is a node of exo, if anybody.
    pub(super) fn ask(&mut self, now: Moment) -> Option<SocketAddr> {
        let may = self.prober().may_probe();
        if may { self.exo.poll(now) } else { None }
    }

    /// What it answered; says whether that is news.
    pub(super) fn answered(&mut self, now: Moment, at: SocketAddr, answer: Result<Vec<u8>, String>) -> bool {
        self.exo.answered(now, at, answer)
    }

    /// Follows who is there, on this network. `reachable` says where a neighbour's address is really reached, if it is one's.
    pub(super) fn follow(
        &mut self,
        now: Now,
        cluster: &ClusterState,
        network: &NetworkReadings,
        reachable: impl Fn(SocketAddr) -> Option<SocketAddr>,
    ) {
        self.on(network);
        let kind = self.kind(network);
        let mut places = BTreeMap::new();
        for (id, address) in self.exo.places() {
            // Though it is an address of the network, nothing leaves this machine.
            let is_here = address.ip().is_loopback() || self.ours.contains(&address.ip());
            let link = if is_here { LinkKind::Loopback } else { kind };
            places.insert(id.to_owned(), Place { address, kind: PeerKind::Exo, link });
        }
        for device in &cluster.devices {
            let is_there = matches!(device.presence, Presence::Present | Presence::Stale);
            if device.device_id == self.own || !is_there {
                continue;
            }
            let told = device.registration.iter().flat_map(|registration| &registration.probe_at);
            if let Some(address) = told.copied().find_map(&reachable) {
                let place = Place { address, kind: PeerKind::Sdk, link: kind };
                places.insert(device.device_id.to_string(), place);
            }
        }
        {
            let mut prober = self.prober();
            for gone in self.places.keys().filter(|id| !places.contains_key(*id)) {
                prober.peer_gone(gone);
            }
            for (id, place) in &places {
                prober.peer_seen(now.mono, id, place.kind, place.link);
            }
        }
        self.places = places;
    }

    /// Opens the place where we answer. Called when there is somebody who could ask.
    pub(super) fn open(&mut self) {
        if self.answerer.is_some() || self.is_deaf {
            return;
        }
        let clock = self.clock;
        let opened = Answerer::start((self.at, 0).into(), self.prober.clone(), Arc::new(move || clock.now()));
        self.is_deaf = opened.is_err();
        self.answerer = opened.ok();
    }

    /// Closes it: nobody is left.
    pub(super) fn close(&mut self) {
        self.answerer = None;
    }

    /// Something to measure now, and where.
    pub(super) fn poll(&self, now: Moment) -> Option<(Order, SocketAddr)> {
        let order = self.prober().poll(now)?;
        let place = self.places.get(&order.peer)?;
        Some((order, place.address))
    }

    /// Measures. Blocks a thread, not a task.
    pub(super) fn measure(order: Order, place: SocketAddr) -> JoinHandle<(Order, Outcome)> {
        task::spawn_blocking(move || {
            let outcome = probing::perform(&order, place);
            (order, outcome)
        })
    }

    /// What came of it.
    pub(super) fn measured(&mut self, now: Now, order: &Order, outcome: &Outcome) {
        probing::tell(&mut self.prober(), now, order, outcome);
        if let Outcome::RoundTrips(times) = outcome
            && times.iter().all(Option::is_none)
            && let Some(place) = self.places.get(&order.peer)
        {
            self.exo.doubt(now.mono, place.address);
        }
    }

    /// The links that were measured, those to other members first: they say more.
    pub(super) fn known(&self, now: Now) -> Vec<Link> {
        let mut links = self.prober().links(now);
        links.retain(|link| link.measured_at().is_some());
        links.sort_by_key(|link| self.places.get(&link.to).is_none_or(|place| place.kind == PeerKind::Exo));
        links
    }

    /// What others should be told, if it is new and time.
    pub(super) fn tell(&mut self, now: Now, interfaces: &[Interface]) -> Option<Telling> {
        if now.mono < self.next_telling {
            return None;
        }
        let links = self.known(now).iter().filter_map(LinkReport::of).take(MOST_LINKS).collect();
        let telling: Telling = (self.own_places(interfaces), links);
        let is_old = !telling.1.is_empty() && now.mono >= self.old_at;
        if !is_old && !is_news(&telling, &self.told) {
            return None;
        }
        self.told = telling.clone();
        (self.next_telling, self.old_at) = (now.mono + TELL_EVERY, now.mono + TELL_AGAIN);
        Some(telling)
    }

    /// When [`Self::poll`] or [`Self::tell`] may have something.
    pub(super) fn deadline(&self, now: Moment) -> Option<Moment> {
        self.prober().deadline(now)
    }

    /// Whether all of this happens on loopback alone.
    pub(super) const fn is_local(&self) -> bool {
        self.at.is_loopback()
    }

    fn own_places(&self, interfaces: &[Interface]) -> Vec<SocketAddr> {
        let Some(port) = self.answerer.as_ref().map(|answerer| answerer.address().port()) else {
            return Vec::new();
        };
        if !self.at.is_unspecified() {
            return vec![(self.at, port).into()];
        }
        let near = interfaces.iter().filter(|interface| is_lan(interface.kind));
        let addresses = near.flat_map(|interface| &interface.addresses);
        let ours = addresses.map(|address| address.ip).filter(|ip| ip.is_ipv4() && !ip.is_loopback());
        ours.map(|ip| SocketAddr::new(ip, port)).take(MOST_PLACES).collect()
    }

    fn prober(&self) -> MutexGuard<'_, LinkProber> {
        self.prober.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether somebody who knows one would decide otherwise with the other.
fn is_news(now: &Telling, before: &Telling) -> bool {
    let differs = |one: &Told<Figure>, other: &Told<Figure>| match (one.reading.get(), other.reading.get()) {
        (Some(one), Some(other)) => (one.value - other.value).abs() > NEWS * one.value.max(other.value),
        (one, other) => one.is_some() != other.is_some(),
    };
    let link_differs = |one: &LinkReport, other: &LinkReport| {
        one.to != other.to
            || one.kind != other.kind
            || differs(&one.round_trip_s, &other.round_trip_s)
            || differs(&one.bytes_per_s_to, &other.bytes_per_s_to)
            || differs(&one.bytes_per_s_from, &other.bytes_per_s_from)
    };
    now.0 != before.0
        || now.1.len() != before.1.len()
        || now.1.iter().zip(&before.1).any(|(one, other)| link_differs(one, other))
}
