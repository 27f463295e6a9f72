//! Fields of `config.json`, with messages that name the field.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::invalid;
use crate::Result;

/// An object of the config.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    pub(crate) fn of(config: &'a Value) -> Result<Self> {
        config.as_object().map(Self).ok_or_else(|| invalid("it is not an object".into()))
    }

    /// A field that may be missing or null.
    pub(crate) fn get<T: DeserializeOwned>(self, name: &str) -> Result<Option<T>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                T::deserialize(value).map(Some).map_err(|e| invalid(format!("{name} is {value}: {e}")))
            }
        }
    }

    /// Whether there is such a field, be it null.
    pub(crate) fn names(self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A field that must be there.
    pub(crate) fn need<T: DeserializeOwned>(self, name: &str) -> Result<T> {
        self.get(name)?.ok_or_else(|| invalid(format!("{name} is missing")))
    }

    /// A field with a default.
    pub(crate) fn or<T: DeserializeOwned>(self, name: &str, default: T) -> Result<T> {
        Ok(self.get(name)?.unwrap_or(default))
    }

    /// An object inside.
    pub(crate) fn object(self, name: &str) -> Result<Option<Self>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => Self::of(value).map(Some).map_err(|_| invalid(format!("{name} is {value}"))),
        }
    }

    pub(crate) fn entries(self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.0.iter()
    }
}
