//! Every kernel at every level against the reference, and the device as a whole.

// Where a result is exact, so is the comparison.
#![allow(clippy::float_cmp)]

mod attention;
mod device;
mod elementwise;
mod harness;
mod products;
mod recurrence;
mod rows;
mod store;
mod vectors;

#[path = "../../../tests/reference/mod.rs"]
mod reference;
