//! Models that answer, tried with a tiny one on the CPU.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod fetching;
mod host;
mod server;
mod stage;
mod worker;
