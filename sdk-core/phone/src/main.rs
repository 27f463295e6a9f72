//! A phone without a phone.

fn main() {}
