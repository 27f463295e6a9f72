//! Bytes, as exo counts them.

use serde::{Deserialize, Serialize};

/// More bytes than any machine has.
const MOST: u64 = 1 << 60;

/// A number of bytes: `{"in_bytes": 5000000000}`. At most 2^60.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Memory {
    in_bytes: u64,
}

impl Memory {
    /// That many bytes.
    pub const fn bytes(in_bytes: u64) -> Self {
        Self { in_bytes: if in_bytes < MOST { in_bytes } else { MOST } }
    }

    /// How many bytes.
    pub const fn in_bytes(self) -> u64 {
        self.in_bytes
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    in_bytes: u64,
}

impl From<Written> for Memory {
    fn from(written: Written) -> Self {
        Self::bytes(written.in_bytes)
    }
}
