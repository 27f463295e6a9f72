//! The engine behind the worker: [`exo_engine`] does what [`exo_node::worker`] wants done.
//!
//! ```text
//!  Worker ── wishes ──▶ ModelEngine ── one step of each model ──▶ exo_engine::Engine, one a runner, on one device
//!         ◀─ reports ──      │
//!                            └── where is this model? ──▶ Models (a directory as exo keeps it, or whoever downloads)
//! ```
//! It only translates: what fits is the memory plan's word, how tokens are chosen the engine's, what exo is told the
//! worker's. It owns no socket and is asked on whatever thread the driver gives it. Weights are read on a thread of
//! their own, so that those who are being answered meanwhile are not kept waiting.
#![forbid(unsafe_code)]

mod fault;
mod loading;
mod model_engine;
mod models;
mod pace;
mod request;
mod runner;
mod said;

pub use model_engine::{ModelEngine, Settings};
pub use models::{Models, Shelf};
