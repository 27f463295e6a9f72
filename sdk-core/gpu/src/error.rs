//! What can go wrong, by what the caller can do about it.
//!
//! Every message says what was asked, what is allowed and what to do next. [`Error::kind`] is stable across
//! releases: the language layers and apps match on it, never on the text.

use serde::{Deserialize, Serialize};

use crate::open::Refusal;

/// The result of every fallible call in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The stable name of an [`Error`], for apps to match on and for logs to group by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// No backend could be opened.
    NoDevice,
    /// The object was closed or freed before this call.
    Closed,
    /// An argument can never work as given.
    InvalidArgument,
    /// A byte range leaves its buffer.
    OutOfBounds,
    /// Memory ran out: the device's, the host's or the budget.
    OutOfMemory,
    /// Two objects of different devices met in one call.
    WrongDevice,
    /// The device cannot do this.
    Unsupported,
    /// The device stopped answering.
    DeviceLost,
    /// The system does not let the app use the device now.
    Suspended,
    /// The work was taken back before it began.
    Cancelled,
    /// The driver returned an error.
    Driver,
    /// A file could not be read or written.
    Io,
}

/// An error of the GPU layer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No backend could be opened; each one's reason is kept.
    #[error("no device could be opened: {}", join(.refusals))]
    NoDevice {
        /// Why each backend was refused, in the order of trying.
        refusals: Vec<Refusal>,
    },
    /// The object was closed or freed before this call.
    #[error("the {what} was closed before this call; open or allocate a new one")]
    Closed {
        /// "device", "buffer" and so on.
        what: &'static str,
    },
    /// An argument can never work as given.
    #[error("{what}: {asked} was asked, {allowed} is allowed; {help}")]
    InvalidArgument {
        /// The call and argument.
        what: &'static str,
        /// What the caller gave.
        asked: String,
        /// What would have been accepted.
        allowed: String,
        /// What to do next.
        help: &'static str,
    },
    /// A byte range leaves its buffer.
    #[error("{what}: bytes {start}..{end} were asked of a buffer of {size} bytes; stay within 0..{size}")]
    OutOfBounds {
        /// The call.
        what: &'static str,
        /// First byte asked for.
        start: u64,
        /// One past the last byte asked for (saturated when it overflows).
        end: u64,
        /// The buffer's size.
        size: u64,
    },
    /// Memory ran out.
    #[error("{asked} bytes were asked, {available} of {limit} bytes are left in the {pool}; {help}")]
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes that were left.
        available: u64,
        /// The pool's limit in bytes.
        limit: u64,
        /// "budget", "device" or "host".
        pool: &'static str,
        /// What to do next.
        help: &'static str,
    },
    /// Two objects of different devices met in one call.
    #[error("{what}: a buffer of \"{theirs}\" was used on \"{ours}\"; copy it over with Buffer::copy_to")]
    WrongDevice {
        /// The call.
        what: &'static str,
        /// The device that the call was made on.
        ours: String,
        /// The device that the buffer belongs to.
        theirs: String,
    },
    /// The device cannot do this.
    #[error("{what} is not supported here: {why}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// The limit or feature that is missing.
        why: String,
    },
    /// The device stopped answering.
    #[error("the device was lost: {reason}; {help}")]
    DeviceLost {
        /// What the driver said.
        reason: String,
        /// What became of the work and the buffers.
        help: &'static str,
    },
    /// The system does not let the app use the device now: iOS takes the GPU from apps in the background.
    #[error("the system keeps the device from this app for now: {reason}; submit again in the foreground")]
    Suspended {
        /// What the system said.
        reason: String,
    },
    /// The work was taken back before it began.
    #[error("the work was cancelled before it was handed to the device")]
    Cancelled,
    /// The driver returned an error that has no better name here.
    #[error("{call} failed: {code}")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// Its answer.
        code: String,
    },
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
}

impl Error {
    /// The stable name of this error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoDevice { .. } => ErrorKind::NoDevice,
            Self::Closed { .. } => ErrorKind::Closed,
            Self::InvalidArgument { .. } => ErrorKind::InvalidArgument,
            Self::OutOfBounds { .. } => ErrorKind::OutOfBounds,
            Self::OutOfMemory { .. } => ErrorKind::OutOfMemory,
            Self::WrongDevice { .. } => ErrorKind::WrongDevice,
            Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::DeviceLost { .. } => ErrorKind::DeviceLost,
            Self::Suspended { .. } => ErrorKind::Suspended,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Driver { .. } => ErrorKind::Driver,
            Self::Io { .. } => ErrorKind::Io,
        }
    }

    /// Whether the same call may work later without being changed.
    pub fn is_retryable(&self) -> bool {
        use ErrorKind::{Cancelled, DeviceLost, Io, OutOfMemory, Suspended};
        matches!(self.kind(), OutOfMemory | DeviceLost | Suspended | Cancelled | Io)
    }
}

fn join(refusals: &[Refusal]) -> String {
    refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
