//! Signs of life, and the last one.

use std::time::Duration;

use serde::ser::SerializeMap;

use super::{
    DeviceId, Extra, GpuMetrics, ProtocolError,
    fields::{self, Fields},
    told::{sendable, write_extra},
};
use crate::Timestamp;

/// A sign of life.
#[derive(Debug, Clone, PartialEq)]
pub struct Heartbeat {
    /// How long the device's telemetry has run.
    pub uptime: Duration,
    /// When to expect the next one at the latest. A phone on its battery promises less than one whose screen is on,
    /// and neither is taken for lost.
    pub next: Duration,
    /// What it measured.
    pub metrics: GpuMetrics,
    /// What else it said.
    pub extra: Extra,
}

/// The device leaves: nothing more is to be expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Goodbye {
    /// Who leaves.
    pub device_id: DeviceId,
    /// When, by its own clock.
    pub timestamp: Timestamp,
    /// Why, in words for people.
    pub reason: String,
    /// What else it said.
    pub extra: Extra,
}

impl Heartbeat {
    pub(super) fn read(mut fields: Fields) -> Result<Self, ProtocolError> {
        let time = |value| fields::whole(value).map(Duration::from_millis);
        Ok(Self {
            uptime: fields.need("uptime_ms", time)?,
            next: fields.need("next_ms", time)?,
            metrics: fields.within("metrics", GpuMetrics::read)?,
            extra: fields.rest(),
        })
    }

    pub(super) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("uptime_ms", &millis(self.uptime))?;
        map.serialize_entry("next_ms", &millis(self.next))?;
        map.serialize_entry("metrics", &self.metrics)?;
        write_extra(map, &self.extra)
    }
}

impl Goodbye {
    /// A last word. A reason that is too long for a message is cut.
    pub fn new(device_id: DeviceId, timestamp: Timestamp, reason: &str) -> Self {
        let reason = sendable(reason.to_owned().into()).into_owned();
        Self { device_id, timestamp, reason, extra: Extra::new() }
    }

    pub(super) fn read(mut fields: Fields) -> Result<Self, ProtocolError> {
        Ok(Self {
            device_id: fields.need("device_id", fields::device_id)?,
            timestamp: fields.need("timestamp", fields::timestamp)?,
            reason: fields.need("reason", fields::text)?,
            extra: fields.rest(),
        })
    }

    pub(super) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("device_id", &self.device_id)?;
        map.serialize_entry("timestamp", &self.timestamp)?;
        map.serialize_entry("reason", &self.reason)?;
        write_extra(map, &self.extra)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
