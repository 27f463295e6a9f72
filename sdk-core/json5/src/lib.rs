//! Takes the place of the crate `json5` below zenoh (`[patch.crates-io]` in the workspace).
//!
//! zenoh reads its settings as JSON5, and only as that: its parser weighs 200 kB in an app, and brings C code for a
//! stack that it never uses. We write settings in plain JSON, so `serde_json`, which is there anyway, reads
//! them. A text becomes a [`Value`] first, and zenoh's types are taken out of it in one way (`tree.rs`), so that little is
//! generated anew for each of them.
//!
//! Programs that depend on our crates from their own workspace get the real one, and work just the same.
#![forbid(unsafe_code)]

mod tree;

use std::{fmt, marker::PhantomData};

use serde::{Deserialize, Serialize, de};
use serde_json::Value;

/// Why a text was not read.
#[derive(Debug)]
pub struct Error(serde_json::Error);

/// What reading gives.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(de::Error::custom(message))
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self(error)
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
    use std::collections::BTreeMap;

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
    fn every_kind_of_value_is_taken_as_it_is() {
        let text = r#"{"a": [true, -1, 2, 0.5, "x", null, {"b": []}]}"#;
        assert_eq!(from_str::<Value>(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(from_str::<(u8, i64, f32)>("[1, -2, 3]").unwrap(), (1, -2, 3.0));
        assert_eq!(from_str::<BTreeMap<String, Option<u16>>>(r#"{"a": 7}"#).unwrap()["a"], Some(7));
    }

    #[test]
    fn what_a_setting_cannot_be_is_refused() {
        for text in [
            r#"["client", []]"#,
            r#"{"mode": {"client": null}, "endpoints": []}"#,
            r#"{"mode": "client"}"#,
            "7",
        ] {
            assert!(from_str::<Settings>(text).is_err(), "{text}");
        }
        assert!(from_str::<u8>("256").is_err() && from_str::<(u8, u8)>("[1, 2, 3]").is_err());
        assert_eq!(from_str::<bool>("[]").unwrap_err().to_string(), "a list stands where it does not belong");
    }

    #[test]
    fn what_is_more_than_plain_json_is_refused_with_the_place() {
        let error = from_str::<Settings>("{mode: 'client'}").unwrap_err();
        assert!(error.to_string().contains("line 1 column 2"), "{error}");
    }
}
