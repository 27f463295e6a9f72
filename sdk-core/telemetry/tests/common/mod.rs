//! What the tests of this crate share: a clock that only they move, and a phone.
#![allow(dead_code, reason = "each test uses its part")]

use std::time::Duration;

use exo_telemetry::{
    Now, Reading, Readings, Timestamp,
    now::Moment,
    probe::Identity,
    protocol::{
        Body, DeviceCapabilities, DeviceId, DeviceRegistration, DeviceType, Extra, GpuMetrics, Heartbeat,
        Message, VERSION,
    },
    reading::{NetworkKind, Pressure, ThermalStatus},
};

/// So many milliseconds after the start, on the first of January 2026.
pub(crate) fn at(millis: u64) -> Now {
    let since = Duration::from_millis(millis);
    Now { mono: Moment::after_start(since), wall: Duration::from_hours(490_896) + since }
}

pub(crate) fn stamp(now: Now) -> Timestamp {
    now.wall.into()
}

pub(crate) fn id(name: &str) -> DeviceId {
    DeviceId::new(name).unwrap()
}

pub(crate) fn registration(name: &str) -> DeviceRegistration {
    let identity = Identity {
        name: format!("{name} of Ada"),
        model: "Pixel 9".into(),
        chip: "Tensor G4".into(),
        os_version: "Android 16".into(),
        os_build: "BP2A".into(),
        vendor: "Arm".into(),
        device_type: DeviceType::MobileAndroid,
    };
    let capabilities = DeviceCapabilities::unknown("not measured yet", Timestamp(0));
    DeviceRegistration::new(id(name), Timestamp(0), &identity, capabilities)
}

/// A phone at rest, charged or not.
pub(crate) fn phone(now: Now, charging: bool) -> Readings {
    let at = stamp(now);
    let mut readings = Readings::unavailable("this phone does not tell", at);
    readings.memory.total = Reading::measured(12 << 30, at);
    readings.memory.available = Reading::measured(5 << 30, at);
    readings.memory.pressure = Reading::measured(Pressure::None, at);
    readings.gpu.utilisation = Reading::estimated(0.0, "our own busy time", at);
    readings.thermal.temperature = Reading::measured(30.0, at);
    readings.thermal.status = Reading::measured(ThermalStatus::None, at);
    readings.thermal.headroom = Reading::measured(0.4, at);
    readings.battery.level = Reading::measured(0.8, at);
    readings.battery.charging = Reading::measured(charging, at);
    readings.network.kind = Reading::measured(NetworkKind::Wifi, at);
    readings
}

pub(crate) fn message(run: u32, sequence: u64, body: Body) -> Message {
    Message { protocol: VERSION, run, sequence, body }
}

pub(crate) fn heartbeat(metrics: GpuMetrics, next: Duration) -> Body {
    Body::Heartbeat(Heartbeat { uptime: Duration::from_secs(1), next, metrics, extra: Extra::new() })
}
