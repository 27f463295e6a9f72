//! A link that a device measured, as it tells others.

use std::ops::RangeInclusive;

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use super::{
    DeviceId, Extra, ProtocolError, Told,
    fields::{self, Fields, Problem},
    told::write_extra,
};
use crate::{
    Reading,
    topology::{Figure, Link, LinkKind},
};

/// The most links that one device tells of: the fastest are told first.
pub const MOST_LINKS: usize = 16;

/// Seconds that a round trip on a LAN can take.
const SECONDS: RangeInclusive<f64> = 0.0..=60.0;
/// Bytes a second: faster than any cable.
const RATE: RangeInclusive<f64> = 0.0..=1e12;
const SHARE: RangeInclusive<f64> = 0.0..=1.0;

/// A link from the device that tells to another.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkReport {
    /// The other.
    pub to: DeviceId,
    /// What carries it. A kind that only a newer version knows reads as [`LinkKind::Unknown`].
    pub kind: LinkKind,
    /// The shortest round trip.
    pub round_trip_min_s: Told<Figure>,
    /// The median round trip.
    pub round_trip_s: Told<Figure>,
    /// The median change from one round trip to the next.
    pub jitter_s: Told<Figure>,
    /// The part of the echoes that was lost.
    pub loss_ratio: Told<Figure>,
    /// What it carries to the other.
    pub bytes_per_s_to: Told<Figure>,
    /// What it carries from the other.
    pub bytes_per_s_from: Told<Figure>,
    /// What else it said.
    pub extra: Extra,
}

impl LinkReport {
    /// A link as its device tells it; `None` if the other end is called as no device is.
    pub fn of(link: &Link) -> Option<Self> {
        Some(Self {
            to: DeviceId::new(&link.to)?,
            kind: link.kind,
            round_trip_min_s: link.latency_min.clone().into(),
            round_trip_s: link.latency_p50.clone().into(),
            jitter_s: link.jitter.clone().into(),
            loss_ratio: link.loss.clone().into(),
            bytes_per_s_to: link.bandwidth_up.clone().into(),
            bytes_per_s_from: link.bandwidth_down.clone().into(),
            extra: Extra::new(),
        })
    }

    /// The link, as this device measured it.
    pub fn link(&self, from: &DeviceId) -> Link {
        let round_trip = &self.round_trip_s.reading;
        Link {
            from: from.to_string(),
            to: self.to.to_string(),
            kind: self.kind,
            peer_to_peer: round_trip.clone().map(|_| true),
            latency_min: self.round_trip_min_s.reading.clone(),
            latency_p50: round_trip.clone(),
            jitter: self.jitter_s.reading.clone(),
            loss: self.loss_ratio.reading.clone(),
            bandwidth_up: self.bytes_per_s_to.reading.clone(),
            bandwidth_down: self.bytes_per_s_from.reading.clone(),
        }
    }

    pub(super) fn read(mut fields: Fields) -> Result<Self, ProtocolError> {
        let told = |range| move |value| figure(value, range);
        Ok(Self {
            to: fields.need("to", fields::device_id)?,
            kind: fields.may("kind", fields::word)?.unwrap_or_default(),
            round_trip_min_s: fields.told("round_trip_min_s", told(SECONDS))?,
            round_trip_s: fields.told("round_trip_s", told(SECONDS))?,
            jitter_s: fields.told("jitter_s", told(SECONDS))?,
            loss_ratio: fields.told("loss_ratio", told(SHARE))?,
            bytes_per_s_to: fields.told("bytes_per_s_to", told(RATE))?,
            bytes_per_s_from: fields.told("bytes_per_s_from", told(RATE))?,
            extra: fields.rest(),
        })
    }

    /// Its unknown fields, all of them.
    pub(crate) fn extras(&mut self) -> impl Iterator<Item = &mut Extra> {
        let readings = [
            &mut self.round_trip_min_s,
            &mut self.round_trip_s,
            &mut self.jitter_s,
            &mut self.loss_ratio,
            &mut self.bytes_per_s_to,
            &mut self.bytes_per_s_from,
        ];
        readings.into_iter().map(|told| &mut told.extra).chain([&mut self.extra])
    }
}

/// A figure with its error. What no link can have becomes unavailable.
fn figure(value: Value, plausible: RangeInclusive<f64>) -> Result<Told<Figure>, Problem> {
    let told = fields::reading(value, |value| {
        let mut object = fields::object(value)?;
        let mut take = |name: &str| object.remove(name).ok_or_else(|| format!("`{name}` is missing"));
        Ok(Figure::new(fields::number(take("value")?)?, fields::number(take("error")?)?))
    })?;
    let at = told.reading.at();
    let reading = match told.reading.get() {
        Some(figure) if !plausible.contains(&figure.value) || figure.error < 0.0 => {
            Reading::unavailable(format!("{} was told, which no link has", figure.value), at)
        }
        _ => told.reading,
    };
    Ok(Told { reading, extra: told.extra })
}

impl Serialize for LinkReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("to", &self.to)?;
        super::told::write_known(&mut map, &self.extra, "kind", &self.kind)?;
        map.serialize_entry("round_trip_min_s", &self.round_trip_min_s)?;
        map.serialize_entry("round_trip_s", &self.round_trip_s)?;
        map.serialize_entry("jitter_s", &self.jitter_s)?;
        map.serialize_entry("loss_ratio", &self.loss_ratio)?;
        map.serialize_entry("bytes_per_s_to", &self.bytes_per_s_to)?;
        map.serialize_entry("bytes_per_s_from", &self.bytes_per_s_from)?;
        write_extra(&mut map, &self.extra)?;
        map.end()
    }
}
