//! Language models on [`exo_gpu`]: exo's own model files in, tokens out.
//!
//! ```text
//! directory ─ config, header of each safetensors file ─▶ Plan (weights + cache + scratch against the budget)
//!    Plan ─ bytes straight into device memory ─▶ Model ─ one batch a step ─▶ logits ─ Sampler ─▶ token ─▶ text
//! ```
//!
//! A model runs any range of its layers with activations in and out, so that a phone can be the whole of a model or
//! one rank of a group. Nothing in here knows of networks, of exo's messages or of clocks: whoever needs the date in a
//! prompt gives it.
//!
//! What a file says is checked before a byte is allocated, and what cannot be run is refused by name.
#![forbid(unsafe_code)]

mod cache;
pub mod chat;
mod config;
mod engine;
mod error;
mod files;
mod model;
mod run;
pub mod sampling;
mod schedule;
pub mod text;
#[cfg(feature = "tiny")]
pub mod tiny;
mod weights;

pub use config::{Activation, Architecture, Attention, Layer, Reminders, Rope};
pub use engine::{Engine, Happened};
pub use error::{Error, ErrorKind, Result};
pub use model::{CacheType, LoadOptions, MemoryPlan, Model};
pub use run::TokenRun;
pub use sampling::{Sampled, Sampler, SamplingParams};
pub use schedule::{End, JobId, Produced, Scheduler};
pub use weights::Progress;
