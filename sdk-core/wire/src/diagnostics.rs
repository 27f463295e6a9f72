//! A list that must be empty.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// exo can write findings about a failure here but cannot read them back: a single one ends every process that hears
/// of it. So this list is always empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Diagnostics;

impl Serialize for Diagnostics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [(); 0].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Diagnostics {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Vec::<de::IgnoredAny>::deserialize(deserializer)?.len() {
            0 => Ok(Self),
            _ => Err(de::Error::custom("diagnostics that exo cannot read")),
        }
    }
}
