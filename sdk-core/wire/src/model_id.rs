//! The names of models.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// The most bytes of a name, a slash counted twice.
const LONGEST: usize = 200;

/// Why a text is not the name of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a model: expected the name of a Hugging Face repository, such as mlx-community/Qwen3-0.6B-4bit"
)]
pub struct BadModelId {
    text: String,
}

/// A model: the name of a Hugging Face repository.
///
/// exo takes other ids as they come, but makes a path of this one as soon as it hears of a model card, to look into
/// the model's folder (`/` becomes `--`). A name too long for a file ends its process, and one with dots in front
/// leads it astray. So this is the only id that is checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ModelId(Arc<str>);

impl ModelId {
    /// A name that somebody wrote or that was heard, checked.
    pub fn parse(text: &str) -> Result<Self, BadModelId> {
        let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
        let length = text.len() + text.bytes().filter(|byte| *byte == b'/').count();
        let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        if begins && length <= LONGEST && text.bytes().all(sound) {
            Ok(Self(text.into()))
        } else {
            Err(BadModelId { text: text.chars().take(64).collect() })
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ModelId {
    type Error = BadModelId;

    fn try_from(text: String) -> Result<Self, BadModelId> {
        Self::parse(&text)
    }
}

impl Borrow<str> for ModelId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_like_a_repository() {
        for good in ["mlx-community/Qwen3-0.6B-4bit", "x/flux", "gpt2", &"a".repeat(200)] {
            assert!(ModelId::parse(good).is_ok(), "{good:?} was refused");
        }
    }

    #[test]
    fn a_name_that_makes_no_path_is_no_model() {
        for bad in ["", ".", "../secret", "/etc", "a b", "a\0", "é", &"a".repeat(201), &"a/".repeat(68)] {
            assert!(ModelId::parse(bad).is_err(), "{bad:?} was taken");
        }
    }
}
