//! Models on this device: which there are, fetching and loading them, asking them, and letting the cluster have them.
//!
//! A [`ModelHost`] is opened once. The app's own chats ask its models; given to a node as `Platform.models`, the cluster
//! may too, for as long as the owner's policy allows it, and only those that were offered. A model is loaded once, whoever
//! wants it.

mod answer;
mod fetching;
mod host;
mod loading;
mod question;
#[cfg(test)]
mod tests;

pub use answer::{Answer, AnswerEnd, AnswerPiece, Finish};
pub use fetching::{FetchOptions, FetchProgress, ModelFetching};
pub use host::{ModelHost, ModelHostOptions, ModelRelief, ShelvedModel};
pub use loading::{LoadProgress, Model, ModelLoading};
pub use question::{ChatMessage, Question, Role};
