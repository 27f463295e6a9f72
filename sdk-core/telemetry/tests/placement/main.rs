//! Placement as its users see it: problems in, answers out.
#![allow(clippy::expect_used, clippy::panic)]

mod answers;
mod cluster;
mod explanations;
mod problems;
mod replanning;
mod shortages;
mod splits;
