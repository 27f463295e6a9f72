//! Takes the place of the crate `ron` below zenoh (`[patch.crates-io]` in the workspace).
//!
//! zenoh reads one thing as RON: the environment variable `ZENOH_RUNTIME`, which says how many threads it starts. No app has
//! it, and then the text is `()`, a struct of defaults. The real crate weighs more than the rest of our settings together.
//! Here `()` is read as it should be, and anything else as plain JSON: `{"rx": {"worker_threads": 1}}`.
//!
//! Programs that depend on our crates from their own workspace get the real one, and work just the same.
#![forbid(unsafe_code)]

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The names that zenoh imports.
pub mod extensions {
    /// What a text may leave out. All of it is allowed already.
    #[derive(Debug, Clone, Copy)]
    pub struct Extensions;

    impl Extensions {
        /// A value may stand where an option is expected.
        pub const IMPLICIT_SOME: Self = Self;
    }
}

/// The names that zenoh imports.
pub mod options {
    use super::{DeserializeOwned, Map, Value, extensions::Extensions};

    /// How to read.
    #[derive(Debug, Clone, Copy, Default)]
    pub struct Options;

    impl Options {
        /// The same: JSON has it anyway.
        #[must_use]
        pub fn with_default_extension(self, _: Extensions) -> Self {
            self
        }

        /// Reads a text: `()`, or plain JSON.
        pub fn from_str<T: DeserializeOwned>(&self, text: &str) -> serde_json::Result<T> {
            let value =
                if text.trim() == "()" { Value::Object(Map::new()) } else { serde_json::from_str(text)? };
            serde_json::from_value(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{extensions::Extensions, options::Options};

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(default)]
    struct Threads {
        worker_threads: usize,
        handover: Option<String>,
    }

    impl Default for Threads {
        fn default() -> Self {
            Self { worker_threads: 1, handover: None }
        }
    }

    fn read(text: &str) -> serde_json::Result<Threads> {
        Options.with_default_extension(Extensions::IMPLICIT_SOME).from_str(text)
    }

    #[test]
    fn nothing_set_gives_the_defaults() {
        assert_eq!(read("()").unwrap(), Threads::default());
    }

    #[test]
    fn what_is_set_is_plain_json() {
        let threads = Threads { worker_threads: 2, handover: Some("app".into()) };
        assert_eq!(read(r#"{"worker_threads": 2, "handover": "app"}"#).unwrap(), threads);
        assert!(read("(worker_threads: 2)").unwrap_err().to_string().contains("line 1 column 1"));
    }
}
