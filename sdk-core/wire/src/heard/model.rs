//! Models and parts of them, of which a member needs only the name.

use serde::{Deserialize, Deserializer};

use super::{one_key::OneKey, text::Text};

/// A model card.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Card<'a> {
    /// Which model.
    #[serde(borrow, alias = "modelId")]
    pub model_id: Text<'a>,
}

/// A part of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard<'a> {
    /// How it was cut: `PipelineShardMetadata`.
    pub tag: Text<'a>,
    /// Of which model.
    pub model_id: Text<'a>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, alias = "modelCard")]
    model_card: Card<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Shard<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let OneKey { tag, value } = OneKey::<'de, Metadata<'de>>::deserialize(deserializer)?;
        Ok(Self { tag, model_id: value.model_card.model_id })
    }
}
