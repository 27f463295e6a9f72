//! Heat, from readings to decisions, on phones that can be computed.

mod forecasts;
mod generator;
mod governing;
mod identification;
mod properties;
mod rig;
