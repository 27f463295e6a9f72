//! A node's id as the key of a map.
//!
//! A member looks up a node with every event that it hears. Ids are hexadecimal numbers, so the key is the number
//! itself: no text to fetch and compare. exo takes any string for an id; one that is no such number stays a text.

use exo_wire::NodeId;

/// The key of a node. Equal keys mean equal ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum NodeKey {
    Number(u128),
    Text(Box<str>),
}

impl NodeKey {
    pub(super) fn of(id: &str) -> Self {
        number(id.as_bytes()).map_or_else(|| Self::Text(id.into()), Self::Number)
    }

    pub(super) fn to_id(&self) -> NodeId {
        match self {
            Self::Number(number) => NodeId::heard(&format!("{number:x}")),
            Self::Text(text) => NodeId::heard(text),
        }
    }
}

/// The number, if this is how it would be written: lower case, no leading zero, at most 32 digits.
fn number(digits: &[u8]) -> Option<u128> {
    if digits.len() > 32 || matches!(digits.first(), None | Some(b'0')) {
        return None;
    }
    digits.iter().try_fold(0u128, |number, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u128::from(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_comes_back_as_it_was() {
        let all = "f".repeat(32);
        for id in ["a1b2", "1", &all, "0", "", "0a", "A1", "+1", "exo", "a b", &format!("{all}f")] {
            assert_eq!(NodeKey::of(id).to_id().as_str(), id);
        }
        assert!(matches!(NodeKey::of("a1b2"), NodeKey::Number(0xa1b2)));
        assert!(matches!(NodeKey::of("A1"), NodeKey::Text(_)));
    }
}
