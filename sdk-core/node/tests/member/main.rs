//! The member as a whole, seen from outside.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod captured;
mod hostile;
mod serving;
mod stage;
mod stories;
mod walls;
