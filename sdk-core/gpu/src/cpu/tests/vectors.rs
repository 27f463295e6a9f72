//! Golden vectors.
