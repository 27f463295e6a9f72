//! What a device measured.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    DeviceId, Extra, ProtocolError, Told,
    fields::{self, Fields},
    told::write_extra,
};
use crate::{
    Reading, Readings, Timestamp,
    reading::{Figure, Quantity},
};

/// What a device measured: all of it, or what changed since it last told.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuMetrics {
    /// Who tells.
    pub device_id: DeviceId,
    /// When this was said, by the device's own clock. For people; nothing is decided by it.
    pub timestamp: Timestamp,
    /// Whether this is everything. If so, what is left out is not known; if not, it has not changed.
    pub full: bool,
    /// The readings, by their names.
    pub readings: BTreeMap<Quantity, Told>,
    /// What else it said.
    pub extra: Extra,
}

impl GpuMetrics {
    /// Nothing new from this device.
    pub fn nothing_new(device_id: DeviceId, timestamp: Timestamp) -> Self {
        Self { device_id, timestamp, full: false, readings: BTreeMap::new(), extra: Extra::new() }
    }

    /// All that the device knows of itself.
    pub fn everything(device_id: DeviceId, timestamp: Timestamp, readings: &Readings) -> Self {
        let all = Quantity::ALL.map(|quantity| (quantity, quantity.plausible(readings.get(quantity)).into()));
        Self { device_id, timestamp, full: true, readings: all.into(), extra: Extra::new() }
    }

    /// Adds a reading. What no device can have is told as unavailable.
    pub fn tell(&mut self, quantity: Quantity, reading: Reading<Figure>) {
        self.readings.insert(quantity, quantity.plausible(reading).into());
    }

    pub(super) fn read(mut fields: Fields) -> Result<Self, ProtocolError> {
        let mut readings = BTreeMap::new();
        for quantity in Quantity::ALL {
            if let Some(told) = fields.may(quantity.name(), |value| fields::quantity(quantity, value))? {
                readings.insert(quantity, told);
            }
        }
        Ok(Self {
            device_id: fields.need("device_id", fields::device_id)?,
            timestamp: fields.need("timestamp", fields::timestamp)?,
            full: fields.may("full", fields::flag)?.unwrap_or(false),
            readings,
            extra: fields.rest(),
        })
    }

    pub(super) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("device_id", &self.device_id)?;
        map.serialize_entry("timestamp", &self.timestamp)?;
        if self.full {
            map.serialize_entry("full", &true)?;
        }
        for (quantity, told) in &self.readings {
            // Only here can a caller's infinite number still be; JSON has no word for it.
            let is_sound = told.reading.get().and_then(Figure::number).is_none_or(f64::is_finite);
            if is_sound {
                map.serialize_entry(quantity.name(), told)?;
            }
        }
        write_extra(map, &self.extra)
    }
}

impl Serialize for GpuMetrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write(&mut map)?;
        map.end()
    }
}
