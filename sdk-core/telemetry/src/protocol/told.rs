//! A reading on the wire.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use super::{
    Extra, LONGEST_TEXT,
    fields::{Problem, flag, number, whole, word},
};
use crate::reading::{Figure, Reading, Unit, Words};

/// A reading as it was told, with the fields of it that we do not know.
#[derive(Debug, Clone, PartialEq)]
pub struct Told<T = Figure> {
    /// The reading.
    pub reading: Reading<T>,
    /// What else it said.
    pub extra: Extra,
}

impl<T> From<Reading<T>> for Told<T> {
    /// The reading as it can be sent: others refuse words that are too long or not printable.
    fn from(reading: Reading<T>) -> Self {
        let reading = match reading {
            Reading::Estimated { value, how, at } => Reading::Estimated { value, how: sendable(how), at },
            Reading::Unavailable { why, at } => Reading::Unavailable { why: sendable(why), at },
            measured @ Reading::Measured { .. } => measured,
        };
        Self { reading, extra: Extra::new() }
    }
}

/// Words that a message may hold.
pub(super) fn sendable(words: Words) -> Words {
    if words.len() <= LONGEST_TEXT && !words.chars().any(char::is_control) {
        return words;
    }
    let mut clean: String = words.chars().filter(|c| !c.is_control()).take(LONGEST_TEXT).collect();
    clean.truncate(clean.floor_char_boundary(LONGEST_TEXT));
    clean.into()
}

impl<T: Serialize> Serialize for Told<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.reading {
            Reading::Measured { value, at } => {
                map.serialize_entry("source", "measured")?;
                map.serialize_entry("value", value)?;
                map.serialize_entry("at", at)?;
            }
            Reading::Estimated { value, how, at } => {
                map.serialize_entry("source", "estimated")?;
                map.serialize_entry("value", value)?;
                map.serialize_entry("how", how)?;
                map.serialize_entry("at", at)?;
            }
            Reading::Unavailable { why, at } => {
                map.serialize_entry("source", "unavailable")?;
                map.serialize_entry("why", why)?;
                map.serialize_entry("at", at)?;
            }
        }
        write_extra(&mut map, &self.extra)?;
        map.end()
    }
}

/// The figure of such a unit.
pub(super) fn figure(unit: Unit, value: Value) -> Result<Figure, Problem> {
    match unit {
        Unit::Bytes => whole(value).map(Figure::Bytes),
        Unit::Share | Unit::Threads | Unit::Watts | Unit::Celsius | Unit::Headroom => {
            number(value).map(Figure::Number)
        }
        Unit::Flag => flag(value).map(Figure::Flag),
        Unit::Pressure => word(value).map(Figure::Pressure),
        Unit::Status => word(value).map(Figure::Status),
        Unit::Network => word(value).map(Figure::Network),
    }
}

/// Writes a field, unless it came as something that we did not understand and passes on as it was.
pub(super) fn write_known<M: SerializeMap, T: Serialize>(
    map: &mut M,
    extra: &Extra,
    name: &str,
    value: &T,
) -> Result<(), M::Error> {
    if extra.contains_key(name) { Ok(()) } else { map.serialize_entry(name, value) }
}

/// Writes what was not understood after what was.
pub(super) fn write_extra<M: SerializeMap>(map: &mut M, extra: &Extra) -> Result<(), M::Error> {
    extra.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
}
