//! When to look at the device, what has changed, and what to tell.
//!
//! A look costs time and, on a phone that sleeps, a wake-up; a message costs the radio. So nothing is looked at while
//! nobody listens, everything that is due soon is looked at in one go, what does not change is looked at less often,
//! and only what changed is told. Everything is told when somebody begins to listen and every few minutes, so that a
//! newcomer or a lossy link catches up.
//!
//! ```text
//!   handle(Tick) ─> Output::Look(groups) ─> the driver asks its probe ─> handle(Looked) ─> Output::Tell(message)
//! ```

mod bands;
mod machine;
mod pace;
mod smoothing;

pub use bands::has_changed;
pub use machine::{Collector, Input, Output};
pub use pace::Pace;
pub use smoothing::time_constant;
