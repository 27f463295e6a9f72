//! What can go wrong, for every language: a stable kind, words for people, and details for developers.

use std::fmt;

use exo_node::driver::{ApiError, ModelNotFound, NodeError, NodeErrorKind, NotHandedOver};

/// Kinds of failure, by what the caller can do about them. Stable: names are added, never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, uniffi::Enum)]
pub enum ErrorKind {
    /// An argument can never work as given: change it.
    InvalidArgument,
    /// The object was closed before this call: open a new one.
    Closed,
    /// The system or the owner does not allow it: ask for the permission.
    NotPermitted,
    /// The call was cancelled.
    Cancelled,
    /// No GPU and no CPU backend could be opened.
    NoDevice,
    /// Memory ran out: free some, or ask for less.
    OutOfMemory,
    /// The device cannot do this.
    Unsupported,
    /// The device stopped answering: open it again.
    DeviceLost,
    /// The system keeps the device from the app for now: try again in the foreground.
    Suspended,
    /// The driver returned an error.
    Driver,
    /// A file could not be read or written.
    Storage,
    /// A port could not be opened: choose another.
    Port,
    /// The system gave no thread or socket, or the node is busy: try again later.
    System,
    /// There is nobody to ask, or nobody answered.
    Unreachable,
    /// exo was asked and said no.
    Refused,
    /// The cluster did not acknowledge: what was asked may have happened.
    Unheard,
    /// What was named is not known.
    NotFound,
    /// The app's own code, which the core called, failed.
    Foreign,
    /// A fault of this library: report it.
    Fault,
}

/// The one error of this library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, uniffi::Error)]
pub enum ExoError {
    /// Something failed.
    Failed {
        /// What the caller can do about it.
        kind: ErrorKind,
        /// What happened and what to do, for people.
        reason: String,
        /// More, for developers; may be empty.
        detail: String,
        /// Whether the same call may succeed later, unchanged.
        is_retryable: bool,
    },
}

impl fmt::Display for ExoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Failed { reason, .. } = self;
        f.write_str(reason)
    }
}

impl ExoError {
    pub(crate) fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        let is_retryable = matches!(kind, ErrorKind::System | ErrorKind::Unreachable | ErrorKind::Suspended);
        Self::Failed { kind, reason: reason.into(), detail: String::new(), is_retryable }
    }

    pub(crate) fn invalid(reason: impl fmt::Display) -> Self {
        Self::new(ErrorKind::InvalidArgument, reason.to_string())
    }

    pub(crate) fn closed(what: &str) -> Self {
        Self::new(ErrorKind::Closed, format!("the {what} was closed before this call; open a new one"))
    }

    /// What the caller can do about it.
    pub const fn kind(&self) -> ErrorKind {
        let Self::Failed { kind, .. } = self;
        *kind
    }

    /// What happened, for people.
    pub fn reason(&self) -> &str {
        let Self::Failed { reason, .. } = self;
        reason
    }
}

/// The app's own code threw something that is not an [`ExoError`].
impl From<uniffi::UnexpectedUniFFICallbackError> for ExoError {
    fn from(error: uniffi::UnexpectedUniFFICallbackError) -> Self {
        Self::new(ErrorKind::Foreign, format!("code of the app failed: {}", error.reason))
    }
}

impl From<exo_gpu::Error> for ExoError {
    fn from(error: exo_gpu::Error) -> Self {
        use exo_gpu::ErrorKind as Gpu;
        let kind = match error.kind() {
            Gpu::NoDevice => ErrorKind::NoDevice,
            Gpu::Closed => ErrorKind::Closed,
            Gpu::InvalidArgument | Gpu::OutOfBounds | Gpu::WrongDevice => ErrorKind::InvalidArgument,
            Gpu::OutOfMemory => ErrorKind::OutOfMemory,
            Gpu::Unsupported => ErrorKind::Unsupported,
            Gpu::DeviceLost => ErrorKind::DeviceLost,
            Gpu::Suspended => ErrorKind::Suspended,
            Gpu::Cancelled => ErrorKind::Cancelled,
            Gpu::Io => ErrorKind::Storage,
            // A kind that is newer than this surface is the driver's affair until it gets a name here.
            _ => ErrorKind::Driver,
        };
        let is_retryable = error.is_retryable();
        Self::Failed { kind, reason: error.to_string(), detail: format!("{error:?}"), is_retryable }
    }
}

impl From<NodeError> for ExoError {
    fn from(error: NodeError) -> Self {
        let kind = match error.kind() {
            NodeErrorKind::BadOptions => ErrorKind::InvalidArgument,
            NodeErrorKind::Storage => ErrorKind::Storage,
            NodeErrorKind::Port => ErrorKind::Port,
            NodeErrorKind::System => ErrorKind::System,
            NodeErrorKind::Unheard => ErrorKind::Unheard,
            NodeErrorKind::Over => ErrorKind::Closed,
            _ => ErrorKind::Fault,
        };
        let is_retryable = error.is_retryable();
        Self::Failed { kind, reason: error.message().to_owned(), detail: String::new(), is_retryable }
    }
}

impl From<ApiError> for ExoError {
    fn from(error: ApiError) -> Self {
        let kind = match error {
            ApiError::Unreachable(_) => ErrorKind::Unreachable,
            ApiError::Refused { .. } => ErrorKind::Refused,
            ApiError::Unclear(_) => ErrorKind::Unheard,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<NotHandedOver> for ExoError {
    fn from(error: NotHandedOver) -> Self {
        match error {
            NotHandedOver::Nobody => Self::new(ErrorKind::Unreachable, error.to_string()),
            NotHandedOver::Unfit(why) => Self::new(ErrorKind::Refused, why.to_string()),
            NotHandedOver::Exo(error) => error.into(),
        }
    }
}

impl From<ModelNotFound> for ExoError {
    fn from(error: ModelNotFound) -> Self {
        match error {
            ModelNotFound::Unknown(_) | ModelNotFound::Untold(_) => {
                Self::new(ErrorKind::NotFound, error.to_string())
            }
            ModelNotFound::Exo(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_core_reach_the_app_with_a_kind_to_act_on() {
        let error = ExoError::from(exo_gpu::Error::Closed { what: "buffer" });
        assert_eq!(error.kind(), ErrorKind::Closed);
        assert!(error.reason().contains("the buffer was closed"), "{error}");
    }

    #[test]
    fn what_may_succeed_later_says_so() {
        let ExoError::Failed { is_retryable, .. } = ExoError::from(ApiError::Unreachable("down".into()));
        assert!(is_retryable);
        let ExoError::Failed { is_retryable, .. } = ExoError::invalid("no");
        assert!(!is_retryable);
    }
}
