//! Every kernel at every level against the reference, and the device as a whole.

mod elementwise;
mod harness;
mod products;
mod rows;
mod vectors;

#[path = "../../../tests/reference/mod.rs"]
mod reference;
