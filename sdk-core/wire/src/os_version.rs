//! The system of a node, in words.

use std::fmt;

use serde::{Deserialize, Serialize};

/// "Android 16". Never a leading digit: exo's dashboard takes that for macOS and warns of a mismatch. What was read
/// keeps its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OsVersion(Box<str>);

impl OsVersion {
    /// The version as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for OsVersion {
    fn from(text: String) -> Self {
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            Self(format!("Version {text}").into())
        } else {
            Self(text.into())
        }
    }
}

impl fmt::Display for OsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
