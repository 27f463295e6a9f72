//! Between people's text and a model's tokens.
//!
//! ```text
//! messages ─ template ─▶ prompt ─ tokenizer ─▶ tokens ─ model, sampler ─▶ token ─ answer ─▶ text, thoughts, calls
//! ```
//!
//! [`Language`] holds all of it for one model. Nothing here waits, reads files or asks a clock.

mod answer;
mod conversation;
mod file;
mod jinja;
mod json;
mod language;
mod template;
mod tokenizer;

pub use answer::{
    Answer, AnswerOptions, Counts, Finish, OfferedTools, Output, Piece, ThinkingTags, ToolCall, ToolDialect,
};
pub use conversation::Conversation;
pub use language::{Language, Prompt, TextFiles};
pub use template::{ChatTemplate, Moment};
pub use tokenizer::{Detokenizer, Tokenizer};

use file::{field, flag, invalid_tokenizer, kind_of, text_field, unsupported};
