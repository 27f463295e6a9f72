//! Who runs which layers, and why.
//!
//! ```text
//!   problem ──> costs ──┬─ alike layers, uniform links ──> counting, exact                ──┐
//!                       ├─ few devices ──────────────────> sets of devices, exact         ──┼──> plan ──> explanation
//!                       └─ else ── greedy, small changes ─> branch and bound with a bound ──┘
//! ```
//! * [`place`] solves a [`Problem`] and explains the [`Answer`]; both are JSON, see docs/placement.md.
//! * [`replan`] decides whether a plan that is in use shall change: bytes that must move count, and noise does not.
//!
//! What a plan costs is known in one file, `cost.rs`, which every solver uses. No clock is read: the caller lends one.

mod alike;
mod answer;
mod bound;
mod branch;
mod check;
mod clock;
mod cost;
mod door;
mod error;
mod explain;
mod greedy;
mod names;
mod nearby;
mod pace;
mod place;
mod plan;
mod problem;
mod replan;
mod shortage;
mod solve;
mod split;
mod subsets;
mod tensor;
#[cfg(test)]
mod tests;
mod words;

pub use answer::{Alternative, Answer, Binding, DeviceShare, Parallel, PlacedStage, Status};
pub use check::{MAX_BYTES, MAX_DEVICES, MAX_ID_BYTES, MAX_LAYERS};
pub use clock::Clock;
pub use error::ProblemError;
pub use place::{place, place_unexplained};
pub use problem::{
    Device, Layer, Link, LinkSpeed, MAX_TEXT_BYTES, Model, Objective, Problem, Tensor, Workload,
};
pub use replan::{Decision, Moving, Replan, replan};
pub use solve::{PROVEN_WITHIN, Solver};
