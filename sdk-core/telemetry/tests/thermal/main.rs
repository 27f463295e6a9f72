//! Heat, from readings to decisions, on phones that can be computed.
#![allow(clippy::unwrap_used, reason = "tests may panic, in what they share too")]

mod forecasts;
mod generator;
mod governing;
mod identification;
mod properties;
mod rig;
