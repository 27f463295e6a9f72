//! How fields of `tokenizer.json` are read, and what is said where they are wrong.

use serde_json::Value;

use crate::{Error, Result};

pub(super) fn invalid_tokenizer(what: String) -> Error {
    Error::InvalidModel { file: "tokenizer.json".into(), what }
}

pub(super) fn unsupported(what: &str, supported: &str) -> Error {
    Error::Unsupported { what: what.into(), supported: supported.into() }
}

/// The `type` of a part.
pub(super) fn kind_of(value: &Value) -> Result<&str> {
    text_field(value, "type")
}

pub(super) fn field<'v>(value: &'v Value, name: &str) -> Result<&'v Value> {
    value.get(name).ok_or_else(|| invalid_tokenizer(format!("a part without {name:?}: {}", shortened(value))))
}

pub(super) fn text_field<'v>(value: &'v Value, name: &str) -> Result<&'v str> {
    let found = field(value, name)?;
    found.as_str().ok_or_else(|| invalid_tokenizer(format!("{name:?} is no text in {}", shortened(value))))
}

pub(super) fn flag(value: &Value, name: &str, otherwise: bool) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(otherwise)
}

fn shortened(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}
