//! Why a template cannot be read or does not end well.

use std::fmt;

/// What went wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::text) enum Failure {
    /// The template said so itself: these are its words.
    Raised(String),
    /// Something that cannot be done. The line is 0 until it is known.
    Broken { line: u32, what: String },
}

impl Failure {
    /// The same with its line, unless a nearer one is known.
    pub(super) fn at(self, here: u32) -> Self {
        match self {
            Self::Broken { line: 0, what } => Self::Broken { line: here, what },
            known => known,
        }
    }
}

impl From<String> for Failure {
    fn from(what: String) -> Self {
        Self::Broken { line: 0, what }
    }
}

impl From<&str> for Failure {
    fn from(what: &str) -> Self {
        what.to_owned().into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised(words) => f.write_str(words),
            Self::Broken { line: 0, what } => f.write_str(what),
            Self::Broken { line, what } => write!(f, "line {line}: {what}"),
        }
    }
}
