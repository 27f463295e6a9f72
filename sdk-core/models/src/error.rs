//! What can go wrong, by what the caller can do about it.
//!
//! [`Error::kind`] is stable across releases; apps match on it, never on the text.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The result of every fallible call in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The stable name of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The name of a model that cannot be one.
    InvalidModelId,
    /// The address of a server that cannot be one.
    InvalidAddress,
    /// The server has no such model or file.
    NotFound,
    /// The server wants to know who asks, or does not let them.
    NotAllowed,
    /// The server could not be reached, or not long enough.
    Unreachable,
    /// The server answered what cannot be used.
    BadAnswer,
    /// The file is not what the server's own list promised, twice.
    Corrupt,
    /// The model is not one that the engine reads.
    NotAModel,
    /// There is no room for it.
    OutOfSpace,
    /// The disk failed.
    Io,
    /// Somebody else fetches the same model into the same directory.
    Busy,
    /// The caller had enough.
    Cancelled,
}

/// Why a model is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not a name of a model.
    #[error(
        "{name:?} names no model: {why}; write OWNER/NAME as on Hugging Face, such as mlx-community/Qwen3-0.6B-4bit"
    )]
    InvalidModelId {
        /// What was given, shortened.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Not an address of a server.
    #[error(
        "{address:?} is no address of a server: {why}; write https://HOST, such as https://huggingface.co"
    )]
    InvalidAddress {
        /// What was given, shortened.
        address: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is no such thing.
    #[error("{what} is not there (HTTP {status}); check its name on the server")]
    NotFound {
        /// The model, or the file of it.
        what: String,
        /// 404 or 410.
        status: u16,
    },
    /// We may not have it.
    #[error(
        "{what} is not for everybody (HTTP {status}); accept its terms on the server's page and give a token"
    )]
    NotAllowed {
        /// The model, or the file of it.
        what: String,
        /// 401 or 403.
        status: u16,
    },
    /// Tried again and again.
    #[error("{what} did not come after {attempts} attempts: {why}; what came is kept, try again later")]
    Unreachable {
        /// The model, or the file of it.
        what: String,
        /// How often it was tried without getting on.
        attempts: u32,
        /// What went wrong the last time.
        why: String,
    },
    /// An answer that no second attempt would change.
    #[error(
        "{what}: the server's answer cannot be used: {why}; try another server, or report it to whoever runs this one"
    )]
    BadAnswer {
        /// The model, or the file of it.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// Not what was promised.
    #[error(
        "{file} has the hash {has}, and {promised} was promised, twice; try again later or from another server"
    )]
    Corrupt {
        /// The file.
        file: String,
        /// What came.
        has: String,
        /// What the list said.
        promised: String,
    },
    /// Nothing for the engine.
    #[error("{model} cannot be run: {why}; choose a model with MLX weights (*.safetensors)")]
    NotAModel {
        /// The model.
        model: String,
        /// What is missing.
        why: String,
    },
    /// No room.
    #[error("{needed} bytes are needed in {}, and {free} are free of which {reserve} stay so; delete something, or choose a smaller model", .path.display())]
    OutOfSpace {
        /// Where.
        path: PathBuf,
        /// What is missing of the model.
        needed: u64,
        /// What the file system has.
        free: u64,
        /// What is left to the rest of the phone.
        reserve: u64,
    },
    /// The disk failed.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Somebody else does.
    #[error("{model} is being fetched by another program into the same directory; wait for it")]
    Busy {
        /// The model.
        model: String,
    },
    /// The caller had enough.
    #[error("cancelled; what came is kept, and the next attempt goes on from there")]
    Cancelled,
}

impl Error {
    /// The stable name.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidModelId { .. } => ErrorKind::InvalidModelId,
            Self::InvalidAddress { .. } => ErrorKind::InvalidAddress,
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::NotAllowed { .. } => ErrorKind::NotAllowed,
            Self::Unreachable { .. } => ErrorKind::Unreachable,
            Self::BadAnswer { .. } => ErrorKind::BadAnswer,
            Self::Corrupt { .. } => ErrorKind::Corrupt,
            Self::NotAModel { .. } => ErrorKind::NotAModel,
            Self::OutOfSpace { .. } => ErrorKind::OutOfSpace,
            Self::Io { .. } => ErrorKind::Io,
            Self::Busy { .. } => ErrorKind::Busy,
            Self::Cancelled => ErrorKind::Cancelled,
        }
    }

    /// Whether the same call may succeed later, with nothing changed but the world.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.kind(),
            ErrorKind::Unreachable | ErrorKind::Corrupt | ErrorKind::Busy | ErrorKind::Cancelled
        )
    }

    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::Io { path: path.into(), reason: error.to_string() }
    }
}

/// At most `most` characters of what a stranger wrote, for a message.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
