//! The machine.

use std::{collections::VecDeque, net::SocketAddr, time::Duration};

use exo_telemetry::{
    Now, Random, Readings,
    aggregator::{Aggregator, ClusterState, Presence},
    collector::{self, Collector},
    exposition::exposition,
    now::Moment,
    policy::{Policy, PolicyKeeper, State, Surroundings},
    probe::Identity,
    protocol::{DeviceCapabilities, DeviceId, DeviceRegistration, LinkReport, Message},
    reading::{Group, Groups, Quantity},
    thermal::{GovernorConfig, Level, TICK, ThermalGovernor},
};
use exo_wire::gathered::Backend;

use super::{Condition, Work, announcement::announcement, cost::costly};
use crate::{
    member,
    worker::{Allowed, Offer},
};

/// So many looks in a row that brought nothing, and nothing is known of the device.
const FRUITLESS: u32 = 3;
/// How far ahead the forecast looks.
const HORIZON: Duration = Duration::from_mins(1);
/// Other members that are kept in mind: a home has tens of devices.
const MOST_DEVICES: usize = 256;
const MINUTES_A_DAY: i64 = 24 * 60;

/// What is decided once.
#[derive(Debug, Clone)]
pub struct VitalsConfig {
    /// What we are called in the cluster.
    pub device_id: DeviceId,
    /// What the owner allows.
    pub policy: Policy,
    /// Which heat is too much. `None`: what suits the type of device; until that is known, a phone's.
    pub governor: Option<GovernorConfig>,
    /// What an engine of ours is called in exo's words. None: there is no engine, and nothing is ever offered.
    pub backends: Vec<Backend>,
    /// What the engine offers before it said so itself: [`Offer::NOTHING`] for one that will, and
    /// [`Offer::UNLIMITED`] where the app alone answers for the backends.
    pub offer: Offer,
    /// By how many minutes the owner's clock is ahead of UTC. Without it quiet hours cannot be known, and hold all day.
    pub utc_offset: Option<i16>,
}

/// What happens.
#[derive(Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Vitals::deadline`].
    Tick,
    /// The member wants to announce how we are.
    Asked,
    /// The probe said who we are. Before that, exo and other members are told nothing of it.
    Identified(Identity),
    /// The system says that these changed.
    Noticed(Groups),
    /// The probe looked at these groups.
    Looked(Groups, &'a Readings),
    /// The probe broke, or did not answer in time.
    NotLooked,
    /// Another member told something, on the key of this device.
    Heard(&'a str, &'a [u8]),
    /// Others listen to us and we may speak to them; or not.
    Listened(bool),
    /// Somebody asked all members how they are.
    Inquired,
    /// Somebody watches us here: a page, a scraper.
    Watched(bool),
    /// Our app is on the screen.
    Shown(bool),
    /// The owner changed the rules.
    Policy(Policy),
    /// What our own work takes of the device.
    Work(Work),
    /// What the engine offers now.
    Offer(Offer),
    /// What the device can do was measured.
    Capable(Box<DeviceCapabilities>),
    /// Where others may probe the links to us, and what we measured ourselves.
    Linked(Vec<SocketAddr>, Vec<LinkReport>),
    /// The member leaves.
    Leave,
}

/// What is wanted.
#[derive(Debug)]
pub enum Output {
    /// Look at these groups, and answer with [`Input::Looked`] or [`Input::NotLooked`].
    Look(Groups),
    /// Publish this on our own key.
    Tell(Vec<u8>),
    /// This is what exo may know of us.
    Announce(Box<member::Readings>),
    /// This is what our own work may do now.
    Allow(Allowed),
    /// [`Vitals::condition`] or [`Vitals::cluster`] changed.
    Changed,
}

/// Who wants to know how we are.
#[derive(Debug, Default)]
struct Audience {
    /// Other members.
    listened: bool,
    /// Somebody here.
    watched: bool,
    /// As many as the collector knows of.
    count: usize,
}

/// How this device is, and what it knows of others. Owns no clock and no probe.
#[derive(Debug)]
pub struct Vitals {
    config: VitalsConfig,
    /// Who we are, once the probe said so.
    identity: Option<Identity>,
    collector: Collector,
    aggregator: Aggregator,
    keeper: PolicyKeeper,
    /// Three models of the heat, each with hundreds of guesses.
    governor: Box<ThermalGovernor>,
    seen: Box<Readings>,
    work: Work,
    shown: Option<bool>,
    audience: Audience,
    /// A look is under way.
    looking: bool,
    /// What to look at after it.
    wanted: Groups,
    /// The member waits for an announcement.
    asked: bool,
    /// Whether the last announcement offered a backend.
    offers: bool,
    /// What the engine offers.
    offer: Offer,
    /// What our own work was last told that it may do.
    allowed: Option<Allowed>,
    /// When work that was begun before the heat paused us must be over.
    paused_until: Option<Moment>,
    fruitless: u32,
    next_tick: Moment,
    outputs: VecDeque<Output>,
}

impl Vitals {
    /// A device that was not looked at yet: it offers nothing.
    pub fn new(now: Now, config: VitalsConfig, random: Random) -> Self {
        let at = now.wall.into();
        let capabilities = DeviceCapabilities::unknown("not measured yet", at);
        let registration =
            DeviceRegistration::new(config.device_id.clone(), at, &Identity::unknown(), capabilities);
        Self {
            offer: config.offer,
            allowed: None,
            paused_until: None,
            collector: Collector::new(now, registration, random),
            aggregator: Aggregator::with_room_for(MOST_DEVICES),
            keeper: PolicyKeeper::new(config.policy.clone()),
            governor: Box::new(ThermalGovernor::new(config.governor.unwrap_or_default())),
            config,
            identity: None,
            seen: Box::new(Readings::unavailable("not looked at yet", at)),
            work: Work::default(),
            shown: None,
            audience: Audience::default(),
            looking: false,
            wanted: Groups::NONE,
            asked: false,
            offers: false,
            fruitless: 0,
            next_tick: now.mono,
            outputs: VecDeque::new(),
        }
    }

    /// Feeds one input.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        match input {
            Input::Tick => {}
            Input::Asked => {
                self.asked = true;
                self.want(Groups::ALL);
            }
            Input::Identified(identity) => {
                self.collector.handle(now, collector::Input::Identified(&identity));
                if self.config.governor.is_none() {
                    *self.governor = ThermalGovernor::new(GovernorConfig::of(identity.device_type));
                }
                self.identity = Some(identity);
            }
            Input::Noticed(groups) => self.want(groups),
            Input::Looked(groups, readings) => self.looked(now, groups, readings),
            Input::NotLooked => self.not_looked(now),
            Input::Heard(device, payload) => self.heard(now, device, payload),
            Input::Listened(listened) => self.audience.listened = listened,
            Input::Inquired => self.collector.handle(now, collector::Input::Newcomer),
            Input::Watched(watched) => self.audience.watched = watched,
            Input::Shown(shown) => {
                self.shown = Some(shown);
                self.collector.handle(now, collector::Input::Shown(shown));
                self.judge(now);
            }
            Input::Policy(policy) => {
                self.config.policy = policy.clone();
                self.keeper.set_policy(policy);
                self.want(Groups::ALL);
            }
            Input::Work(work) => self.works(now, work),
            Input::Offer(offer) => {
                self.offer = offer;
                // Before the first look every rule would say no, and work would have to wait until all is calm. Who we
                // are comes with it.
                if self.identity.is_some() {
                    self.judge(now);
                }
            }
            Input::Capable(capabilities) => {
                self.collector.handle(now, collector::Input::Capable(capabilities));
            }
            Input::Linked(probe_at, links) => {
                self.collector.handle(now, collector::Input::Linked(probe_at, links));
            }
            Input::Leave => self.collector.handle(now, collector::Input::Leave("the member leaves")),
        }
        self.tick(now);
    }

    /// The next thing that is wanted; `None` until something happens.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to call `handle` with [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Moment> {
        let governed = self.is_governed().then_some(self.next_tick);
        let deadlines =
            [self.collector.deadline(), self.aggregator.deadline(), self.keeper.deadline(), governed];
        deadlines.into_iter().flatten().min()
    }

    /// Whether others listen to us, as we were last told.
    pub const fn is_listened(&self) -> bool {
        self.audience.listened
    }

    /// How we are.
    pub fn condition(&mut self, now: Now) -> Condition {
        Condition {
            readings: (*self.seen).clone(),
            allowance: self.keeper.allowance().clone(),
            state: self.keeper.state(),
            standing: self.governor.standing(now.mono, HORIZON),
            offers: self.offers,
        }
    }

    /// How all are who told; we ourselves are among them while somebody listens or watches.
    pub fn cluster(&self, now: Now) -> ClusterState {
        self.aggregator.state(now)
    }

    /// The same for Prometheus.
    pub fn metrics(&self, now: Now) -> String {
        exposition(&self.aggregator, now)
    }

    fn want(&mut self, groups: Groups) {
        self.wanted = self.wanted | groups;
        if !self.looking && !self.wanted.is_empty() {
            self.looking = true;
            self.outputs.push_back(Output::Look(std::mem::take(&mut self.wanted)));
        }
    }

    fn looked(&mut self, now: Now, groups: Groups, readings: &Readings) {
        self.fruitless = 0;
        for quantity in Quantity::ALL.into_iter().filter(|quantity| groups.contains(quantity.group())) {
            // Refuses what no device can have: a probe is somebody else's code.
            self.seen.set(quantity, readings.get(quantity));
        }
        self.digest(now, groups);
    }

    /// A probe that is late once keeps its place; one that stays away is a device of which nothing is known.
    fn not_looked(&mut self, now: Now) {
        self.fruitless = self.fruitless.saturating_add(1);
        if self.fruitless < FRUITLESS {
            (self.looking, self.asked) = (false, false);
            return self.want(Groups::NONE);
        }
        *self.seen = Readings::unavailable("the probe does not answer", now.wall.into());
        self.digest(now, Groups::ALL);
    }

    fn digest(&mut self, now: Now, groups: Groups) {
        self.looking = false;
        self.collector.handle(now, collector::Input::Looked(groups, &self.seen));
        if groups.contains(Group::Thermal) {
            self.governor.busy(self.work.busy);
            self.governor.tick(now, &self.seen.thermal);
            self.next_tick = now.mono + TICK;
        }
        self.judge(now);
        if std::mem::take(&mut self.asked) {
            self.announce();
        }
        self.want(Groups::NONE);
    }

    /// Holds the policy against what is known. What changes whether we may be picked is announced at once.
    fn judge(&mut self, now: Now) {
        let around = Surroundings {
            readings: &self.seen,
            memory_used: Some(self.work.memory),
            minute_of_day: self.minute_of_day(now),
            foreground: self.shown,
        };
        self.keeper.observe(now.mono, &around);
        if self.may_offer() != self.offers {
            self.announce();
        }
        self.allow(now.mono);
        self.outputs.push_back(Output::Changed);
    }

    /// Our own work hears what it may do, when that changed. Heat that pauses it gives it as long as a rule would.
    fn allow(&mut self, now: Moment) {
        let (allowance, level) = (self.keeper.allowance(), self.governor.level());
        let paused = level == Level::Paused;
        let by = self.paused_until.unwrap_or(now + self.keeper.policy().drain);
        self.paused_until = paused.then_some(by);
        let finish_by = match self.keeper.state() {
            State::Working => self.paused_until,
            State::Draining { until } => Some(self.paused_until.map_or(until, |by| by.min(until))),
            State::Stopped => None,
        };
        let heat = paused.then(|| "it is too hot".to_owned());
        let rules = (!allowance.admit).then(|| allowance.sentence());
        let allowed = Allowed {
            admit: allowance.admit && !paused,
            finish_by,
            share: allowance.share.min(level.measures().duty),
            memory: self.keeper.policy().memory_cap,
            why: rules.into_iter().chain(heat).collect::<Vec<_>>().join("; "),
            costly: costly(&self.seen.network),
        };
        if self.allowed.as_ref() != Some(&allowed) {
            self.allowed = Some(allowed.clone());
            self.outputs.push_back(Output::Allow(allowed));
        }
    }

    /// A phone that is paused for its heat would not answer, nor one whose engine has no room: it is not to be picked.
    fn may_offer(&self) -> bool {
        let works = self.keeper.allowance().admit && self.governor.level() != Level::Paused;
        works && self.offer.able && !self.config.backends.is_empty()
    }

    fn announce(&mut self) {
        self.offers = self.may_offer();
        let backends = if self.offers { self.config.backends.clone() } else { Vec::new() };
        let cap = self.keeper.policy().memory_cap;
        let limits = (cap, self.offer.memory);
        let announced = announcement(&self.seen, self.identity.as_ref(), limits, backends);
        self.outputs.push_back(Output::Announce(Box::new(announced)));
    }

    fn works(&mut self, now: Now, work: Work) {
        let began = self.work.busy <= 0.0 && work.busy > 0.0;
        self.work = work;
        if work.memory == 0 && work.busy <= 0.0 {
            self.keeper.work_ended();
        }
        if began {
            self.next_tick = now.mono;
        }
        self.judge(now);
    }

    fn heard(&mut self, now: Now, device: &str, payload: &[u8]) {
        // What we told comes back only if somebody sends it again: nobody tells us how we are.
        if device != self.config.device_id.as_str() {
            // The aggregator counts what it refuses.
            let _ = self.aggregator.hear_from(now, device, payload);
            self.outputs.push_back(Output::Changed);
        }
    }

    fn tick(&mut self, now: Now) {
        if self.aggregator.deadline().is_some_and(|due| due <= now.mono) {
            self.aggregator.tick(now);
        }
        while self.aggregator.poll().is_some() {}
        if self.keeper.deadline().is_some_and(|due| due <= now.mono) {
            self.judge(now);
        }
        if self.is_governed() && self.next_tick <= now.mono && !self.looking {
            self.want(Group::Thermal.into());
        }
        self.count_listeners(now);
        if self.collector.deadline().is_some_and(|due| due <= now.mono) {
            self.collector.handle(now, collector::Input::Tick);
        }
        while let Some(wish) = self.collector.poll() {
            match wish {
                collector::Output::Look(groups) => self.want(groups),
                collector::Output::Tell(message) => self.tell(now, *message),
            }
        }
    }

    /// A newcomer is told everything: it shows by telling us something itself.
    fn count_listeners(&mut self, now: Now) {
        let mut listeners = usize::from(self.audience.watched);
        if self.audience.listened {
            let others = self.aggregator.devices().filter(|(id, _)| **id != self.config.device_id);
            let present = others.filter(|(_, device)| device.presence() == Presence::Present);
            listeners += present.count().max(1);
        }
        if listeners != self.audience.count {
            self.audience.count = listeners;
            self.collector.handle(now, collector::Input::Listeners(listeners));
        }
    }

    fn tell(&mut self, now: Now, message: Message) {
        // A message of ours that cannot be sent would be a fault of ours; nobody is harmed by its absence.
        if self.audience.listened
            && let Ok(json) = message.to_json()
        {
            self.outputs.push_back(Output::Tell(json.into_bytes()));
        }
        self.aggregator.take(now, message);
        self.outputs.push_back(Output::Changed);
    }

    /// Whether the heat has to be looked at twice a second.
    fn is_governed(&self) -> bool {
        self.work.busy > 0.0
    }

    fn minute_of_day(&self, now: Now) -> Option<u16> {
        let minutes = i64::try_from(now.wall.as_secs() / 60).ok()?;
        let local = minutes.checked_add(self.config.utc_offset?.into())?;
        u16::try_from(local.rem_euclid(MINUTES_A_DAY)).ok()
    }
}
