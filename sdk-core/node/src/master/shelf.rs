//! One section of the state: values by id, bounded in number and in the memory that they take.

use std::{collections::BTreeMap, mem::size_of};

use serde_json::{Map, Value};

/// Longer ids than this are nobody's.
const MAX_ID: usize = 256;
const MAX_ITEMS: usize = 4096;
const MAX_BYTES: usize = 4 << 20;

/// What a value takes in memory, about: a parsed `[0,0,0]` takes ten times its text.
pub(super) fn weight(value: &Value) -> usize {
    const ENTRY: usize = size_of::<String>() + size_of::<Value>();
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| ENTRY + key.len() + weight(value)).sum(),
    };
    size_of::<Value>() + inside
}

/// Values by id. What does not fit is left out.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    items: BTreeMap<Box<str>, (Value, usize)>,
    bytes: usize,
}

impl Shelf {
    /// Puts the value there, over an older one.
    pub(super) fn put(&mut self, id: &str, value: Value) {
        let bytes = weight(&value).saturating_add(id.len());
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
    fn a_shelf_is_bounded_in_number_and_length_of_ids() {
        let mut shelf = Shelf::default();
        for n in 0..2 * MAX_ITEMS {
            shelf.put(&n.to_string(), Value::Null);
        }
        shelf.put(&"x".repeat(300), Value::Null);
        assert_eq!(shelf.items.len(), MAX_ITEMS);
        let full = shelf.bytes;
        shelf.remove("17");
        assert!(shelf.bytes < full);
        shelf.put("17", Value::Null);
        assert_eq!((shelf.items.len(), shelf.bytes), (MAX_ITEMS, full));
    }

    #[test]
    fn what_a_value_takes_counts_and_not_the_text_that_it_came_in() {
        let mut shelf = Shelf::default();
        shelf.put("a", Value::Bool(true));
        let short_text: Value = Value::Array(vec![Value::Null; MAX_BYTES / 16]);
        shelf.put("a", short_text.clone());
        assert_eq!(shelf.get("a"), Some(&Value::Bool(true)), "too large: the older one stays");
        shelf.put("b", short_text);
        assert_eq!(shelf.get("b"), None);
    }
}
