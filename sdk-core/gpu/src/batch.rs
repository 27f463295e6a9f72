//! Recording work.

/// Operations to be submitted as one.
pub struct Batch {}
