//! What one device told.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    Heard,
    sequences::{Arrival, Sequences, Traffic},
};
use crate::{
    Now, Reading, Readings, Timestamp,
    now::Moment,
    protocol::{Body, DeviceRegistration, Extra, GpuMetrics, LinkReport, Message},
    reading::Quantity,
};

/// How long a device may be silent before it ever promised anything.
const FIRST_PROMISE: Duration = Duration::from_secs(15);
/// What a promise may be: less would be nervous, more would never notice.
const PROMISES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(10));
/// The most bytes of unknown fields that are kept of one device.
const MOST_EXTRA: usize = 2 << 10;

/// Whether a device is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// It keeps its promises.
    Present,
    /// It broke two promises in a row: what it told may be old.
    Stale,
    /// It broke five: do not count on it.
    Lost,
    /// It said goodbye.
    Left,
}

impl Presence {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Present, Self::Stale, Self::Lost, Self::Left];

    /// Its word in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Stale => "stale",
            Self::Lost => "lost",
            Self::Left => "left",
        }
    }
}

/// What one device told, and how.
#[derive(Debug, Clone)]
pub struct Device {
    run: u32,
    /// Runs that ended: what still comes of them is late.
    past: [Option<u32>; 4],
    sequences: Sequences,
    traffic: Traffic,
    heard: Moment,
    promised: Duration,
    presence: Presence,
    registration: Option<(u64, Box<DeviceRegistration>)>,
    readings: Box<Readings>,
    /// In which message each reading was told; 0 is in none, and all else one more.
    told: [u64; Quantity::COUNT],
    uptime: Option<Duration>,
    behind_ms: Option<i64>,
}

impl Device {
    pub(super) fn new(now: Now, run: u32) -> Self {
        Self {
            run,
            past: [None; 4],
            sequences: Sequences::default(),
            traffic: Traffic { runs: 1, ..Traffic::default() },
            heard: now.mono,
            promised: FIRST_PROMISE,
            presence: Presence::Present,
            registration: None,
            readings: Box::new(nothing_told(now.wall.into())),
            told: [0; Quantity::COUNT],
            uptime: None,
            behind_ms: None,
        }
    }

    /// Whether it is there.
    pub const fn presence(&self) -> Presence {
        self.presence
    }

    /// Who it is, once it said so.
    pub fn registration(&self) -> Option<&DeviceRegistration> {
        self.registration.as_ref().map(|(_, registration)| &**registration)
    }

    /// What it measured. What it did not tell yet is unavailable.
    pub const fn readings(&self) -> &Readings {
        &self.readings
    }

    /// Whether it told everything, and nothing was missed since.
    pub fn is_whole(&self) -> bool {
        self.sequences.is_whole()
    }

    /// When it was last heard, by our clock.
    pub const fn heard(&self) -> Moment {
        self.heard
    }

    /// How its messages came.
    pub const fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// How long its telemetry had run when it last said so.
    pub const fn uptime(&self) -> Option<Duration> {
        self.uptime
    }

    /// By how many milliseconds its clock is behind ours, the quickest message's time on the way included. Negative
    /// if it is ahead. For people: nothing is decided by it.
    pub const fn behind_ms(&self) -> Option<i64> {
        self.behind_ms
    }

    /// Whether a single message is all that it ever said.
    pub(super) const fn is_a_stranger(&self) -> bool {
        self.traffic.taken <= 1
    }

    /// When it becomes stale, lost or forgotten.
    pub(super) fn due(&self) -> Moment {
        let silence = match self.presence {
            Presence::Present => self.promised * 2 + Duration::from_secs(2),
            Presence::Stale => self.promised * 5 + Duration::from_secs(5),
            Presence::Lost => self.promised * 5 + Duration::from_mins(10),
            Presence::Left => Duration::from_mins(1),
        };
        self.heard + silence
    }

    /// What follows from its silence; `None` is to be forgotten.
    pub(super) const fn silent(&mut self) -> Option<Presence> {
        self.presence = match self.presence {
            Presence::Present => Presence::Stale,
            Presence::Stale => Presence::Lost,
            Presence::Lost | Presence::Left => return None,
        };
        Some(self.presence)
    }

    /// We slept for so long ourselves; that was no silence of the device.
    pub(super) fn excuse(&mut self, slept: Duration) {
        self.heard = self.heard + slept;
    }

    /// Takes a message of the device.
    pub(super) fn take(&mut self, now: Now, message: Message) -> Heard {
        let mut restarted = false;
        if message.run != self.run {
            if self.past.contains(&Some(message.run)) {
                return Heard::OldRun;
            }
            restarted = true;
            self.restart(now, message.run);
        }
        let arrival = self.sequences.arrived(message.sequence, &mut self.traffic);
        let verdict = match arrival {
            Arrival::Duplicate => return Heard::Duplicate,
            Arrival::TooOld => return Heard::TooOld,
            Arrival::Late => Heard::Late,
            Arrival::Newest if restarted => Heard::Restarted,
            Arrival::Newest => Heard::Newest,
        };
        let is_newest = arrival == Arrival::Newest;
        if is_newest {
            self.heard = self.heard.max(now.mono);
            self.presence = Presence::Present;
        }
        match message.body {
            Body::Registration(registration) => self.registered(now, message.sequence, registration),
            Body::Metrics(metrics) => self.measured(now, message.sequence, metrics),
            Body::Heartbeat(heartbeat) => {
                if is_newest {
                    self.promised = heartbeat.next.clamp(PROMISES.0, PROMISES.1);
                    self.uptime = Some(heartbeat.uptime);
                }
                self.measured(now, message.sequence, heartbeat.metrics);
            }
            Body::Goodbye(_) if is_newest => self.presence = Presence::Left,
            Body::Goodbye(_) | Body::Other { .. } => {}
        }
        verdict
    }

    /// The device's telemetry started anew: it counts from the beginning, and what it told before is old.
    fn restart(&mut self, now: Now, run: u32) {
        self.past.rotate_right(1);
        self.past[0] = Some(self.run);
        self.run = run;
        self.sequences = Sequences::default();
        self.traffic.runs += 1;
        self.told = [0; Quantity::COUNT];
        *self.readings = nothing_told(now.wall.into());
        self.registration = self.registration.take().map(|(_, registration)| (0, registration));
        self.promised = FIRST_PROMISE;
    }

    fn registered(&mut self, now: Now, sequence: u64, mut registration: Box<DeviceRegistration>) {
        if self.registration.as_ref().is_some_and(|(told, _)| *told > sequence) {
            return;
        }
        self.compare_clocks(now, registration.timestamp);
        bound(&mut registration);
        self.registration = Some((sequence, registration));
    }

    fn measured(&mut self, now: Now, sequence: u64, mut metrics: GpuMetrics) {
        self.compare_clocks(now, metrics.timestamp);
        let told_in = sequence.saturating_add(1);
        for (quantity, told) in Quantity::ALL.into_iter().zip(&mut self.told) {
            // A late message fills in only what no newer one told.
            if *told > told_in {
                continue;
            }
            match metrics.readings.remove(&quantity) {
                Some(reading) => self.readings.set(quantity, reading.reading),
                None if metrics.full => {
                    self.readings
                        .set(quantity, Reading::unavailable("the device did not tell", metrics.timestamp));
                }
                None => continue,
            }
            *told = told_in;
        }
        if metrics.full {
            self.sequences.told_everything(sequence);
        }
    }

    fn compare_clocks(&mut self, now: Now, theirs: Timestamp) {
        let ours = i64::try_from(Timestamp::from(now.wall).0).unwrap_or(i64::MAX);
        let theirs = i64::try_from(theirs.0).unwrap_or(i64::MAX);
        let behind = ours.saturating_sub(theirs);
        self.behind_ms = Some(self.behind_ms.map_or(behind, |least| {
            // A clock that was set shows as a jump; otherwise the quickest message is the truest.
            if least.abs_diff(behind) > 60_000 { behind } else { least.min(behind) }
        }));
    }
}

fn nothing_told(at: Timestamp) -> Readings {
    Readings::unavailable("the device did not tell yet", at)
}

/// Unknown fields are kept, but a stranger must not fill our memory with them.
fn bound(registration: &mut DeviceRegistration) {
    fn size(extra: &Extra) -> usize {
        if extra.is_empty() { 0 } else { serde_json::to_string(extra).map_or(usize::MAX, |json| json.len()) }
    }
    let capabilities = &mut registration.capabilities;
    let known = [
        &mut registration.extra,
        &mut capabilities.extra,
        &mut capabilities.memory_bytes.extra,
        &mut capabilities.compute_units.extra,
        &mut capabilities.peak_flops_per_s.extra,
        &mut capabilities.memory_bytes_per_s.extra,
    ];
    let of_links = registration.links.iter_mut().flat_map(LinkReport::extras);
    let mut room = MOST_EXTRA;
    for extra in known.into_iter().chain(of_links) {
        match room.checked_sub(size(extra)) {
            Some(left) => room = left,
            None => extra.clear(),
        }
    }
}
