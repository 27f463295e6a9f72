//! The two places where exo takes JSON that it does not describe.
//!
//! Open is not boundless: nesting is limited, since exo's parser gives up on deep JSON, and giving up ends it.
//!
//! The text is kept as it was written: templates print tools and messages, and a model reads keys in the order in which
//! the client wrote them.

use serde::{Deserialize, Serialize};
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

/// How deep an open object may go.
pub const MAX_DEPTH: usize = 32;
/// The most bytes of a key in it.
const MAX_KEY: usize = 256;
/// The most bytes of a string in it.
const MAX_TEXT: usize = 256 << 10;

/// Why an object cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadObject {
    /// It is something else, or nested beyond all measure.
    #[error("not a JSON object, or nested beyond all measure")]
    NoObject,
    /// It nests too deeply.
    #[error("nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// It has a key or a string of absurd length.
    #[error("a key of more than 256 bytes, or a string of more than 256 KiB")]
    TooLong,
    /// It has a whole number that exo's log has no room for.
    #[error("a whole number above 2^63 - 1")]
    TooLarge,
    /// It has a null, and exo's chat messages have none.
    #[error("null in a chat message: leave the key out")]
    Null,
}

/// A tool that a model may call: any JSON object.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Box<RawValue>")]
pub struct Tool(Box<RawValue>);

/// A message for a model's chat template: any JSON object without nulls.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Box<RawValue>")]
pub struct ChatTemplateMessage(Box<RawValue>);

impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl PartialEq for ChatTemplateMessage {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl TryFrom<Box<RawValue>> for Tool {
    type Error = BadObject;

    fn try_from(text: Box<RawValue>) -> Result<Self, BadObject> {
        checked(text, true).map(Self)
    }
}

impl TryFrom<Box<RawValue>> for ChatTemplateMessage {
    type Error = BadObject;

    fn try_from(text: Box<RawValue>) -> Result<Self, BadObject> {
        checked(text, false).map(Self)
    }
}

impl TryFrom<Map<String, Value>> for Tool {
    type Error = BadObject;

    fn try_from(object: Map<String, Value>) -> Result<Self, BadObject> {
        written(&object)?.try_into()
    }
}

impl TryFrom<Map<String, Value>> for ChatTemplateMessage {
    type Error = BadObject;

    fn try_from(object: Map<String, Value>) -> Result<Self, BadObject> {
        written(&object)?.try_into()
    }
}

fn written(object: &Map<String, Value>) -> Result<Box<RawValue>, BadObject> {
    to_raw_value(object).map_err(|_| BadObject::NoObject)
}

fn checked(text: Box<RawValue>, nulls: bool) -> Result<Box<RawValue>, BadObject> {
    // The parser itself gives up on what is far too deep.
    let object: Map<String, Value> = serde_json::from_str(text.get()).map_err(|_| BadObject::NoObject)?;
    check_fields(&object, MAX_DEPTH, nulls)?;
    Ok(text)
}

fn check(value: &Value, depth: usize, nulls: bool) -> Result<(), BadObject> {
    let depth = depth.checked_sub(1).ok_or(BadObject::TooDeep)?;
    match value {
        Value::Null if !nulls => Err(BadObject::Null),
        Value::String(text) if text.len() > MAX_TEXT => Err(BadObject::TooLong),
        Value::Number(number) if number.is_u64() && !number.is_i64() => Err(BadObject::TooLarge),
        Value::Array(items) => items.iter().try_for_each(|item| check(item, depth, nulls)),
        Value::Object(fields) => check_fields(fields, depth, nulls),
        _ => Ok(()),
    }
}

fn check_fields(fields: &Map<String, Value>, depth: usize, nulls: bool) -> Result<(), BadObject> {
    fields.iter().try_for_each(|(key, value)| {
        if key.len() > MAX_KEY {
            return Err(BadObject::TooLong);
        }
        check(value, depth, nulls)
    })
}
