//! Whole numbers that every reader of JSON holds exactly.

use serde::{Deserialize, Serialize};

/// The largest whole number up to which a double holds every one.
const MOST: u64 = 1 << 53;

/// A whole number from 0 to 2^53. More becomes 2^53.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "u64")]
pub struct Count(u64);

impl Count {
    /// So many.
    pub const fn new(count: u64) -> Self {
        Self(if count < MOST { count } else { MOST })
    }

    /// How many.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl From<u64> for Count {
    fn from(count: u64) -> Self {
        Self::new(count)
    }
}
