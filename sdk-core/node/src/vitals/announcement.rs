//! What exo is told of the device.

use exo_telemetry::{
    Readings,
    probe::Identity,
    reading::{DiskReadings, MemoryReadings},
};
use exo_wire::gathered::Backend;

use crate::member;

/// The readings in exo's words, as far as exo has words for them and they are true: it knows neither provenance nor
/// battery. `memory_cap` is the owner's, `room` the engine's.
pub(super) fn announcement(
    readings: &Readings,
    identity: Option<&Identity>,
    (memory_cap, room): (Option<u64>, Option<u64>),
    backends: Vec<Backend>,
) -> member::Readings {
    member::Readings {
        memory: memory(&readings.memory, memory_cap, room),
        disk: disk(&readings.disk),
        identity: identity.map(|identity| member::Identity {
            name: identity.name.clone(),
            model: identity.model.clone(),
            chip: identity.chip.clone(),
            os_version: identity.os_version.clone(),
            os_build: identity.os_build.clone(),
        }),
        interfaces: None,
        gauges: member::Gauges {
            temperature: readings.thermal.temperature.get(),
            gpu_use: readings.gpu.utilisation.get(),
            power: readings.power.get(),
            // Ours is the use of all cores together, exo's are of the fast and of the slow ones.
            fast_cores: None,
            slow_cores: None,
        },
        able: !backends.is_empty(),
        backends,
    }
}

/// Never more than the system gives this app, nor than the owner allows, nor than the engine could use. exo asks for
/// swap too; a model must not use it, so none is offered.
fn memory(readings: &MemoryReadings, cap: Option<u64>, room: Option<u64>) -> Option<member::Memory> {
    let most = readings.app_limit.get().into_iter().chain(cap).min().unwrap_or(u64::MAX);
    let total = readings.total.get()?.min(most);
    let available = readings.available.get()?.min(total).min(room.unwrap_or(u64::MAX));
    Some(member::Memory { total, available, swap_total: 0, swap_available: 0 })
}

fn disk(readings: &DiskReadings) -> Option<member::Disk> {
    Some(member::Disk { total: readings.total.get()?, available: readings.available.get()? })
}
