//! The worker: what a member does when exo gives it work.
//!
//! ```text
//!   instances and tasks, from the log        +--------+  wishes: examine, fetch, load, answer, cancel, unload
//!   ----------------------------------->     | Worker | ------------------------------------------> [`Engine`]
//!   <-----------------------------------     |        | <------------------------------------------
//!   runners, downloads, tasks, chunks        +--------+  reports: progress, tokens, failures
//!                                                 |
//!                                        what may be offered: a backend, and memory for models
//! ```
//! A machine like the others: it owns no clock, no thread and no model, and says nothing by itself. The member feeds it
//! the log in its order and puts what it says into the outbox, which keeps that order; the driver carries wishes to the
//! engine and reports back.
//!
//! It runs whole models (a group of one). What it cannot run it gives back at once, in an order that keeps exo from
//! placing it here again: first the offer is withdrawn, then the runner fails with the reason, then the instance is
//! deleted, as exo's own worker does in the end.

mod answer;
mod answers;
mod downloads;
mod engine;
mod heard;
mod machine;
mod offer;
pub mod rehearsal;
mod runner;
mod runners;
mod saying;
#[cfg(test)]
mod tests;

pub use engine::{
    Capacity, Engine, EngineError, Fault, Fetched, Fetching, Finish, Report, Step, Suitable, Token, TopToken,
    Wake, Wish,
};
pub use machine::Worker;
pub use offer::{Allowed, Offer};
pub use saying::{Say, Work};

use exo_wire::heard::{Event, Snapshot};

/// What happens to a worker.
#[derive(Debug)]
pub enum Input<'a> {
    /// The time has come; see [`Worker::deadline`].
    Tick,
    /// Another session is followed: nothing that was said in the last one holds, and its state is not known yet.
    Session,
    /// The state of the session, at the place in the log where we are now.
    State(&'a Snapshot<'a>),
    /// The next event of the log.
    Event(&'a Event<'a>),
    /// The engine did something.
    Engine(Report),
    /// What the owner's policy and the heat allow now.
    Allowed(Allowed),
    /// It will never be known whether these reached the log. They are not said again.
    Unsaid(Vec<Work>),
    /// The member leaves.
    Leave,
}
