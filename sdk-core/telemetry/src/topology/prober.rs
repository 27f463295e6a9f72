//! Whom to probe when.
//!
//! [`LinkProber`] is asked what to do ([`poll`](LinkProber::poll)), is told what came of it, and says when to be asked
//! again. One thing at a time: two trains would measure each other.

use std::{collections::BTreeMap, time::Duration};

use super::{
    Budget, Direction, Echoes, Link, LinkKind, Throughput,
    budget::Ledger,
    way::Way,
    wire::{PACKET, Refused},
};
use crate::{
    Now, Random,
    now::Moment,
    reading::{NetworkKind, Reading},
};

/// Echoes in a round.
const ECHOES: u32 = 10;
/// Bytes of an echo and its answer, with headers.
const ECHO_COST: f64 = 2.0 * (64.0 + 48.0);
/// Connects in a round, each the seven small packets of a connection that is opened and closed. A node of exo is a guest's
/// host: it gets fewer, and more rarely, than a member that offers to answer.
const CONNECTS: u32 = 5;
const CONNECT_COST: f64 = 7.0 * 60.0;
const CONNECTS_SOON: Duration = Duration::from_secs(5);
const CONNECTS_SELDOM: Duration = Duration::from_mins(1);
const FEW_CONNECTS: usize = 20;
/// Between rounds while few answers are known, and later.
const ROUNDS_SOON: Duration = Duration::from_secs(2);
const ROUNDS_SELDOM: Duration = Duration::from_secs(30);
const FEW_ANSWERS: usize = 40;
/// The part of the budget that all rounds together may take.
const ROUNDS_PART: f64 = 0.25;
/// How much rarer rounds are while there is work to do.
const BUSY_STRETCH: u32 = 4;
/// After a refusal or a silence the next train waits, twice as long each time.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_mins(10);
/// An order whose result never comes is forgotten.
const ORDER_TIME: Duration = Duration::from_secs(15);

/// What probing may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeLimits {
    /// The part of each link, on average.
    pub share: f64,
    /// Bytes a second over all links, on average.
    pub bytes_per_second: f64,
}

impl Default for ProbeLimits {
    fn default() -> Self {
        Self { share: 0.01, bytes_per_second: 65536.0 }
    }
}

impl ProbeLimits {
    /// So many times as much. For tests on networks of one's own.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { share: self.share * factor, bytes_per_second: self.bytes_per_second * factor }
    }
}

/// Who is at the other end, since that decides what can be asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeerKind {
    /// A member with this SDK: it answers echoes and trains.
    Sdk,
    /// A node of exo: only the time to connect to it is taken, and its bandwidth stays unknown.
    Exo,
}

/// Something to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// With whom.
    pub peer: String,
    /// What.
    pub work: Work,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Send so many echoes, a few milliseconds apart, and tell of each.
    Echoes(u32),
    /// Connect so many times by TCP and close at once: the round trip is the time that it takes.
    Connects(u32),
    /// Send or let come a train.
    Train {
        /// Which way.
        direction: Direction,
        /// How many packets.
        packets: u32,
    },
}

/// Whom to probe when, and what came of it.
#[derive(Debug, Clone)]
pub struct LinkProber {
    own: String,
    limits: ProbeLimits,
    budget: Budget,
    permission: Permission,
    busy: bool,
    peers: BTreeMap<String, Peer>,
    under_way: Option<(String, Moment)>,
    random: Random,
}

#[derive(Debug, Clone)]
struct Peer {
    kind: PeerKind,
    link: LinkKind,
    echoes: Echoes,
    next_round: Moment,
    up: Way,
    down: Way,
    ledger: Ledger,
    wait: Duration,
}

/// What the network that we are on allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Permission {
    Nothing,
    RoundTrips,
    Everything,
}

impl LinkProber {
    /// A prober for the device of this name. It does nothing until it is told which [network](Self::network) it is on.
    pub fn new(own: impl Into<String>, limits: ProbeLimits, now: Moment, random: Random) -> Self {
        Self {
            own: own.into(),
            limits,
            budget: Budget::new(limits.bytes_per_second, now),
            permission: Permission::Nothing,
            busy: false,
            peers: BTreeMap::new(),
            under_way: None,
            random,
        }
    }

    /// The network that we are on. Nothing is probed where bytes cost money, and nothing where nobody knows what the
    /// network is. Wi-Fi that may or may not cost money gets round trips, which cost next to nothing.
    pub fn network(&mut self, kind: Option<NetworkKind>, metered: Option<bool>) {
        self.permission = match (kind, metered) {
            (_, Some(true)) | (None | Some(NetworkKind::None | NetworkKind::Cellular), _) => {
                Permission::Nothing
            }
            (_, Some(false)) | (Some(NetworkKind::Ethernet), None) => Permission::Everything,
            (Some(NetworkKind::Wifi), None) => Permission::RoundTrips,
            (Some(NetworkKind::Other), None) => Permission::Nothing,
        };
    }

    /// Whether anything may be sent for the sake of measuring, on the network that we are on.
    pub fn may_probe(&self) -> bool {
        self.permission > Permission::Nothing
    }

    /// There is work to do on this device, or on its links: no trains, and rounds are rarer.
    pub const fn busy(&mut self, busy: bool) {
        self.busy = busy;
    }

    /// What all probing may cost; the [`Responder`](super::Responder) pays from it too.
    pub const fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }

    /// A peer is there. Saying it again changes what carries the link and forgets nothing.
    pub fn peer_seen(&mut self, now: Moment, id: &str, kind: PeerKind, link: LinkKind) {
        // Peers that appear together are not probed together.
        let start = now + Duration::from_millis(self.random.below(500));
        let peer = self.peers.entry(id.to_owned()).or_insert_with(|| Peer {
            kind,
            link,
            echoes: Echoes::default(),
            next_round: start,
            up: Way::new(start),
            down: Way::new(start),
            ledger: Ledger::new(now),
            wait: FIRST_WAIT,
        });
        (peer.kind, peer.link) = (kind, link);
    }

    /// A peer is gone, and what was known of it with it.
    pub fn peer_gone(&mut self, id: &str) {
        self.peers.remove(id);
        self.under_way = self.under_way.take().filter(|(peer, _)| peer != id);
    }

    /// What to do now, if anything. Its result must be told: [`echoed`](Self::echoed), [`arrived`](Self::arrived) or
    /// [`failed`](Self::failed).
    pub fn poll(&mut self, now: Moment) -> Option<Order> {
        let (due, id, choice) = self.next(now)?;
        if due > now {
            return None;
        }
        let (order, cost) = {
            let peer = self.peers.get(&id)?;
            let work = match choice {
                Due::Round if peer.kind == PeerKind::Exo => Work::Connects(CONNECTS),
                Due::Round => Work::Echoes(ECHOES),
                Due::Train(direction) => Work::Train { direction, packets: peer.way(direction).packets() },
            };
            (Order { peer: id.clone(), work }, peer.cost(choice))
        };
        if !self.budget.take(now, cost) {
            return None;
        }
        let stretch = if self.busy { BUSY_STRETCH } else { 1 };
        // With many peers, rounds are rarer: together they take a part of the budget at most.
        let all_rounds: f64 = self.peers.values().map(|peer| peer.cost(Due::Round)).sum();
        let fair = all_rounds / (self.limits.bytes_per_second * ROUNDS_PART);
        let fair = Duration::try_from_secs_f64(fair).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT);
        let peer = self.peers.get_mut(&id)?;
        if choice == Due::Round {
            peer.ledger.spend(now, cost);
            peer.next_round = now + peer.pace().max(fair) * stretch;
        } else {
            peer.ledger.spend_on_train(now, cost);
        }
        self.under_way = Some((id, now + ORDER_TIME));
        Some(order)
    }

    /// When to poll, if nothing is told before.
    pub fn deadline(&self, now: Moment) -> Option<Moment> {
        match &self.under_way {
            Some((_, until)) if now < *until => Some(*until),
            _ => self.next(now).map(|(due, ..)| due),
        }
    }

    /// The echoes (or connects) of a round came back after so long, or did not.
    pub fn echoed(&mut self, now: Now, id: &str, round_trips: &[Option<Duration>]) {
        self.under_way = None;
        if let Some(peer) = self.peers.get_mut(id) {
            for time in round_trips {
                peer.echoes.record(now, *time);
            }
        }
    }

    /// A train arrived, here or there.
    pub fn arrived(&mut self, now: Now, id: &str, direction: Direction, said: Throughput) {
        self.under_way = None;
        let Some(peer) = self.peers.get_mut(id) else { return };
        peer.wait = FIRST_WAIT;
        let (way, other) = match direction {
            Direction::Up => (&mut peer.up, &mut peer.down),
            Direction::Down => (&mut peer.down, &mut peer.up),
        };
        way.record(now, said);
        other.follow(way);
    }

    /// A train was refused, or nothing came of an order.
    pub fn failed(&mut self, now: Now, id: &str, refused: Option<Refused>) {
        self.under_way = None;
        let Some(peer) = self.peers.get_mut(id) else { return };
        let until = now.mono + peer.wait;
        peer.wait = (peer.wait * 2).min(LONGEST_WAIT);
        peer.up.postpone(until);
        peer.down.postpone(until);
        if refused.is_none() {
            // Nobody answered at all.
            peer.echoes.record(now, None);
            peer.next_round = peer.next_round.max(now.mono + ROUNDS_SOON);
        }
    }

    /// Whether both directions were measured by a train that was large enough.
    pub fn is_measured(&self, id: &str) -> bool {
        self.peers.get(id).is_some_and(|peer| peer.up.is_known() && peer.down.is_known())
    }

    /// Whether both directions and the round trip were measured so often that one bad moment does not matter.
    pub fn is_settled(&self, id: &str) -> bool {
        self.peers.get(id).is_some_and(|peer| {
            peer.echoes.answers() >= FEW_ANSWERS && peer.up.is_settled() && peer.down.is_settled()
        })
    }

    /// All links as they are known now.
    pub fn links(&self, now: Now) -> Vec<Link> {
        self.peers.iter().map(|(id, peer)| peer.describe(&self.own, id, now)).collect()
    }

    /// The next thing to do: when, with whom, what. Of what is due, rounds go before trains, and then who has waited
    /// longest; a large train is saved up for, and smaller ones behind it do not eat the savings.
    fn next(&self, now: Moment) -> Option<(Moment, String, Due)> {
        let waiting = self.under_way.as_ref().is_some_and(|(_, until)| now < *until);
        if self.permission == Permission::Nothing || waiting {
            return None;
        }
        let all = self.peers.iter().flat_map(|(id, peer)| {
            let choices = [Due::Round, Due::Train(Direction::Up), Due::Train(Direction::Down)];
            choices
                .into_iter()
                .filter_map(move |choice| Some((self.wanted(id, peer, choice, now)?, id, choice)))
        });
        let (wanted, id, choice) =
            all.min_by_key(|(wanted, id, choice)| ((*wanted).max(now), *choice != Due::Round, *wanted, *id))?;
        let cost = self.peers.get(id)?.cost(choice);
        Some((wanted.max(self.budget.ready(now, cost)), id.clone(), choice))
    }

    /// When it is wanted and its link can bear it, if at all.
    fn wanted(&self, id: &str, peer: &Peer, choice: Due, now: Moment) -> Option<Moment> {
        let Due::Train(direction) = choice else { return Some(peer.next_round) };
        // One end of each link sends trains, in both directions: two would burden it twice.
        let may = peer.kind == PeerKind::Sdk
            && !self.busy
            && self.permission == Permission::Everything
            && self.own.as_str() < id
            && peer.echoes.answers() > 0;
        let ready = |direction| {
            let cost = peer.cost(Due::Train(direction));
            let (wanted, bearable) =
                (peer.way(direction).next, peer.ledger.ready(now, cost, self.limits.share, peer.rate()));
            // Ready now means ready since it was wanted.
            if bearable <= now { wanted } else { wanted.max(bearable) }
        };
        let other = direction.reversed();
        let yields = peer.way(direction).is_known() && !peer.way(other).is_known();
        may.then(|| {
            let own = ready(direction);
            // A direction that is known lets the other go first, although that one may cost more.
            if yields { own.max(ready(other) + Duration::from_millis(1)) } else { own }
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    Round,
    Train(Direction),
}

impl Peer {
    const fn way(&self, direction: Direction) -> &Way {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }

    /// The time between two rounds.
    fn pace(&self) -> Duration {
        let answers = self.echoes.answers();
        match self.kind {
            PeerKind::Sdk if answers < FEW_ANSWERS => ROUNDS_SOON,
            PeerKind::Sdk => ROUNDS_SELDOM,
            PeerKind::Exo if answers < FEW_CONNECTS => CONNECTS_SOON,
            PeerKind::Exo => CONNECTS_SELDOM,
        }
    }

    fn cost(&self, choice: Due) -> f64 {
        match choice {
            Due::Round if self.kind == PeerKind::Exo => f64::from(CONNECTS) * CONNECT_COST,
            Due::Round => f64::from(ECHOES) * ECHO_COST,
            Due::Train(direction) => f64::from(self.way(direction).packets()) * (PACKET as f64 + 28.0),
        }
    }

    /// The slower direction, as far as one is known.
    fn rate(&self) -> Option<f64> {
        match (self.up.rate(), self.down.rate()) {
            (Some(up), Some(down)) => Some(up.min(down)),
            (up, down) => up.or(down),
        }
    }

    fn describe(&self, own: &str, id: &str, now: Now) -> Link {
        let at = now.wall.into();
        let latency = self.echoes.latency(now);
        let bandwidth = |way: &Way| match self.kind {
            PeerKind::Sdk => way.bandwidth(now),
            PeerKind::Exo => Reading::unavailable("exo's nodes do not answer trains", at),
        };
        let peer_to_peer = match latency.p50.source() {
            crate::Source::Unavailable => Reading::unavailable("no answer on a direct socket yet", at),
            _ => Reading::measured(true, latency.p50.at()),
        };
        Link {
            from: own.to_owned(),
            to: id.to_owned(),
            kind: self.link,
            peer_to_peer,
            latency_min: latency.min,
            latency_p50: latency.p50,
            jitter: latency.jitter,
            loss: self.echoes.loss(now),
            bandwidth_up: bandwidth(&self.up),
            bandwidth_down: bandwidth(&self.down),
        }
    }
}
