//! Bytes, as exo counts them.

use serde::{Deserialize, Serialize};

/// A number of bytes: `{"in_bytes": 5000000000}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    in_bytes: u64,
}

impl Memory {
    /// That many bytes.
    pub const fn bytes(in_bytes: u64) -> Self {
        Self { in_bytes }
    }

    /// How many bytes.
    pub const fn in_bytes(self) -> u64 {
        self.in_bytes
    }
}
