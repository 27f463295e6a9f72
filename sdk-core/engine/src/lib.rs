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

pub mod chat;
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "without a device nothing is planned"))]
mod config;
mod error;
#[cfg_attr(
    not(feature = "gpu"),
    allow(dead_code, unused_imports, reason = "without a device only headers are read")
)]
mod files;
mod json;
pub mod sampling;
pub mod text;
#[cfg(feature = "tiny")]
pub mod tiny;

pub use config::{Activation, Architecture, Attention, DeltaNet, Layer, Mixer, Reminders, Rope, Slice};
pub use error::{Error, ErrorKind, Result};
#[doc(hidden)]
pub use files::tensors_in_header;
pub use sampling::{Sampled, Sampler, SamplingParams};

// What computes, on a device. Without it what reads a model's files is left, which is all that a fuzzer builds.
#[cfg(feature = "gpu")]
mod cache;
#[cfg(feature = "gpu")]
mod engine;
#[cfg(feature = "gpu")]
mod model;
#[cfg(feature = "gpu")]
mod run;
#[cfg(feature = "gpu")]
mod schedule;
#[cfg(feature = "gpu")]
mod weights;

#[cfg(feature = "gpu")]
pub use {
    engine::{Engine, Happened},
    model::{CacheType, LoadOptions, MemoryPlan, Model},
    run::TokenRun,
    schedule::{End, JobId, Pressure, Produced, Relief, ReliefStep, Scheduler},
    weights::Progress,
};
