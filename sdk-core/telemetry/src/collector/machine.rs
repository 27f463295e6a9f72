//! The collector as a state machine.

use std::{collections::VecDeque, net::SocketAddr, time::Duration};

use super::{Pace, has_changed, smoothing::smoothed};
use crate::{
    Now, Random, Readings,
    now::Moment,
    probe::Identity,
    protocol::{
        Body, DeviceCapabilities, DeviceRegistration, Extra, Goodbye, GpuMetrics, Heartbeat, LinkReport,
        Message, VERSION,
    },
    reading::{Group, Groups, Quantity},
};

/// How often everything is told again.
const EVERYTHING: Duration = Duration::from_mins(5);
/// How soon again for newcomers, however many come.
const NEWCOMERS: Duration = Duration::from_secs(10);
/// The least time between two messages about changes.
const BREATH: Duration = Duration::from_secs(1);
/// How long the probe may take before something is said without it.
const PROBE: Duration = Duration::from_secs(1);
/// A calm group is looked at this many times less often: 1, 2, 4.
const CALMEST: u32 = 2;

/// What happens to a collector.
#[derive(Debug)]
pub enum Input<'a> {
    /// Time has passed.
    Tick,
    /// The probe looked at these groups, because it was asked or because the system called it.
    Looked(Groups, &'a Readings),
    /// So many listen now.
    Listeners(usize),
    /// Somebody new listens and cannot be counted, or missed something.
    Newcomer,
    /// Our own screen is shown, or not.
    Shown(bool),
    /// The device said who it is.
    Identified(&'a Identity),
    /// What the device can do was measured.
    Capable(Box<DeviceCapabilities>),
    /// Where others may probe the links to us, and what we measured ourselves.
    Linked(Vec<SocketAddr>, Vec<LinkReport>),
    /// The device leaves, and why.
    Leave(&'a str),
}

/// What a collector wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Look at these groups, and answer with [`Input::Looked`].
    Look(Groups),
    /// Tell everybody who listens.
    Tell(Box<Message>),
}

/// When one group is looked at.
#[derive(Debug, Clone, Copy, Default)]
struct Schedule {
    looked: Option<Moment>,
    due: Moment,
    calm: u32,
}

/// Decides when to look at the device and what to tell. Owns no clock and no probe.
#[derive(Debug)]
pub struct Collector {
    registration: DeviceRegistration,
    run: u32,
    sequence: u64,
    started: Moment,
    random: Random,
    listeners: usize,
    shown: bool,
    pace: Pace,
    readings: Box<Readings>,
    /// What listeners know; `None` while there are none.
    told: Option<Box<Readings>>,
    /// Some began to listen after everything was told.
    newcomers: bool,
    told_at: Option<Moment>,
    schedule: [Schedule; Group::ALL.len()],
    next_beat: Moment,
    answer_by: Option<Moment>,
    said: Option<Moment>,
    outputs: VecDeque<Output>,
}

impl Collector {
    /// A collector for this device. It is silent until somebody listens.
    pub fn new(now: Now, registration: DeviceRegistration, mut random: Random) -> Self {
        let readings = Readings::unavailable("not looked at yet", now.wall.into());
        Self {
            registration,
            run: random.bits() as u32,
            sequence: 0,
            started: now.mono,
            random,
            listeners: 0,
            shown: false,
            pace: Pace::of(&readings, false),
            readings: Box::new(readings),
            told: None,
            newcomers: false,
            told_at: None,
            schedule: [Schedule::default(); Group::ALL.len()],
            next_beat: now.mono,
            answer_by: None,
            said: None,
            outputs: VecDeque::new(),
        }
    }

    /// Feeds one input.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        match input {
            Input::Tick => {}
            Input::Looked(groups, readings) => self.looked(now, groups, readings),
            Input::Listeners(count) => self.listened(now, count),
            Input::Newcomer => self.greet(now),
            Input::Shown(shown) => {
                self.shown = shown;
                self.repace(now);
            }
            Input::Identified(identity) => {
                self.registration.identify(identity);
                self.register_again(now);
            }
            Input::Capable(capabilities) => {
                self.registration.capabilities = *capabilities;
                self.register_again(now);
            }
            Input::Linked(probe_at, links) => {
                (self.registration.probe_at, self.registration.links) = (probe_at, links);
                self.register_again(now);
            }
            Input::Leave(reason) => self.leave(now, reason),
        }
        self.tick(now);
    }

    /// The next thing that it wants; `None` until something happens.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to call `handle` with [`Input::Tick`], if nothing else happens before. `None` while nobody listens.
    pub fn deadline(&self) -> Option<Moment> {
        (self.listeners > 0).then(|| self.answer_by.unwrap_or(self.next_beat))
    }

    /// The device as last seen, smoothed.
    pub const fn readings(&self) -> &Readings {
        &self.readings
    }

    /// How eager it is.
    pub const fn pace(&self) -> Pace {
        self.pace
    }

    fn tick(&mut self, now: Now) {
        if self.listeners == 0 {
            return;
        }
        if let Some(by) = self.answer_by {
            if by <= now.mono {
                self.beat(now);
            }
        } else if self.next_beat <= now.mono {
            let soon = now.mono + self.pace.beat() / 2;
            let due: Groups = Group::ALL
                .into_iter()
                .zip(&self.schedule)
                .filter_map(|(group, schedule)| (schedule.due <= soon).then_some(group))
                .collect();
            if due.is_empty() {
                self.beat(now);
            } else {
                self.answer_by = Some(now.mono + PROBE);
                self.outputs.push_back(Output::Look(due));
            }
        }
    }

    fn listened(&mut self, now: Now, count: usize) {
        let (before, newcomers) = (self.listeners, count > self.listeners);
        self.listeners = count;
        if count == 0 {
            (self.told, self.answer_by) = (None, None);
        } else if newcomers {
            if before == 0 {
                self.next_beat = now.mono + EVERYTHING;
            }
            self.greet(now);
        }
        if before == 0 {
            self.schedule = [Schedule { due: now.mono, ..Schedule::default() }; Group::ALL.len()];
        }
    }

    /// Everything is told again soon, if anybody listens.
    fn greet(&mut self, now: Now) {
        if self.listeners == 0 {
            return;
        }
        self.newcomers = true;
        let soonest = self.told_at.map_or(now.mono, |at| now.mono.max(at + NEWCOMERS));
        self.next_beat = self.next_beat.min(soonest);
    }

    fn looked(&mut self, now: Now, groups: Groups, seen: &Readings) {
        for group in groups.iter() {
            let elapsed = self.schedule[group as usize].looked.map_or(Duration::MAX, |at| now.mono.since(at));
            let mut changed = false;
            for quantity in Quantity::ALL.into_iter().filter(|quantity| quantity.group() == group) {
                let fresh = quantity.plausible(seen.get(quantity));
                let smooth = smoothed(quantity, &self.readings.get(quantity), fresh, elapsed);
                self.readings.set(quantity, smooth);
                changed |= self.is_news(quantity);
            }
            let calm = if changed { 0 } else { (self.schedule[group as usize].calm + 1).min(CALMEST) };
            let due = now.mono + self.pace.look(group) * (1 << calm);
            self.schedule[group as usize] = Schedule { looked: Some(now.mono), due, calm };
        }
        self.repace(now);
        if self.listeners == 0 {
            return;
        }
        if self.answer_by.is_some() {
            self.beat(now);
        } else if self.told.is_some() {
            self.tell_changes(now);
        }
    }

    /// The system called and something changed: that need not wait for a beat, but does not come in a flood either.
    fn tell_changes(&mut self, now: Now) {
        let earliest = self.said.map_or(now.mono, |said| said + BREATH);
        if earliest > now.mono {
            if Quantity::ALL.into_iter().any(|quantity| self.is_news(quantity)) {
                self.next_beat = self.next_beat.min(earliest);
            }
        } else if let Some(changes) = self.changes(now) {
            self.say(now, Body::Metrics(changes));
        }
    }

    /// Whether a reading differs from what listeners know.
    fn is_news(&self, quantity: Quantity) -> bool {
        let now = self.readings.get(quantity);
        self.told.as_ref().is_none_or(|told| has_changed(quantity, &told.get(quantity), &now))
    }

    /// What differs from what listeners know, which from now on is what they know; `None` if nothing does.
    fn changes(&mut self, now: Now) -> Option<GpuMetrics> {
        let mut metrics = GpuMetrics::nothing_new(self.registration.device_id.clone(), now.wall.into());
        for quantity in Quantity::ALL {
            if self.is_news(quantity) {
                let reading = self.readings.get(quantity);
                if let Some(told) = &mut self.told {
                    told.set(quantity, reading.clone());
                }
                metrics.tell(quantity, reading);
            }
        }
        (!metrics.readings.is_empty()).then_some(metrics)
    }

    fn beat(&mut self, now: Now) {
        let (device, at) = (self.registration.device_id.clone(), now.wall.into());
        let wait = if self.newcomers { NEWCOMERS } else { EVERYTHING };
        let is_time = self.told_at.is_none_or(|told| told + wait <= now.mono);
        let everything = self.told.is_none() || is_time;
        let metrics = if everything {
            self.register(now);
            self.told = Some(self.readings.clone());
            (self.told_at, self.newcomers) = (Some(now.mono), false);
            GpuMetrics::everything(device, at, &self.readings)
        } else {
            self.changes(now).unwrap_or_else(|| GpuMetrics::nothing_new(device, at))
        };
        let next = self.pace.beat();
        let uptime = now.mono.since(self.started);
        // Phones that began together do not speak together for ever: after everything was told, the next beat comes
        // anywhere in the interval.
        let part = if everything { self.random.fraction() } else { 1.0 };
        self.say(now, Body::Heartbeat(Heartbeat { uptime, next, metrics, extra: Extra::new() }));
        self.answer_by = None;
        self.next_beat = now.mono + next.mul_f64(part);
    }

    fn repace(&mut self, now: Now) {
        let pace = Pace::of(&self.readings, self.shown);
        if pace == self.pace {
            return;
        }
        self.pace = pace;
        self.next_beat = self.next_beat.min(now.mono + pace.beat());
        for (group, schedule) in Group::ALL.into_iter().zip(&mut self.schedule) {
            schedule.due = schedule.due.min(now.mono + pace.look(group));
            schedule.calm = 0;
        }
    }

    /// The registration is another one: whoever knows the old one is told.
    fn register_again(&mut self, now: Now) {
        if self.told.is_some() {
            self.register(now);
        }
    }

    fn register(&mut self, now: Now) {
        self.registration.timestamp = now.wall.into();
        self.say(now, Body::Registration(Box::new(self.registration.clone())));
    }

    fn leave(&mut self, now: Now, reason: &str) {
        if self.listeners > 0 && self.said.is_some() {
            let device_id = self.registration.device_id.clone();
            let goodbye = Goodbye::new(device_id, now.wall.into(), reason);
            self.say(now, Body::Goodbye(goodbye));
        }
        (self.listeners, self.told, self.answer_by) = (0, None, None);
    }

    fn say(&mut self, now: Now, body: Body) {
        let message = Message { protocol: VERSION, run: self.run, sequence: self.sequence, body };
        self.sequence += 1;
        self.said = Some(now.mono);
        self.outputs.push_back(Output::Tell(Box::new(message)));
    }
}
