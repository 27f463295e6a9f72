//! How all members of this SDK are, as they told it.

use exo_telemetry::{
    aggregator::{self, ClusterState, Presence},
    protocol::DeviceType,
};

use super::{Sample, samples};

/// Whether a device is there.
#[uniffi::remote(Enum)]
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

/// One device that tells how it is.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct DeviceTelemetry {
    /// Its id, which is its node's.
    pub device_id: String,
    /// What its owner calls it, once it said so.
    pub name: Option<String>,
    /// What computes in it, once it said so.
    pub device_type: Option<DeviceType>,
    /// Whether it is there.
    pub presence: Presence,
    /// Floating-point operations a second, if it was measured.
    pub peak_flops_per_s: Option<f64>,
    /// Bytes a second between memory and what computes, if it was measured.
    pub memory_bytes_per_s: Option<f64>,
    /// What it told.
    pub readings: Vec<Sample>,
    /// How long ago it was heard, in milliseconds.
    pub silent_ms: u64,
}

/// All devices that tell how they are.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct ClusterTelemetry {
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// The devices, by their ids.
    pub devices: Vec<DeviceTelemetry>,
}

impl From<&ClusterState> for ClusterTelemetry {
    fn from(state: &ClusterState) -> Self {
        Self { at_ms: state.at.0, devices: state.devices.iter().map(DeviceTelemetry::from).collect() }
    }
}

impl From<&aggregator::DeviceState> for DeviceTelemetry {
    fn from(device: &aggregator::DeviceState) -> Self {
        let registered = device.registration.as_ref();
        let able = registered.map(|registration| &registration.capabilities);
        Self {
            device_id: device.device_id.as_str().to_owned(),
            name: registered.map(|registration| registration.name.clone()),
            device_type: registered.map(|registration| registration.device_type),
            presence: device.presence,
            peak_flops_per_s: able.and_then(|able| able.peak_flops_per_s.reading.get()),
            memory_bytes_per_s: able.and_then(|able| able.memory_bytes_per_s.reading.get()),
            readings: samples(&device.readings),
            silent_ms: device.silent_ms,
        }
    }
}
