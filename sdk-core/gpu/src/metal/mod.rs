//! The metal backend.
