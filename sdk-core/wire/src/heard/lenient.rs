//! Lists and maps that lose what they cannot read and end where they grow absurd.

use std::{fmt, marker::PhantomData};

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use super::text::Text;

/// More entries than any cluster has nodes, instances or interfaces. What follows is dropped.
const MOST: usize = 4096;

/// More than one node has interfaces or backends. A list inside an entry is bounded by it, or the bounds would multiply.
const FEW: usize = 64;

/// Reads a list; entries that are not a `T` are left out.
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    list_up_to::<MOST, D, T>(deserializer)
}

/// The same, for a list inside an entry of another.
pub(super) fn short_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    list_up_to::<FEW, D, T>(deserializer)
}

fn list_up_to<'de, const LIMIT: usize, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Reader<const LIMIT: usize, T>(PhantomData<T>);

    impl<'de, const LIMIT: usize, T: Deserialize<'de>> de::Visitor<'de> for Reader<LIMIT, T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(raw) = seq.next_element::<&RawValue>()? {
                if list.len() < LIMIT {
                    list.extend(serde_json::from_str::<T>(raw.get()));
                }
            }
            Ok(list)
        }
    }

    deserializer.deserialize_seq(Reader::<LIMIT, T>(PhantomData))
}

/// Reads a map; entries whose value is not a `T` are left out.
pub(super) fn map<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<(Text<'de>, T)>, D::Error> {
    struct Reader<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Reader<T> {
        type Value = Vec<(Text<'de>, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some((key, raw)) = map.next_entry::<Text<'de>, &RawValue>()? {
                if entries.len() < MOST {
                    entries.extend(serde_json::from_str::<T>(raw.get()).map(|value| (key, value)));
                }
            }
            Ok(entries)
        }
    }

    deserializer.deserialize_map(Reader(PhantomData))
}
