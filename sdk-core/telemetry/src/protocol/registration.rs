//! Who a device is and what it can do.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};

use super::{
    DeviceId, Extra, LinkReport, MOST_LINKS, ProtocolError, Told,
    fields::{self, Fields},
    told::{sendable, write_extra, write_known},
};
use crate::{Reading, Timestamp, probe::Identity};

/// What computes in a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceType {
    /// An Android phone or tablet.
    MobileAndroid,
    /// An iPhone or iPad.
    MobileIos,
    /// A Mac with a chip of Apple's own.
    AppleSilicon,
    /// A GPU of NVIDIA.
    Nvidia,
    /// A GPU of AMD.
    Amd,
    /// A GPU of Intel.
    Intel,
    /// Another GPU.
    OtherGpu,
    /// No GPU: the processor.
    Cpu,
}

impl DeviceType {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::MobileAndroid,
        Self::MobileIos,
        Self::AppleSilicon,
        Self::Nvidia,
        Self::Amd,
        Self::Intel,
        Self::OtherGpu,
        Self::Cpu,
    ];

    /// Its word in messages and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MobileAndroid => "mobile_android",
            Self::MobileIos => "mobile_ios",
            Self::AppleSilicon => "apple_silicon",
            Self::Nvidia => "nvidia",
            Self::Amd => "amd",
            Self::Intel => "intel",
            Self::OtherGpu => "other_gpu",
            Self::Cpu => "cpu",
        }
    }
}

/// Who a device is. Said when somebody begins to listen, and now and then for those who missed it.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceRegistration {
    /// Its id.
    pub device_id: DeviceId,
    /// When this was said, by its own clock.
    pub timestamp: Timestamp,
    /// What its owner calls it.
    pub name: String,
    /// Who made what computes in it.
    pub vendor: String,
    /// What computes in it. A type that only a newer version knows reads as [`DeviceType::OtherGpu`] and stays in
    /// `extra`.
    pub device_type: DeviceType,
    /// What it can do.
    pub capabilities: DeviceCapabilities,
    /// Where it answers probes of links, if it does.
    pub probe_at: Vec<SocketAddr>,
    /// Links that it measured.
    pub links: Vec<LinkReport>,
    /// What else it said.
    pub extra: Extra,
}

/// The most places where a device answers.
const MOST_PLACES: usize = 8;

/// What a device can do. Peaks are readings: *measured* by a short run, or unavailable; never from a data sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceCapabilities {
    /// Bytes of memory that models may use at most.
    pub memory_bytes: Told<u64>,
    /// How many cores, compute units or multiprocessors.
    pub compute_units: Told<u32>,
    /// Floating-point operations a second.
    pub peak_flops_per_s: Told<f64>,
    /// Bytes a second between memory and what computes.
    pub memory_bytes_per_s: Told<f64>,
    /// What it has: `subgroups`, `unified_memory`.
    pub features: Vec<String>,
    /// What it computes in: `f32`, `f16`, `i8`.
    pub precisions: Vec<String>,
    /// By which ways it computes, best first: `vulkan`, `metal`, `cpu`.
    pub backends: Vec<String>,
    /// What else it said.
    pub extra: Extra,
}

impl DeviceCapabilities {
    /// A device that does not know yet what it can do, and why.
    pub fn unknown(why: &'static str, at: Timestamp) -> Self {
        Self {
            memory_bytes: Reading::unavailable(why, at).into(),
            compute_units: Reading::unavailable(why, at).into(),
            peak_flops_per_s: Reading::unavailable(why, at).into(),
            memory_bytes_per_s: Reading::unavailable(why, at).into(),
            features: Vec::new(),
            precisions: Vec::new(),
            backends: Vec::new(),
            extra: Extra::new(),
        }
    }

    fn read(mut fields: Fields) -> Result<Self, ProtocolError> {
        let rate = |value| fields::reading(value, fields::number).map(plausible_rate);
        Ok(Self {
            memory_bytes: fields.told("memory_bytes", |value| fields::reading(value, fields::whole))?,
            compute_units: fields.told("compute_units", |value| fields::reading(value, fields::small))?,
            peak_flops_per_s: fields.told("peak_flops_per_s", rate)?,
            memory_bytes_per_s: fields.told("memory_bytes_per_s", rate)?,
            features: fields.need("features", fields::texts)?,
            precisions: fields.need("precisions", fields::texts)?,
            backends: fields.need("backends", fields::texts)?,
            extra: fields.rest(),
        })
    }
}

/// A rate that something can have: JSON has no word for what is infinite or not a number.
fn plausible_rate(told: Told<f64>) -> Told<f64> {
    Told { reading: told.reading.within(&(0.0..=1e21), " a second"), extra: told.extra }
}

impl Serialize for DeviceCapabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let [flops, bytes] =
            [&self.peak_flops_per_s, &self.memory_bytes_per_s].map(Told::clone).map(plausible_rate);
        write_known(&mut map, &self.extra, "memory_bytes", &self.memory_bytes)?;
        write_known(&mut map, &self.extra, "compute_units", &self.compute_units)?;
        write_known(&mut map, &self.extra, "peak_flops_per_s", &flops)?;
        write_known(&mut map, &self.extra, "memory_bytes_per_s", &bytes)?;
        map.serialize_entry("features", &self.features)?;
        map.serialize_entry("precisions", &self.precisions)?;
        map.serialize_entry("backends", &self.backends)?;
        write_extra(&mut map, &self.extra)?;
        map.end()
    }
}

impl DeviceRegistration {
    /// The registration of a device with this identity. Names are cut to what a message may hold.
    pub fn new(
        device_id: DeviceId,
        timestamp: Timestamp,
        identity: &Identity,
        capabilities: DeviceCapabilities,
    ) -> Self {
        let mut registration = Self {
            device_id,
            timestamp,
            name: String::new(),
            vendor: String::new(),
            device_type: identity.device_type,
            capabilities,
            probe_at: Vec::new(),
            links: Vec::new(),
            extra: Extra::new(),
        };
        registration.identify(identity);
        registration
    }

    /// The device is this one. Names are cut to what a message may hold.
    pub fn identify(&mut self, identity: &Identity) {
        let text = |words: &str| sendable(words.to_owned().into()).into_owned();
        (self.name, self.vendor) = (text(&identity.name), text(&identity.vendor));
        self.device_type = identity.device_type;
    }

    pub(super) fn read(mut fields: Fields) -> Result<Self, ProtocolError> {
        Ok(Self {
            device_id: fields.need("device_id", fields::device_id)?,
            timestamp: fields.need("timestamp", fields::timestamp)?,
            name: fields.need("name", fields::text)?,
            vendor: fields.need("vendor", fields::text)?,
            device_type: match fields.may("device_type", fields::word)? {
                Some(device_type) => device_type,
                None if fields.are_newer() => DeviceType::OtherGpu,
                None => return Err(ProtocolError::Missing { field: "device_type".into() }),
            },
            capabilities: fields.within("capabilities", DeviceCapabilities::read)?,
            probe_at: fields.may("probe_at", places)?.unwrap_or_default(),
            links: fields.each("links", MOST_LINKS, LinkReport::read)?,
            extra: fields.rest(),
        })
    }

    pub(super) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("device_id", &self.device_id)?;
        map.serialize_entry("timestamp", &self.timestamp)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("vendor", &self.vendor)?;
        write_known(map, &self.extra, "device_type", &self.device_type)?;
        map.serialize_entry("capabilities", &self.capabilities)?;
        if !self.probe_at.is_empty() {
            map.serialize_entry("probe_at", &self.probe_at)?;
        }
        if !self.links.is_empty() {
            map.serialize_entry("links", &self.links)?;
        }
        write_extra(map, &self.extra)
    }
}

fn places(value: serde_json::Value) -> Result<Vec<SocketAddr>, fields::Problem> {
    let texts = fields::texts(value)?;
    if texts.len() > MOST_PLACES {
        return Err(format!("{} addresses, {MOST_PLACES} are allowed", texts.len()));
    }
    let place = |text: &String| {
        text.parse().map_err(|_| format!("{text:?} is not an address with a port, such as 192.168.1.7:52900"))
    };
    texts.iter().map(place).collect()
}

impl Serialize for DeviceRegistration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write(&mut map)?;
        map.end()
    }
}
