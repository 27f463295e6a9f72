//! One simulated phone: a real member, and what its driver and its network do to it.

use std::{
    collections::VecDeque,
    net::{IpAddr, SocketAddr},
    rc::Rc,
    time::Duration,
};

use exo_node::{
    Now, Random,
    member::{Disk, Gauges, Identity, Member, MemberConfig, Memory, Readings},
    now::Moment,
};
use exo_wire::{NodeId, Topic, gathered::Backend};

use crate::{queue::Time, search::Search, trace::Party};

/// How much a sleeping phone's socket and channel hold.
const INBOX: usize = 1024;

/// A payload on its way.
#[derive(Debug)]
pub struct Parcel {
    /// Who said it.
    pub from: Party,
    /// On which topic.
    pub topic: Topic,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What the network does to one phone now.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weather {
    /// The part of the deliveries to it that are lost.
    pub loss_in: f64,
    /// The part of what it says that is lost.
    pub loss_out: f64,
    /// The part of what it hears and says that comes twice.
    pub twice: f64,
    /// The part of what it hears and says that overtakes, or is overtaken.
    pub strays: f64,
    /// How much later everything comes.
    pub delay: Time,
    /// Nothing reaches it.
    pub deaf: bool,
    /// Nothing leaves it.
    pub mute: bool,
}

/// One phone.
#[derive(Debug)]
pub struct Phone {
    /// Its number.
    pub number: u16,
    /// Its id, kept through restarts.
    pub node_id: NodeId,
    /// The running member; `None` while the app is killed.
    pub member: Option<Member>,
    /// The exo node that it is linked to.
    pub link: Option<u16>,
    /// Counts links and dials, so that what belongs to an older one can be told.
    pub epoch: u32,
    /// Hosts where it found exo before, kept through restarts.
    pub past_hosts: Vec<IpAddr>,
    /// Its discovery, while the app runs.
    pub search: Option<Search>,
    /// What the network does to it.
    pub weather: Weather,
    /// Since when it sleeps.
    pub asleep: Option<Time>,
    /// What came while it slept or could not hear.
    pub inbox: VecDeque<Rc<Parcel>>,
    /// What it said while it was mute: TCP holds it.
    pub outbox: VecDeque<Rc<Parcel>>,
    /// When its timer rings.
    pub armed: Time,
    /// Whether it is joined now.
    pub joined: bool,
    /// How often its app was started.
    pub runs: u32,
    /// How many of its events this run of the app takes for acknowledged.
    pub acked: u64,
    /// When something that it said was lost for good.
    pub lost: Time,
    /// When what it said last reaches its router: only strays overtake.
    pub last_out: Time,
    /// When it said something last.
    pub last_said: Time,
    /// When what is on its way to it has arrived, but for strays.
    pub last_in: Time,
    /// Whether there is an engine, and whether it is able to serve now.
    has_engine: bool,
    able: bool,
    /// Its clock began that long before the world.
    skew: Duration,
    /// Its wall clock is off by so many seconds.
    pub wall: i64,
    /// How often its timer rang without time passing.
    pub still: u32,
    /// For a bug: the origin that it tampers with, its next index, and by how much it is shifted.
    pub shifted: (String, u64, u64),
    /// For a bug: the origin that it used in the first run of its app, and the session.
    pub first_origin: (String, String),
    random: Random,
}

impl Phone {
    /// A phone whose app is not started yet.
    pub fn new(number: u16, mut random: Random) -> Self {
        let has_engine = random.below(3) == 0;
        Self {
            number,
            node_id: NodeId::from_random(random.wide()),
            member: None,
            link: None,
            epoch: 0,
            past_hosts: Vec::new(),
            search: None,
            weather: Weather::default(),
            asleep: None,
            inbox: VecDeque::new(),
            outbox: VecDeque::new(),
            armed: Time::MAX,
            joined: false,
            runs: 0,
            acked: 0,
            lost: 0,
            last_out: 0,
            last_in: 0,
            last_said: 0,
            has_engine,
            able: has_engine,
            skew: Duration::from_millis(random.below(1_000_000)),
            wall: 1_800_000_000,
            still: 0,
            shifted: Default::default(),
            first_origin: Default::default(),
            random,
        }
    }

    /// The phone's clocks.
    pub fn clock(&self, now: Time) -> Now {
        let mono = Moment::after_start(Duration::from_micros(now) + self.skew);
        let wall = Duration::from_secs(self.wall.saturating_add((now / 1_000_000) as i64).max(0) as u64);
        Now { mono, wall }
    }

    /// When that moment of the phone's clock comes.
    pub fn when(&self, moment: Moment) -> Time {
        moment.since_start().saturating_sub(self.skew).as_nanos().div_ceil(1000) as Time
    }

    /// Starts the app.
    pub fn start(&mut self, now: Time) {
        let random = Random::seeded(self.random.bits());
        let clock = self.clock(now);
        (self.runs, self.acked) = (self.runs + 1, 0);
        self.member = Some(Member::new(MemberConfig::of(self.node_id.clone()), random, clock));
    }

    /// Whether deliveries go straight to the member.
    pub fn is_plain(&self, now: Time) -> bool {
        self.asleep.is_none() && self.last_in <= now && self.weather == Weather::default()
    }

    /// Keeps what cannot be heard now; the oldest stays, what does not fit is lost.
    pub fn keep(&mut self, parcel: &Rc<Parcel>) {
        if self.inbox.len() < INBOX {
            self.inbox.push_back(Rc::clone(parcel));
        }
    }

    /// What its probe measures.
    pub fn readings(&mut self) -> Readings {
        let memory = Memory {
            total: 12_000_000_000,
            available: 4_000_000_000 + self.random.below(1_000_000_000),
            swap_total: 0,
            swap_available: 0,
        };
        let identity = Identity {
            name: format!("phone {}", self.number),
            model: "Pixel 9".to_owned(),
            chip: "Tensor G4".to_owned(),
            os_version: "Android 16".to_owned(),
            os_build: "BP2A.250605.031".to_owned(),
        };
        // An engine starts or stops once in a while; half of those that have one measure its load and heat.
        if self.has_engine && self.random.below(40) == 0 {
            self.able = !self.able;
        }
        let is_measured = self.has_engine && self.number.is_multiple_of(2);
        let mut gauge = |most: f64| is_measured.then(|| self.random.fraction() * most);
        let gauges = Gauges { temperature: gauge(60.0), gpu_use: gauge(1.0), ..Gauges::default() };
        Readings {
            memory: Some(memory),
            disk: Some(Disk { total: 128_000_000_000, available: 64_000_000_000 }),
            identity: Some(identity),
            interfaces: self.search.as_ref().map(|search| search.interfaces().to_vec()),
            gauges,
            able: self.able,
            backends: vec![Backend::MlxCpu],
        }
    }
}

/// Where the exo node of this place listens.
pub fn address(site: u16, port: u16) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, (site + 1) as u8], port))
}

/// The place of the exo node at this address.
pub fn site(address: SocketAddr) -> Option<u16> {
    match address {
        SocketAddr::V4(v4) => u16::from(v4.ip().octets()[3]).checked_sub(1),
        SocketAddr::V6(_) => None,
    }
}
