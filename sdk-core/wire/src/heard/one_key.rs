//! exo's tagged values: an object with one key, the name of what follows.

use std::{fmt, marker::PhantomData};

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use super::text::Text;

/// A tagged value of which the inside is known to be a `T`, whatever the tag. Not more and not less than one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OneKey<'a, T> {
    pub(super) tag: Text<'a>,
    pub(super) value: T,
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for OneKey<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Reader<T> {
            type Value = OneKey<'de, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with one key")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let Some((tag, value)) = map.next_entry()? else {
                    return Err(de::Error::invalid_length(0, &self));
                };
                match map.next_key::<de::IgnoredAny>()? {
                    None => Ok(OneKey { tag, value }),
                    Some(_) => Err(de::Error::invalid_length(2, &self)),
                }
            }
        }

        deserializer.deserialize_map(Reader(PhantomData))
    }
}

/// A tagged value, such as a runner's status: its tag, and the inside as it was heard.
#[derive(Debug, Clone)]
pub struct Tagged<'a> {
    /// The tag: `RunnerReady`.
    pub tag: Text<'a>,
    /// The inside.
    pub body: &'a RawValue,
}

impl<'de: 'a, 'a> Deserialize<'de> for Tagged<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OneKey::deserialize(deserializer).map(|OneKey { tag, value }| Self { tag, body: value })
    }
}

/// The first key of an object, which is its tag if it is a tagged value. Reads no further.
pub fn tag(value: &RawValue) -> Option<Text<'_>> {
    let inside = value.get().trim_start().strip_prefix('{')?;
    serde_json::Deserializer::from_str(inside).into_iter().next()?.ok()
}
