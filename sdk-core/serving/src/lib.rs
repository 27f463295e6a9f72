//! Models that answer: [`exo_engine`] on one device, for all who ask.
//!
//! ```text
//!   an app's chats, programs ──▶ Host ── one thread, a step of each model ──▶ exo_engine::Engine, one a model
//!   exo ──▶ Worker ── wishes ──▶ ModelEngine ──▶  │
//!                                                 ├── where is this model? ──▶ Models (a directory as exo keeps it)
//!                                                 └── not here? ─────────────▶ Supply, if the owner gave one
//! ```
//! It only arranges: what fits is the memory plan's word, how tokens are chosen the engine's, what exo is told the
//! worker's. It owns no socket. Weights are read on a thread of their own, so that those who are being answered meanwhile
//! are not kept waiting.
#![forbid(unsafe_code)]

mod error;
mod fault;
mod host;
mod loading;
mod model_engine;
mod models;
mod pace;
mod request;
mod said;
mod settings;
mod supply;

pub use error::{Error, Result};
pub use host::{AnswerNews, Delivery, FetchNews, Host, Lease, LoadNews, Question, Ready, Shelved};
pub use model_engine::ModelEngine;
pub use models::{Models, Shelf};
pub use settings::Settings;
pub use supply::Supply;
