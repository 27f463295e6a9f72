//! Who tells.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// The id of a device: what the node is called in the cluster. It is part of keys and labels, so it is 1 to 128
/// letters, digits, `-`, `_`, `.` or `:`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct DeviceId(Arc<str>);

impl DeviceId {
    /// The id, if it is one.
    pub fn new(id: &str) -> Option<Self> {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_.:".contains(&b);
        ((1..=128).contains(&id.len()) && id.bytes().all(fits)).then(|| Self(id.into()))
    }

    /// For a device whose name in the cluster is no id; it tells nobody.
    pub fn nameless() -> Self {
        Self("nameless".into())
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for DeviceId {
    type Error = &'static str;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::new(&id).ok_or("expected 1 to 128 letters, digits, '-', '_', '.' or ':'")
    }
}

impl Borrow<str> for DeviceId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
