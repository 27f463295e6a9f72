//! One section of the state: values by id, bounded in number and bytes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Longer ids than this are nobody's.
const MAX_ID: usize = 256;
const MAX_ITEMS: usize = 4096;
const MAX_BYTES: usize = 4 << 20;

/// Values by id. What does not fit is left out.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    items: BTreeMap<Box<str>, (Value, usize)>,
    bytes: usize,
}

impl Shelf {
    /// Puts the value there, over an older one. `bytes` is about what it takes.
    pub(super) fn put(&mut self, id: &str, value: Value, bytes: usize) {
        let older = self.items.get(id).map(|(_, bytes)| *bytes);
        let filled = self.bytes.saturating_sub(older.unwrap_or(0)).saturating_add(bytes);
        let too_many = older.is_none() && self.items.len() >= MAX_ITEMS;
        if id.len() <= MAX_ID && filled <= MAX_BYTES && !too_many {
            self.items.insert(id.into(), (value, bytes));
            self.bytes = filled;
        }
    }

    pub(super) fn remove(&mut self, id: &str) {
        if let Some((_, bytes)) = self.items.remove(id) {
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<&Value> {
        self.items.get(id).map(|(value, _)| value)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Value> {
        self.items.get_mut(id).map(|(value, _)| value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.items.iter().map(|(id, (value, _))| (&**id, value))
    }

    pub(super) fn to_json(&self) -> Value {
        Value::Object(self.iter().map(|(id, value)| (id.to_owned(), value.clone())).collect::<Map<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shelf_is_bounded_in_number_bytes_and_length_of_ids() {
        let mut shelf = Shelf::default();
        for n in 0..2 * MAX_ITEMS {
            shelf.put(&n.to_string(), Value::Null, 1);
        }
        shelf.put(&"x".repeat(300), Value::Null, 1);
        assert_eq!((shelf.items.len(), shelf.bytes), (MAX_ITEMS, MAX_ITEMS));
        shelf.put("0", Value::Bool(true), MAX_BYTES);
        assert_eq!(shelf.get("0"), Some(&Value::Null), "too large: the older one stays");
        shelf.put("0", Value::Bool(true), 2);
        shelf.remove("1");
        assert_eq!((shelf.get("0"), shelf.bytes), (Some(&Value::Bool(true)), MAX_ITEMS));
    }
}
