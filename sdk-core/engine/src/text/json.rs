//! JSON that keeps the order of its keys: in another order it would be another prompt.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(pairs) => pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match self {
            Self::Map(pairs) => pairs.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// How long it is, about.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Float(_) => 8,
            Self::Text(text) => text.len() + 8,
            Self::List(items) => 8 + items.iter().map(Self::bytes).sum::<usize>(),
            Self::Map(pairs) => 8 + pairs.iter().map(|(key, value)| key.len() + value.bytes()).sum::<usize>(),
        }
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, bool: bool) -> Result<Json, E> {
        Ok(Json::Bool(bool))
    }

    fn visit_i64<E>(self, int: i64) -> Result<Json, E> {
        Ok(Json::Int(int.into()))
    }

    fn visit_u64<E>(self, int: u64) -> Result<Json, E> {
        Ok(Json::Int(int.into()))
    }

    fn visit_f64<E>(self, float: f64) -> Result<Json, E> {
        Ok(Json::Float(float))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Json, S::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Json, M::Error> {
        // As in Python's dict: a key that comes again keeps its place and takes the new value.
        let mut pairs: Vec<(String, Json)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        while let Some((key, value)) = map.next_entry::<String, Json>()? {
            let place = *places.entry(key.clone()).or_insert(pairs.len());
            match pairs.get_mut(place) {
                Some(pair) => pair.1 = value,
                None => pairs.push((key, value)),
            }
        }
        Ok(Json::Map(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_one_that_comes_again_its_place() {
        let json = Json::parse(r#"{"z": 1, "a": 2, "z": 3}"#).unwrap();
        assert_eq!(json, Json::Map(vec![("z".into(), Json::Int(3)), ("a".into(), Json::Int(2))]));
    }

    #[test]
    fn depth_is_limited() {
        assert!(Json::parse(&"[".repeat(10_000)).is_err());
    }
}
