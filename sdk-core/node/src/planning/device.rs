//! One node of the cluster as the planner sees it: what it may hold, how fast it is, whether it may work at all.

use exo_telemetry::{
    Reading,
    aggregator::{DeviceState, Presence},
    placement::Device,
    score::heat::WARM_CELSIUS,
};
use exo_wire::gathered::Backend;

use super::{
    Participant,
    assumption::{Assumption, amount},
    chips, heat,
};
use crate::member::NodeView;

/// The memory of an ordinary laptop, and of a good phone.
const USUAL_BANDWIDTH: f64 = 50e9;
/// Operations for each byte that memory delivers. Decoding needs fewer than four, so with this memory decides.
const FLOPS_PER_BYTE: f64 = 10.0;
/// A phone with less, and no charger, is left alone.
const LOW_BATTERY: f64 = 0.2;
/// exo's words for backends that run its rings.
const RING_BACKENDS: [(Backend, &str); 3] =
    [(Backend::MlxMetal, "MlxMetal"), (Backend::MlxCuda, "MlxCuda"), (Backend::MlxCpu, "MlxCpu")];

/// Whether one of these backends can run the model in a ring. A model whose card is not known runs on all of them.
pub(super) fn can_run<'a>(mut announced: impl Iterator<Item = &'a str>, runs_on: Option<&[Backend]>) -> bool {
    let fits = |backend: &Backend| runs_on.is_none_or(|runs_on| runs_on.contains(backend));
    announced.any(|name| RING_BACKENDS.iter().any(|(backend, known)| *known == name && fits(backend)))
}

/// All that is known of one node.
pub(super) struct Known<'a> {
    pub(super) id: &'a str,
    pub(super) node: &'a NodeView,
    /// What it tells of itself, if it is a device of this SDK.
    pub(super) told: Option<&'a DeviceState>,
    /// What the model runs on, if that is known.
    pub(super) runs_on: Option<&'a [Backend]>,
}

impl Known<'_> {
    pub(super) fn describe(
        &self,
        even_guests: bool,
        assumptions: &mut Vec<Assumption>,
    ) -> (Device, Participant) {
        let name = self.name();
        let offers = can_run(self.node.backends.iter().map(String::as_str), self.runs_on);
        let memory = self.memory(offers);
        let barred = self.barred(offers || even_guests, memory);
        let mut notes = Notes { name: &name, id: self.id, list: Vec::new() };
        let device = Device {
            id: self.id.to_owned(),
            memory_bytes: memory.unwrap_or(0) as f64,
            memory_bytes_per_s: 0.0,
            flops_per_s: 0.0,
            thermal_factor: 1.0,
            allowed: barred.is_none(),
        };
        // Nothing has to be assumed of a device that may not work. It needs a speed all the same: one of 0 would be
        // another reason not to use it.
        let device = if barred.is_some() {
            Device { memory_bytes_per_s: USUAL_BANDWIDTH, flops_per_s: USUAL_BANDWIDTH, ..device }
        } else {
            if !offers {
                let because = "as was asked for; exo would not place anything there";
                notes.add("it offers no backend to exo", "planned as if it did", because);
            }
            let memory_bytes_per_s = self.bandwidth(&mut notes);
            let flops_per_s = self.compute(memory_bytes_per_s, &mut notes);
            let thermal_factor = self.thermal_factor(&mut notes);
            Device { memory_bytes_per_s, flops_per_s, thermal_factor, ..device }
        };
        assumptions.append(&mut notes.list);
        (device, Participant { name, backends: self.node.backends.clone(), barred })
    }

    fn name(&self) -> String {
        let told = self.told.and_then(|told| told.registration.as_ref()).map(|it| it.name.as_str());
        let name = self.node.name.as_deref().or(told).filter(|name| !name.is_empty() && *name != "Unknown");
        name.map_or_else(|| self.id.chars().take(8).collect(), str::to_owned)
    }

    /// What it told lately enough to be true.
    fn fresh(&self) -> Option<&DeviceState> {
        self.told.filter(|told| matches!(told.presence, Presence::Present | Presence::Stale))
    }

    /// Bytes for the model. What a node offers to exo goes before what it has; who offers nothing is asked for what it
    /// has.
    fn memory(&self, offers: bool) -> Option<u64> {
        let offered = self.node.memory.map(|memory| memory.available);
        let told = self.fresh().and_then(|told| {
            let limit = told.readings.memory.app_limit.get();
            let able = told.registration.as_ref().and_then(|it| it.capabilities.memory_bytes.reading.get());
            let free = told.readings.memory.available.get()?;
            Some([limit, able].into_iter().flatten().fold(free, u64::min))
        });
        match (offered, told) {
            (Some(offered), Some(told)) if offers => Some(offered.min(told)),
            (offered, told) if offers => offered.or(told),
            (offered, told) => told.or(offered),
        }
    }

    fn barred(&self, may_be_used: bool, memory: Option<u64>) -> Option<String> {
        if !may_be_used {
            let vain = !self.node.backends.is_empty();
            return Some(if vain {
                format!("the model does not run on what it offers ({})", self.node.backends.join(", "))
            } else {
                "it offers no backend to exo: it is a guest".to_owned()
            });
        }
        if memory.is_none() {
            return Some("how much memory it has free is not known".to_owned());
        }
        let battery = &self.fresh()?.readings.battery;
        if battery.power_save.get() == Some(true) {
            return Some("its owner asked it to save power".to_owned());
        }
        match (battery.level.get(), battery.charging.get()) {
            (Some(level), charging) if level < LOW_BATTERY && charging != Some(true) => {
                Some(format!("its battery is at {:.0}% and it is not being charged", level * 100.0))
            }
            _ => None,
        }
    }

    fn bandwidth(&self, notes: &mut Notes<'_>) -> f64 {
        let what = "memory bandwidth was not measured";
        if let Some(rate) = self.measured(|it| &it.capabilities.memory_bytes_per_s.reading, "B/s", notes) {
            return rate;
        }
        if let Some((chip, rate)) = self.node.chip.as_deref().and_then(chips::memory_bandwidth) {
            let because = format!("what Apple publishes for an {chip}");
            notes.add(what, &format!("{} taken", amount(rate, "B/s")), &because);
            return rate;
        }
        let taken = format!("{} assumed", amount(USUAL_BANDWIDTH, "B/s"));
        notes.add(what, &taken, "that of an ordinary laptop or a good phone");
        USUAL_BANDWIDTH
    }

    fn compute(&self, bandwidth: f64, notes: &mut Notes<'_>) -> f64 {
        self.measured(|it| &it.capabilities.peak_flops_per_s.reading, "FLOP/s", notes).unwrap_or_else(|| {
            let rate = bandwidth * FLOPS_PER_BYTE;
            let taken = format!("{} assumed", amount(rate, "FLOP/s"));
            notes.add("compute was not measured", &taken, "enough that its memory decides");
            rate
        })
    }

    /// A rate of the registration. An estimate is taken, and listed.
    fn measured(
        &self,
        rate: impl Fn(&exo_telemetry::protocol::DeviceRegistration) -> &Reading<f64>,
        unit: &str,
        notes: &mut Notes<'_>,
    ) -> Option<f64> {
        let reading = rate(self.fresh()?.registration.as_ref()?);
        let value = reading.get().filter(|value| value.is_finite() && *value > 0.0)?;
        if let Reading::Estimated { how, .. } = reading {
            notes.add("its speed is an estimate", &format!("{} taken", amount(value, unit)), how);
        }
        Some(value)
    }

    fn thermal_factor(&self, notes: &mut Notes<'_>) -> f64 {
        let Some(told) = self.fresh() else {
            match self.node.temperature {
                Some(degrees) if degrees > WARM_CELSIUS => {
                    let unknown =
                        format!("it is {degrees:.0} °C warm, and exo does not tell whether that slows it");
                    notes.add(&unknown, "full speed assumed", "machines with fans run so for hours");
                }
                Some(_) => {}
                None => notes.add("its heat is not told", "full speed assumed", "nothing says otherwise"),
            }
            return 1.0;
        };
        if told.presence == Presence::Stale {
            let unknown = format!("it has not been heard for {} s", told.silent_ms / 1000);
            notes.add(&unknown, "its last readings taken", "there are no newer ones");
        }
        heat::factor(&told.readings.thermal).unwrap_or_else(|| {
            notes.add("its heat is not told", "full speed assumed", "nothing says otherwise");
            1.0
        })
    }
}

/// What is assumed of one device.
struct Notes<'a> {
    name: &'a str,
    id: &'a str,
    list: Vec<Assumption>,
}

impl Notes<'_> {
    fn add(&mut self, unknown: &str, taken: &str, because: &str) {
        self.list.push(Assumption {
            about: self.name.to_owned(),
            device: Some(self.id.to_owned()),
            unknown: unknown.to_owned(),
            taken: taken.to_owned(),
            because: because.to_owned(),
        });
    }
}
