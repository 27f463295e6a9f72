//! How models are run.

use exo_engine::CacheType;

/// How models are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Positions of all conversations of a model together. Halved, and halved again, where memory is short.
    pub context: u32,
    /// How keys and values are kept.
    pub cache: CacheType,
    /// How many answers a model makes at once. More wait.
    pub at_once: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { context: 4096, cache: CacheType::default(), at_once: 4 }
    }
}
