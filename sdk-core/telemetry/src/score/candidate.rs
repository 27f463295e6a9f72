//! What is known of one device, as far as a score cares.

use crate::{
    aggregator::{ClusterState, DeviceState, Presence},
    reading::{Reading, Readings, ThermalStatus},
};

/// One device that could get work.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its name in the cluster. Ties are broken by it, so it must be unique.
    pub id: String,
    /// Bytes that our app could use now.
    pub memory: Reading<u64>,
    /// What it computes at its best, in operations a second.
    pub compute: Reading<f64>,
    /// The part of that which is in use, 0 to 1.
    pub utilisation: Reading<f64>,
    /// Degrees Celsius.
    pub temperature: Reading<f64>,
    /// Android's headroom: 0 is cool, 1 is where severe throttling begins.
    pub headroom: Reading<f64>,
    /// How the system calls the heat.
    pub status: Reading<ThermalStatus>,
    /// The typical round trip to the other members, in seconds.
    pub round_trip: Reading<f64>,
    /// The typical bandwidth to the other members, in bytes a second.
    pub bandwidth: Reading<f64>,
}

impl Candidate {
    /// A device by its readings and what it computes at its best (from a calibrated run, not from a data sheet).
    /// Nothing is known of its links until [`Self::linked`] says it.
    pub fn new(id: impl Into<String>, readings: &Readings, compute: Reading<f64>) -> Self {
        let at = readings.memory.available.at();
        let utilisation = match readings.gpu.utilisation {
            Reading::Unavailable { .. } => &readings.cpu.utilisation,
            ref known => known,
        };
        Self {
            id: id.into(),
            memory: usable_memory(readings),
            compute,
            utilisation: utilisation.clone(),
            temperature: readings.thermal.temperature.clone(),
            headroom: readings.thermal.headroom.clone(),
            status: readings.thermal.status.clone(),
            round_trip: Reading::unavailable("no link was measured", at),
            bandwidth: Reading::unavailable("no link was measured", at),
        }
    }

    /// The same device with what was measured of its links.
    #[must_use]
    pub fn linked(mut self, round_trip: Reading<f64>, bandwidth: Reading<f64>) -> Self {
        (self.round_trip, self.bandwidth) = (round_trip, bandwidth);
        self
    }

    /// Every device of a cluster that can be counted on, with what was measured of its links. One that missed two beats
    /// may only have had bad luck; one that is lost has none to offer.
    pub fn all_of(cluster: &ClusterState) -> Vec<Self> {
        let topology = cluster.topology();
        let there = |device: &&DeviceState| matches!(device.presence, Presence::Present | Presence::Stale);
        let candidate = |device: &DeviceState| {
            let compute = match &device.registration {
                Some(registration) => registration.capabilities.peak_flops_per_s.reading.clone(),
                None => Reading::unavailable("it did not say yet what it can do", cluster.at),
            };
            let position = topology.position(device.device_id.as_str(), cluster.at);
            Self::new(device.device_id.as_str(), &device.readings, compute)
                .linked(position.round_trip, position.bandwidth)
        };
        cluster.devices.iter().filter(there).map(candidate).collect()
    }

    /// Operations a second that nobody uses now. Without a utilisation the peak stands in, as an estimate.
    pub(super) fn free_compute(&self) -> Reading<f64> {
        let peak = self.compute.clone().within(&(0.0..=f64::MAX), " op/s");
        let Some(peak_value) = peak.get() else { return peak };
        match self.utilisation.get().filter(|used| (0.0..=1.0).contains(used)) {
            Some(used) => peak.map(|value| value * (1.0 - used)),
            None => Reading::estimated(peak_value, "the peak, since nobody tells how busy it is", peak.at()),
        }
    }
}

/// What is free, but never more than this app may ever use.
fn usable_memory(readings: &Readings) -> Reading<u64> {
    let limit = readings.memory.app_limit.get().unwrap_or(u64::MAX);
    readings.memory.available.clone().map(|free| free.min(limit))
}
