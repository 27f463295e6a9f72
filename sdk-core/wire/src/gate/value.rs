//! The tree that the gate reads a payload into. It borrows from the payload and lives as long.

use std::{borrow::Cow, collections::HashMap};

/// Up to this many keys, looking through them beats a table.
const FEW_KEYS: usize = 16;

/// A JSON value, borrowed from the payload where it can be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Int(Int<'a>),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Object(Object<'a>),
}

impl Value<'_> {
    /// What it is, in JSON's words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

/// A whole number of any size, as its digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Int<'a>(pub(super) &'a str);

impl Int<'_> {
    /// The number, or the end of the range on its side: no rule of exo's has a bound out there.
    pub(crate) fn clamped(self) -> i128 {
        self.0.parse().unwrap_or(if self.0.starts_with('-') { i128::MIN } else { i128::MAX })
    }

    /// The nearest float; infinite where Python's conversion overflows.
    pub(crate) fn as_float(self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

/// An object's entries, each key once.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object<'a> {
    entries: Vec<(Cow<'a, str>, Value<'a>)>,
    repeated: bool,
}

impl<'a> Object<'a> {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// All entries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }

    /// The only entry, where there is exactly one.
    pub(crate) fn only(&self) -> Option<(&str, &Value<'a>)> {
        match self.entries.as_slice() {
            [(key, value)] => Some((key, value)),
            _ => None,
        }
    }

    /// Whether a key was written more than once.
    pub(crate) fn repeats_a_key(&self) -> bool {
        self.repeated
    }

    /// Keeps the last of equal keys.
    pub(super) fn of(mut entries: Vec<(Cow<'a, str>, Value<'a>)>) -> Self {
        let before = entries.len();
        if before <= FEW_KEYS {
            let mut at = 0;
            while at < entries.len() {
                let again = entries
                    .iter()
                    .skip(at + 1)
                    .any(|(key, _)| entries.get(at).is_some_and(|(k, _)| k == key));
                if again {
                    entries.remove(at);
                } else {
                    at += 1;
                }
            }
        } else {
            let last: HashMap<Cow<'a, str>, usize> =
                entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
            if last.len() < before {
                let mut at = 0;
                entries.retain(|(key, _)| {
                    at += 1;
                    last.get(key) == Some(&(at - 1))
                });
            }
        }
        let repeated = entries.len() < before;
        Self { entries, repeated }
    }
}
