//! The names of tokens and their ids, both ways, in three flat lists.
//!
//! A vocabulary has up to 260,000 names. As a map of strings it would take three times the memory and half a second to
//! fill on a phone; and sorted lists keep their promise whatever names a hostile file holds.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};

/// Ids above this are no ids of a real vocabulary: a list is as long as its highest id.
pub(super) const MAX_ID: u32 = 1 << 21;

/// Names by id, and ids by name.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    names: String,
    /// Where each id's name lies in `names`; nothing for ids without one.
    spans: Vec<Option<(u32, u32)>>,
    /// All ids that have a name, sorted by it.
    sorted: Vec<u32>,
    /// The ids of single characters below U+0250, which is where byte-level names and most text live.
    near: Vec<Option<u32>>,
}

const NEAR: u32 = 0x250;

impl Vocabulary {
    pub(super) fn name(&self, id: u32) -> Option<&str> {
        let (start, end) = (*self.spans.get(id as usize)?)?;
        self.names.get(start as usize..end as usize)
    }

    pub(super) fn id(&self, name: &str) -> Option<u32> {
        let found = self.sorted.binary_search_by(|&id| self.name(id).unwrap_or("").cmp(name)).ok()?;
        self.sorted.get(found).copied()
    }

    pub(super) fn id_of_char(&self, c: char) -> Option<u32> {
        if u32::from(c) < NEAR {
            self.near.get(u32::from(c) as usize).copied()?
        } else {
            self.id(c.encode_utf8(&mut [0; 4]))
        }
    }

    /// One more than the highest id.
    pub(super) fn len(&self) -> u32 {
        self.spans.len() as u32
    }

    fn insert(&mut self, name: &str, id: u32) -> Result<(), String> {
        if id > MAX_ID {
            return Err(format!("the id {id} of {name:?} is above {MAX_ID}"));
        }
        let start = self.names.len();
        self.names.push_str(name);
        if u32::try_from(self.names.len()).is_err() {
            return Err("the names are longer than 4 GiB".into());
        }
        if self.spans.len() <= id as usize {
            self.spans.resize(id as usize + 1, None);
        }
        self.spans[id as usize] = Some((start as u32, self.names.len() as u32));
        Ok(())
    }

    fn finish(&mut self) {
        let mut sorted: Vec<u32> = (0..self.len()).filter(|&id| self.name(id).is_some()).collect();
        sorted.sort_unstable_by(|&a, &b| self.name(a).cmp(&self.name(b)));
        self.sorted = sorted;
        let id = |code| char::from_u32(code).and_then(|c| self.id(c.encode_utf8(&mut [0; 4])));
        self.near = (0..NEAR).map(id).collect();
    }
}

/// Reads `{"name": id, ...}`.
pub(super) struct Names;

impl<'de> DeserializeSeed<'de> for Names {
    type Value = Vocabulary;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vocabulary, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Names {
    type Value = Vocabulary;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map from tokens to ids")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Vocabulary, M::Error> {
        let mut vocabulary = Vocabulary::default();
        while let Some((name, id)) = map.next_entry::<String, u32>()? {
            vocabulary.insert(&name, id).map_err(serde::de::Error::custom)?;
        }
        vocabulary.finish();
        Ok(vocabulary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Vocabulary, serde_json::Error> {
        Names.deserialize(&mut serde_json::Deserializer::from_str(json))
    }

    #[test]
    fn names_lead_to_ids_and_back() {
        let vocabulary = read(r#"{"b": 5, "": 1, "é": 2, "漢": 0, "ba": 3}"#).unwrap();
        for (name, id) in [("b", 5), ("", 1), ("é", 2), ("漢", 0), ("ba", 3)] {
            assert_eq!(vocabulary.id(name), Some(id));
            assert_eq!(vocabulary.name(id), Some(name));
        }
        assert_eq!((vocabulary.id("bab"), vocabulary.name(4), vocabulary.name(9)), (None, None, None));
        assert_eq!(
            (vocabulary.id_of_char('é'), vocabulary.id_of_char('漢'), vocabulary.id_of_char('x')),
            (Some(2), Some(0), None)
        );
        assert_eq!(vocabulary.len(), 6);
    }

    #[test]
    fn an_id_out_of_reach_is_an_error_and_no_allocation() {
        assert!(read(r#"{"a": 4294967295}"#).unwrap_err().to_string().contains("is above"));
        assert!(read(r#"{"a": -1}"#).is_err());
    }
}
