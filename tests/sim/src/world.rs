//! The world: exo nodes, phones, and what happens between them, one step at a time.

use std::rc::Rc;

use exo_node::{Now, Random, member::Readings, now::Moment};
use exo_wire::{SessionId, datagram::Nonce};

use crate::{
    config::Config,
    exo::Exo,
    faults::{Episode, Fault},
    judge::Judge,
    ledger::{Broken, Ledger},
    phone::{Parcel, Phone},
    queue::{MILLI, Queue, SECOND, Time},
    sample::Samples,
    trace::{Note, Party, Trace},
};

/// Something that happens.
#[derive(Debug)]
pub(crate) enum Step {
    /// The app of a phone is started.
    Start(u16),
    /// A phone's timer rings.
    PhoneTimer(u16),
    /// An exo node's timer rings, unless it was restarted since.
    ExoTimer(u16, u32),
    /// A payload reaches the exo node of that place.
    Arrive { site: u16, parcel: Rc<Parcel>, relayed: bool },
    /// An exo node's router hands out what gathered for its clients.
    HandOut(u16),
    /// A late payload reaches a phone, if it still has that link.
    Hear { phone: u16, epoch: u32, parcel: Rc<Parcel> },
    /// The timer of a phone's discovery rings.
    SearchTimer(u16),
    /// An exo node's answer to a Hello reaches a phone.
    WhatsUp { phone: u16, site: u16, nonce: Nonce },
    /// TCP knocks at an exo node's port.
    Knock { phone: u16, epoch: u32, site: u16 },
    /// A dial ends: linked to that place, or to none.
    Dialled { phone: u16, epoch: u32, site: Option<u16> },
    /// A link breaks, if it still is that one.
    Break { phone: u16, epoch: u32, why: &'static str },
    /// The lease of a link that carries nothing is up.
    Lease { phone: u16, epoch: u32 },
    /// `GET /state` is answered.
    State { phone: u16, site: Option<u16> },
    /// The probe answers.
    Readings { phone: u16, readings: Box<Readings> },
    /// Two exo nodes find each other.
    Peer(u16, u16),
    /// Two exo nodes may have lost each other.
    Unpeer(u16, u16),
    /// An exo node starts.
    Boot(u16),
    /// A fault begins or ends.
    Fault { fault: Fault, begins: bool },
    /// An episode of faults is over.
    Healed,
    /// The next episode is planned.
    Plan(Episode),
    /// The invariants that need time are looked at.
    Judge,
}

/// Where an exo node runs, or could.
#[derive(Debug, Default)]
pub(crate) struct Site {
    pub(crate) exo: Option<Exo>,
    /// Counts its starts.
    pub(crate) run: u32,
    pub(crate) armed: Time,
    /// The phones that are linked here, in order.
    pub(crate) clients: Vec<u16>,
    /// What gathered for them.
    pub(crate) pending: Vec<Rc<Parcel>>,
    /// The places that it is linked to.
    pub(crate) peers: u8,
    /// The places that it can reach, as its tokens say.
    pub(crate) sees: u8,
    pub(crate) session: Option<SessionId>,
    /// The last answer to `GET /state`, good for a moment.
    pub(crate) state: Option<(Time, Rc<str>)>,
}

/// A run that broke a rule.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What was run.
    pub config: Config,
    /// When.
    pub at: Time,
    /// Which rule.
    pub broken: String,
    /// The last things that happened.
    pub diagram: String,
}

/// What came of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Steps taken.
    pub steps: u64,
    /// Payloads that reached a phone.
    pub heard: u64,
    /// Payloads that phones published.
    pub published: u64,
    /// Requests for the log among them.
    pub nacks: u64,
    /// Events of phones in all logs.
    pub logged: u64,
    /// Faults that were injected.
    pub faults: u64,
    /// Sessions that exo nodes led.
    pub sessions: u64,
    /// Events that phones took for acknowledged, each of which was found in its log.
    pub acked: u64,
    /// The longest that a phone took to be joined after all was well, in microseconds; see the judge for what that is.
    pub slowest_rejoin: Time,
    /// Phones that were not joined when everything was healed, counted for each quiet time.
    pub rejoins: u64,
    /// Of those, how many took more than 5 s from the heal itself.
    pub late_rejoins: u64,
    /// And the slowest of them.
    pub slowest_from_heal: Time,
    /// Quiet times that were long enough to be judged to the end, and that were not.
    pub judged: u64,
    /// See above.
    pub unjudged: u64,
    /// How often the pace of all phones together was measured.
    pub paces: u64,
    /// Replicas that were compared with the master's state and were equal.
    pub replicas: u64,
}

impl Tally {
    /// Both together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            heard: self.heard + other.heard,
            published: self.published + other.published,
            nacks: self.nacks + other.nacks,
            logged: self.logged + other.logged,
            faults: self.faults + other.faults,
            sessions: self.sessions + other.sessions,
            acked: self.acked + other.acked,
            slowest_rejoin: self.slowest_rejoin.max(other.slowest_rejoin),
            rejoins: self.rejoins + other.rejoins,
            late_rejoins: self.late_rejoins + other.late_rejoins,
            slowest_from_heal: self.slowest_from_heal.max(other.slowest_from_heal),
            judged: self.judged + other.judged,
            unjudged: self.unjudged + other.unjudged,
            paces: self.paces + other.paces,
            replicas: self.replicas + other.replicas,
        }
    }
}

/// Everything.
#[derive(Debug)]
pub struct World {
    pub(crate) config: Config,
    pub(crate) now: Time,
    pub(crate) queue: Queue<Step>,
    pub(crate) random: Random,
    pub(crate) sites: Vec<Site>,
    pub(crate) phones: Vec<Phone>,
    /// Pairs of exo nodes between which nothing passes.
    pub(crate) split: Vec<(u16, u16)>,
    /// What TCP holds for an exo node while nothing passes.
    pub(crate) stuck: Vec<(u16, u16, Rc<Parcel>)>,
    /// The part of what exo nodes hear that is lost.
    pub(crate) loss_at_exo: f64,
    /// The part of `GET /state` that fails.
    pub(crate) http_fails: f64,
    pub(crate) ledger: Ledger,
    pub(crate) judge: Judge,
    pub(crate) trace: Trace,
    pub(crate) samples: Option<Samples>,
    pub(crate) broken: Option<Broken>,
    pub(crate) tally: Tally,
    /// How long a router gathers payloads before it hands them out.
    pub(crate) gather: Time,
}

impl World {
    /// A world in which nothing has happened yet.
    pub fn new(config: Config) -> Self {
        let mut random = Random::seeded(config.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed);
        let exos = config.exos.unwrap_or(1 + random.below(3) as u16);
        let phones = (0..config.phones).map(|n| Phone::new(n, Random::seeded(random.bits()))).collect();
        let mut world = Self {
            config,
            now: 0,
            queue: Queue::default(),
            sites: (0..exos).map(|_| Site::default()).collect(),
            phones,
            split: Vec::new(),
            stuck: Vec::new(),
            loss_at_exo: 0.0,
            http_fails: 0.0,
            ledger: Ledger::default(),
            judge: Judge::default(),
            trace: Trace::new(20_000, config.trace),
            samples: None,
            broken: None,
            tally: Tally::default(),
            gather: if config.phones > 100 { 100 * MILLI } else { 2 * MILLI },
            random,
        };
        for site in 0..exos {
            let at = world.random.below(3 * SECOND);
            world.queue.push(at, Step::Boot(site));
        }
        // Half a second for each hundred phones: not all at one instant.
        let spread = 2 * SECOND + u64::from(config.phones) * 5 * MILLI;
        for phone in 0..config.phones {
            let at = world.random.below(spread);
            world.queue.push(at, Step::Start(phone));
        }
        world.queue.push(SECOND, Step::Judge);
        world.queue.push(spread + 5 * SECOND, Step::Healed);
        if !config.calm {
            world.plan_episodes(spread + 20 * SECOND);
        }
        world
    }

    /// Runs the whole time.
    pub fn run(&mut self) -> Result<Tally, Box<Failure>> {
        let end = Time::from(self.config.minutes) * 60 * SECOND;
        self.run_until(end)?;
        self.finish()
    }

    /// Runs until then, or until a rule is broken.
    pub fn run_until(&mut self, until: Time) -> Result<(), Box<Failure>> {
        while let Some((at, step)) = self.queue.pop(until) {
            self.now = at;
            self.tally.steps += 1;
            self.step(step);
            self.verdict()?;
        }
        self.now = until;
        self.verdict()
    }

    fn finish(&mut self) -> Result<Tally, Box<Failure>> {
        self.judge_the_end();
        self.verdict()?;
        Ok(Tally {
            published: self.ledger.published,
            nacks: self.ledger.nacks,
            logged: self.ledger.logged,
            acked: self.ledger.acked,
            ..self.tally
        })
    }

    /// Whether a rule is broken by now.
    pub(crate) fn verdict(&self) -> Result<(), Box<Failure>> {
        if self.broken.is_some() { Err(Box::new(self.failure())) } else { Ok(()) }
    }

    fn failure(&self) -> Failure {
        let broken = self.broken.clone().map_or_else(String::new, |Broken(why)| why);
        // A rule that one phone broke begins with its name.
        let number = broken.strip_prefix("phone").and_then(|rest| rest.split(' ').next()?.parse().ok());
        let diagram = self.trace.diagram(number.map(Party::Phone), 80);
        Failure { config: self.config, at: self.now, broken, diagram }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Start(phone) => self.start(phone),
            Step::PhoneTimer(phone) => self.phone_timer(phone),
            Step::ExoTimer(site, run) => self.exo_timer(site, run),
            Step::Arrive { site, parcel, relayed } => self.arrive(site, &parcel, relayed),
            Step::HandOut(site) => self.hand_out(site),
            Step::Hear { phone, epoch, parcel } => self.hear_late(phone, epoch, &parcel),
            Step::SearchTimer(phone) => self.search_timer(phone),
            Step::WhatsUp { phone, site, nonce } => self.whats_up(phone, site, nonce),
            Step::Knock { phone, epoch, site } => self.knock(phone, epoch, site),
            Step::Dialled { phone, epoch, site } => self.dialled(phone, epoch, site),
            Step::Break { phone, epoch, why } => self.break_link(phone, epoch, why),
            Step::Lease { phone, epoch } => self.lease(phone, epoch),
            Step::State { phone, site } => self.answer_state(phone, site),
            Step::Readings { phone, readings } => self.answer_readings(phone, *readings),
            Step::Peer(a, b) => self.peer(a, b),
            Step::Unpeer(a, b) => self.unpeer(a, b),
            Step::Boot(site) => self.boot(site),
            Step::Fault { fault, begins } => self.fault(&fault, begins),
            Step::Healed => self.healed(),
            Step::Plan(episode) => self.begin_episode(episode),
            Step::Judge => self.judge_now(),
        }
    }

    /// The clock of exo nodes.
    pub(crate) fn exo_clock(&self) -> Now {
        let since = std::time::Duration::from_micros(self.now);
        Now { mono: Moment::after_start(since), wall: std::time::Duration::from_hours(500_000) + since }
    }

    /// A rule was broken: the run ends after this step.
    pub(crate) fn fail(&mut self, why: Broken) {
        self.broken.get_or_insert(why);
    }

    pub(crate) fn did(&mut self, who: Party, what: impl Into<String>) {
        self.trace.note(self.now, Note::Did { who, what: what.into() });
    }

    pub(crate) fn told(&mut self, what: impl Into<String>) {
        self.trace.note(self.now, Note::World(what.into()));
    }

    /// `true` with that probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.random.fraction() < probability
    }

    /// A time between the two.
    pub(crate) fn between(&mut self, from: Time, to: Time) -> Time {
        from + self.random.below(to.saturating_sub(from) + 1)
    }
}
