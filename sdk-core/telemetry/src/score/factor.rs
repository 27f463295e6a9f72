//! The parts of a score.

use serde::Serialize;

use super::{
    Candidate, Reference,
    heat::{PLAUSIBLE_CELSIUS, PLAUSIBLE_HEADROOM, WARM_CELSIUS, by_celsius, by_headroom, by_status},
    reference::fraction,
};
use crate::reading::{Reading, Source, ThermalStatus};

/// Full thermal headroom; it is used up at [`WARM_CELSIUS`].
const COOL_CELSIUS: f64 = 40.0;

/// What a factor is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Memory that is free for us.
    Memory,
    /// Compute that nobody uses.
    Compute,
    /// How near the other members are.
    NetworkPosition,
    /// How far from throttling.
    ThermalHeadroom,
    /// How fast bytes reach the other members.
    Bandwidth,
    /// The penalty for heat, by which the quick score is multiplied. It has no weight.
    Heat,
}

impl Part {
    /// How people call it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Compute => "compute",
            Self::NetworkPosition => "network position",
            Self::ThermalHeadroom => "thermal headroom",
            Self::Bandwidth => "bandwidth",
            Self::Heat => "heat",
        }
    }
}

/// One part of a score: its weight, its value and where that comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Factor {
    /// What it is about.
    pub part: Part,
    /// Its weight before the unknown parts are left out. The weights of a formula add up to 1.
    pub weight: f64,
    /// 0 to 1, or nothing if it is not known.
    pub value: Option<f64>,
    /// Where the value comes from.
    pub source: Source,
    /// What was read ("6.0 GiB free"), or why nothing could be.
    pub note: String,
}

impl Factor {
    fn new(part: Part, weight: f64, reading: Reading<f64>, note: impl FnOnce() -> String) -> Self {
        // NaN and negative values are in no range: they never win, because they become unknown.
        let reading = reading.within(&(0.0..=1.0), "");
        let note = match &reading {
            Reading::Measured { .. } => note(),
            Reading::Estimated { how, .. } => format!("{}, estimated: {how}", note()),
            Reading::Unavailable { why, .. } => why.to_string(),
        };
        Self { part, weight, value: reading.get(), source: reading.source(), note }
    }

    /// How much of its weight counts as known.
    pub(super) fn known_weight(&self) -> f64 {
        self.weight * trust(self.source)
    }
}

/// How much a value of this provenance counts towards the confidence.
pub(super) const fn trust(source: Source) -> f64 {
    match source {
        Source::Measured => 1.0,
        Source::Estimated => 0.5,
        Source::Unavailable => 0.0,
    }
}

pub(super) fn memory(device: &Candidate, reference: &Reference, weight: f64) -> Factor {
    let bytes = device.memory.get().unwrap_or_default() as f64;
    let value = device.memory.clone().map(|bytes| fraction(bytes as f64, reference.memory));
    Factor::new(Part::Memory, weight, value, || format!("{:.1} GiB free", bytes / (1u64 << 30) as f64))
}

pub(super) fn compute(device: &Candidate, reference: &Reference, weight: f64) -> Factor {
    let free = device.free_compute();
    let rate = free.get().unwrap_or_default();
    let value = free.map(|rate| fraction(rate, reference.compute));
    Factor::new(Part::Compute, weight, value, || format!("{:.2} TFLOP/s free", rate / 1e12))
}

/// `r / (r + round trip)`: 1 for a neighbour without delay, one half at the reference, towards 0 far away.
pub(super) fn network_position(device: &Candidate, reference: &Reference, weight: f64) -> Factor {
    let seconds = device.round_trip.get().unwrap_or_default();
    let value = device
        .round_trip
        .clone()
        .within(&(0.0..=f64::MAX), " s")
        .map(|seconds| fraction(reference.round_trip, reference.round_trip + seconds));
    Factor::new(Part::NetworkPosition, weight, value, || {
        format!("{:.1} ms to the others and back", seconds * 1e3)
    })
}

pub(super) fn bandwidth(device: &Candidate, reference: &Reference, weight: f64) -> Factor {
    let rate = device.bandwidth.get().unwrap_or_default();
    let value = device
        .bandwidth
        .clone()
        .within(&(0.0..=f64::MAX), " B/s")
        .map(|rate| fraction(rate, reference.bandwidth));
    Factor::new(Part::Bandwidth, weight, value, || format!("{:.0} Mbit/s to the others", rate * 8e-6))
}

/// How far from throttling: by Android's headroom, or by degrees (1 at 40 °C, 0 at 80 °C), or by the status.
pub(super) fn thermal_headroom(device: &Candidate, weight: f64) -> Factor {
    let (value, note) = first_known(
        device,
        |headroom| (1.0 - headroom).clamp(0.0, 1.0),
        |celsius| ((WARM_CELSIUS - celsius) / (WARM_CELSIUS - COOL_CELSIUS)).clamp(0.0, 1.0),
        |status| match status {
            ThermalStatus::None => 1.0,
            ThermalStatus::Light => 0.7,
            ThermalStatus::Moderate => 0.4,
            _ => 0.0,
        },
        Prefer::Headroom,
    );
    Factor::new(Part::ThermalHeadroom, weight, value, || note)
}

/// The penalty, by degrees or, for a device that tells none, by its headroom or its status; see [`super::heat`].
pub(super) fn heat(device: &Candidate) -> Factor {
    let (value, note) = first_known(device, by_headroom, by_celsius, by_status, Prefer::Temperature);
    Factor::new(Part::Heat, 0.0, value, || note)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefer {
    Headroom,
    Temperature,
}

/// The heat by what the device tells, best first. The status is coarse, so what follows from it is an estimate.
fn first_known(
    device: &Candidate,
    by_headroom: impl Fn(f64) -> f64,
    by_celsius: impl Fn(f64) -> f64,
    by_status: impl Fn(ThermalStatus) -> f64,
    prefer: Prefer,
) -> (Reading<f64>, String) {
    let headroom = device.headroom.clone().within(&PLAUSIBLE_HEADROOM, "");
    let celsius = device.temperature.clone().within(&PLAUSIBLE_CELSIUS, " °C");
    let with_headroom = headroom.get().map(|value| {
        (headroom.clone().map(&by_headroom), format!("{:.0}% of the thermal limit", value * 100.0))
    });
    let with_celsius =
        celsius.get().map(|value| (celsius.clone().map(&by_celsius), format!("{value:.0} °C")));
    let degrees = match prefer {
        Prefer::Headroom => with_headroom.or(with_celsius),
        Prefer::Temperature => with_celsius.or(with_headroom),
    };
    degrees.unwrap_or_else(|| match device.status.get() {
        Some(status) => {
            let estimate = Reading::estimated(by_status(status), "by the system's word", device.status.at());
            (estimate, format!("thermal status {status:?}").to_lowercase())
        }
        None => (celsius, String::new()),
    })
}
