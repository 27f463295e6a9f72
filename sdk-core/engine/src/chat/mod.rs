//! One request of a client, and the reply to it as it grows.
//!
//! ```text
//! ChatRequest ─ Reply::begin ─▶ TokenRequest ─ model, sampler ─▶ Sampled ─ Reply::push ─▶ Event, Event, ...
//! ```
//!
//! This is all that a server needs to know of text: it moves tokens between a model and a [`Reply`], and events to the
//! client. Nothing here waits, draws or knows of a network; the ids of tool calls, speeds and names of models are the
//! server's to add.

mod reply;
mod request;

pub use reply::{End, Event, Likely, Reply, Said, Usage};
pub use request::{ChatRequest, InputMessage, TokenRequest};

#[cfg(test)]
mod tests;
