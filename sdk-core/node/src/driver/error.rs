//! What can go wrong with a node, by what the caller can do about it.

/// A failure of the node itself. What goes wrong in the network is never one: it is a state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NodeError {
    kind: NodeErrorKind,
    message: String,
}

/// Kinds of failure. Stable: names are added, never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeErrorKind {
    /// The options contradict each other or cannot be read: change them.
    BadOptions,
    /// A file could not be read or written: choose another data directory.
    Storage,
    /// A port could not be opened: choose another.
    Port,
    /// The system gave no thread or socket: try again later.
    System,
    /// Left, but the cluster did not acknowledge the goodbye: it shows the node for half a minute more.
    Unheard,
    /// The node is over: join again.
    Over,
    /// A fault of ours: report it.
    Fault,
}

impl NodeError {
    /// A failure of that kind, in words for people.
    pub(crate) fn new(kind: NodeErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What the caller can do about it.
    pub const fn kind(&self) -> NodeErrorKind {
        self.kind
    }

    /// What happened, for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the same call may succeed later, unchanged.
    pub const fn is_retryable(&self) -> bool {
        matches!(self.kind, NodeErrorKind::System)
    }
}
