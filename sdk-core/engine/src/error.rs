//! What can go wrong, by what the caller can do about it.
//!
//! [`Error::kind`] is stable across releases; apps match on it, never on the text.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The result of every fallible call in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The stable name of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file of the model is missing or cannot be read.
    Io,
    /// A file of the model contradicts itself or the format.
    InvalidModel,
    /// The model is well-formed, and we cannot run it.
    Unsupported,
    /// The model does not fit into the memory that it may use.
    OutOfMemory,
    /// What was asked of the model can never work as given.
    InvalidRequest,
    /// The model's chat template refused the messages or failed.
    Template,
    /// Memory is short, and no new work is taken for now.
    UnderPressure,
    /// The request was taken back.
    Cancelled,
    /// The device failed.
    Gpu,
}

/// An error of the engine.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is missing or cannot be read.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A file contradicts itself or the format.
    #[error("{file}: {what}; download the model again, or report it to whoever made the file")]
    InvalidModel {
        /// The file's name.
        file: String,
        /// What is wrong with it.
        what: String,
    },
    /// A well-formed model that we cannot run.
    #[error("{what} is not supported; supported: {supported}")]
    Unsupported {
        /// What the model asks for.
        what: String,
        /// What would have worked.
        supported: String,
    },
    /// The model does not fit.
    #[error("the model needs {needed} bytes and may use {available}; {help}")]
    OutOfMemory {
        /// Bytes that it needs in all.
        needed: u64,
        /// Bytes that it may use.
        available: u64,
        /// What would fit.
        help: String,
    },
    /// A request that can never work as given.
    #[error("{what}: {asked} was asked, {allowed} is allowed")]
    InvalidRequest {
        /// The field.
        what: &'static str,
        /// What the caller gave.
        asked: String,
        /// What would have been accepted.
        allowed: String,
    },
    /// The chat template refused or failed.
    #[error("the model's chat template: {0}")]
    Template(String),
    /// Memory is short, and no new work is taken for now.
    #[error(
        "memory is short and no new request is taken, while {running} go on; ask again later or ask another node, and call \
         `recover` when there is memory again"
    )]
    UnderPressure {
        /// Requests that go on.
        running: usize,
    },
    /// The request was taken back.
    #[error("the request was cancelled")]
    Cancelled,
    /// The device failed.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] exo_gpu::Error),
}

impl Error {
    /// The stable name.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { .. } => ErrorKind::Io,
            Self::InvalidModel { .. } => ErrorKind::InvalidModel,
            Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::OutOfMemory { .. } => ErrorKind::OutOfMemory,
            Self::InvalidRequest { .. } => ErrorKind::InvalidRequest,
            Self::Template(_) => ErrorKind::Template,
            Self::UnderPressure { .. } => ErrorKind::UnderPressure,
            Self::Cancelled => ErrorKind::Cancelled,
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => ErrorKind::Gpu,
        }
    }
}
