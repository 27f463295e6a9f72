//! Takes the place of the crate `json5` below zenoh (`[patch.crates-io]` in the workspace).
//!
//! zenoh reads its settings as JSON5, and only as that: its parser weighs 200 kB in an app, and brings C code for a
//! stack that it never uses. We write settings in plain JSON, so `serde_json`, which is there anyway, reads
//! them. A text becomes a [`Value`] first, so that little is generated anew for each of zenoh's types.
//!
//! Programs that depend on our crates from their own workspace get the real one, and work just the same.
#![forbid(unsafe_code)]

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Serialize,
    de::{self, Visitor},
};
use serde_json::Value;

/// Why a text was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

/// What reading gives.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// A text that was read and can be taken once.
#[derive(Debug)]
pub struct Deserializer<'de>(Value, PhantomData<&'de str>);

impl<'de> Deserializer<'de> {
    /// Reads a text of plain JSON.
    #[expect(clippy::should_implement_trait, reason = "zenoh calls it by this name")]
    pub fn from_str(text: &'de str) -> Result<Self> {
        Ok(Self(serde_json::from_str(text)?, PhantomData))
    }
}

macro_rules! as_serde_json {
    ($($method:ident($($name:ident: $kind:ty),*)),* $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $kind,)* visitor: V) -> Result<V::Value> {
            Ok(de::Deserializer::$method(std::mem::take(&mut self.0), $($name,)* visitor)?)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    as_serde_json! {
        deserialize_any(), deserialize_bool(), deserialize_char(), deserialize_str(), deserialize_string(),
        deserialize_i8(), deserialize_i16(), deserialize_i32(), deserialize_i64(),
        deserialize_u8(), deserialize_u16(), deserialize_u32(), deserialize_u64(),
        deserialize_f32(), deserialize_f64(), deserialize_bytes(), deserialize_byte_buf(),
        deserialize_option(), deserialize_unit(), deserialize_seq(), deserialize_map(),
        deserialize_identifier(), deserialize_ignored_any(),
        deserialize_unit_struct(name: &'static str),
        deserialize_newtype_struct(name: &'static str),
        deserialize_tuple(length: usize),
        deserialize_tuple_struct(name: &'static str, length: usize),
        deserialize_struct(name: &'static str, fields: &'static [&'static str]),
        deserialize_enum(name: &'static str, variants: &'static [&'static str]),
    }
}

/// Reads a value.
pub fn from_str<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
    T::deserialize(&mut Deserializer::from_str(text)?)
}

/// Writes a value.
pub fn to_string<T: Serialize>(value: &T) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Client,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Settings {
        mode: Mode,
        endpoints: Vec<String>,
        timeout: Option<i64>,
    }

    #[test]
    fn settings_in_plain_json_are_read() {
        let text = r#"{"mode": "client", "endpoints": ["tcp/127.0.0.1:1"], "timeout": null}"#;
        let expected =
            Settings { mode: Mode::Client, endpoints: vec!["tcp/127.0.0.1:1".into()], timeout: None };
        assert_eq!(from_str::<Settings>(text).unwrap(), expected);
    }

    #[test]
    fn what_is_more_than_plain_json_is_refused_with_the_place() {
        let error = from_str::<Settings>("{mode: 'client'}").unwrap_err();
        assert!(error.to_string().contains("line 1 column 2"), "{error}");
    }
}
