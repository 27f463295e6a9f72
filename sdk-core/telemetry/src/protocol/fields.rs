//! Taking an object apart, field by field.
//!
//! What is known is taken out; what is left is unknown, and kept. In a message of a newer minor version a field that
//! cannot be read counts as unknown too: it may have learnt to say more.

use serde_json::Value;

use super::{DEEPEST, DeviceId, Extra, LONGEST_LIST, LONGEST_TEXT, ProtocolError, Told};
use crate::{
    Timestamp,
    reading::{Quantity, Reading},
};

/// What is wrong with a field.
pub(super) type Problem = String;

/// The fields of one object that were not taken yet.
pub(super) struct Fields {
    left: Extra,
    newer: bool,
}

impl Fields {
    pub(super) fn new(object: Extra, newer: bool) -> Self {
        Self { left: object, newer }
    }

    pub(super) const fn are_newer(&self) -> bool {
        self.newer
    }

    /// What nobody knew.
    pub(super) fn rest(self) -> Extra {
        without_room(self.left)
    }

    /// A field that must be there.
    pub(super) fn need<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(Value) -> Result<T, Problem>,
    ) -> Result<T, ProtocolError> {
        let value = self.left.remove(field).ok_or_else(|| ProtocolError::Missing { field: field.into() })?;
        read(value).map_err(|problem| ProtocolError::Field { field: field.into(), problem })
    }

    /// A field that may be there.
    pub(super) fn may<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(Value) -> Result<T, Problem>,
    ) -> Result<Option<T>, ProtocolError> {
        let Some((name, value)) = self.left.remove_entry(field) else { return Ok(None) };
        if !self.newer {
            let read =
                read(value).map_err(|problem| ProtocolError::Field { field: field.into(), problem })?;
            return Ok(Some(read));
        }
        let understood = read(value.clone()).ok();
        if understood.is_none() {
            self.left.insert(name, value);
        }
        Ok(understood)
    }

    /// A reading that must be there. One that only a newer version understands is unavailable to us.
    pub(super) fn told<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(Value) -> Result<Told<T>, Problem>,
    ) -> Result<Told<T>, ProtocolError> {
        match self.may(field, read)? {
            Some(told) => Ok(told),
            None if self.newer => {
                Ok(Reading::unavailable("told as only a newer version understands", Timestamp(0)).into())
            }
            None => Err(ProtocolError::Missing { field: field.into() }),
        }
    }

    /// A list of objects that may be there, each read by its own function.
    pub(super) fn each<T>(
        &mut self,
        field: &str,
        most: usize,
        read: impl Fn(Self) -> Result<T, ProtocolError>,
    ) -> Result<Vec<T>, ProtocolError> {
        let newer = self.newer;
        let objects = self.may(field, |value| match value {
            Value::Array(items) if items.len() > most => {
                Err(format!("{} entries, {most} are allowed", items.len()))
            }
            Value::Array(items) => items.into_iter().map(object).collect::<Result<Vec<_>, _>>(),
            other => Err(expected("a list of objects", other)),
        })?;
        let each = objects.unwrap_or_default().into_iter();
        each.map(|object| read(Self::new(object, newer)).map_err(|error| within(field, error))).collect()
    }

    /// An object within, read by its own function.
    pub(super) fn within<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(Self) -> Result<T, ProtocolError>,
    ) -> Result<T, ProtocolError> {
        let newer = self.newer;
        let object = self.need(field, object)?;
        read(Self::new(object, newer)).map_err(|error| within(field, error))
    }
}

/// The error, with the place where it is.
fn within(field: &str, error: ProtocolError) -> ProtocolError {
    match error {
        ProtocolError::Missing { field: inner } => {
            ProtocolError::Missing { field: format!("{field}.{inner}") }
        }
        ProtocolError::Field { field: inner, problem } => {
            ProtocolError::Field { field: format!("{field}.{inner}"), problem }
        }
        other => other,
    }
}

pub(super) fn object(value: Value) -> Result<Extra, Problem> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(expected("an object", other)),
    }
}

pub(super) fn text(value: Value) -> Result<String, Problem> {
    match value {
        Value::String(text) if text.len() > LONGEST_TEXT => {
            Err(format!("{} bytes long, {LONGEST_TEXT} are allowed", text.len()))
        }
        Value::String(text) if text.chars().any(char::is_control) => Err("it has control characters".into()),
        Value::String(text) => Ok(text),
        other => Err(expected("a text", other)),
    }
}

pub(super) fn texts(value: Value) -> Result<Vec<String>, Problem> {
    match value {
        Value::Array(items) if items.len() > LONGEST_LIST => {
            Err(format!("{} entries, {LONGEST_LIST} are allowed", items.len()))
        }
        Value::Array(items) => items.into_iter().map(text).collect(),
        other => Err(expected("a list of texts", other)),
    }
}

pub(super) fn whole(value: Value) -> Result<u64, Problem> {
    value.as_u64().ok_or_else(|| expected("a whole number from 0", value))
}

pub(super) fn small(value: Value) -> Result<u32, Problem> {
    let number = whole(value)?;
    u32::try_from(number).map_err(|_| format!("{number} is more than {}", u32::MAX))
}

pub(super) fn number(value: Value) -> Result<f64, Problem> {
    value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| expected("a number", value))
}

pub(super) fn flag(value: Value) -> Result<bool, Problem> {
    value.as_bool().ok_or_else(|| expected("true or false", value))
}

pub(super) fn device_id(value: Value) -> Result<DeviceId, Problem> {
    DeviceId::try_from(text(value)?).map_err(str::to_owned)
}

pub(super) fn timestamp(value: Value) -> Result<Timestamp, Problem> {
    whole(value).map(Timestamp)
}

/// A word of an enum, as serde knows it.
pub(super) fn word<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, Problem> {
    if !value.is_string() {
        return Err(expected("a word", value));
    }
    serde_json::from_value(value).map_err(|error| error.to_string().chars().take(LONGEST_TEXT).collect())
}

/// A reading, and what else its object holds.
pub(super) fn reading<T>(
    value: Value,
    read: impl FnOnce(Value) -> Result<T, Problem>,
) -> Result<Told<T>, Problem> {
    let mut object = object(value)?;
    let mut take = |name: &str| object.remove(name).ok_or_else(|| format!("`{name}` is missing"));
    let source = text(take("source")?)?;
    let at = timestamp(take("at")?).map_err(|problem| format!("`at`: {problem}"))?;
    let in_value = |problem| format!("`value`: {problem}");
    let reading = match source.as_str() {
        "measured" => Reading::measured(read(take("value")?).map_err(in_value)?, at),
        "estimated" => {
            let how = text(take("how")?)?;
            Reading::estimated(read(take("value")?).map_err(in_value)?, how, at)
        }
        "unavailable" => Reading::unavailable(text(take("why")?)?, at),
        other => return Err(format!("`source` is {other:?}, expected measured, estimated or unavailable")),
    };
    Ok(Told { reading, extra: without_room(object) })
}

/// The reading of a quantity. What no device can have becomes unavailable: it is a finding, not a broken message.
pub(super) fn quantity(quantity: Quantity, value: Value) -> Result<Told, Problem> {
    let told = reading(value, |value| super::told::figure(quantity.unit(), value))?;
    Ok(Told { reading: quantity.plausible(told.reading), extra: told.extra })
}

/// Whether a value nests no deeper than is allowed.
pub(super) fn is_shallow(object: &Extra) -> bool {
    fn within(value: &Value, depth: usize) -> bool {
        match value {
            Value::Array(items) => depth > 0 && items.iter().all(|item| within(item, depth - 1)),
            Value::Object(fields) => depth > 0 && fields.values().all(|field| within(field, depth - 1)),
            _ => true,
        }
    }
    object.values().all(|value| within(value, DEEPEST - 1))
}

/// A map that was emptied keeps room for eleven fields, which is more than most messages are worth.
fn without_room(left: Extra) -> Extra {
    if left.is_empty() { Extra::new() } else { left }
}

fn expected(what: &str, found: Value) -> Problem {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(number) => return format!("expected {what}, found {number}"),
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("expected {what}, found {kind}")
}
