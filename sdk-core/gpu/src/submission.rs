//! Work under way.

/// Work that was submitted.
pub struct Submission {}
