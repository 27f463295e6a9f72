//! `exo-sim`: runs seeds until one breaks a rule.
fn main() {}
