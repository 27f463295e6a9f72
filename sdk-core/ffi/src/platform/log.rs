//! Where the core's log goes.

use std::sync::Arc;

use exo_node::driver::journal;

use crate::{Result, threads::Errands};

/// How much a line of the log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, uniffi::Enum)]
pub enum LogLevel {
    /// For who looks for a fault.
    Debug,
    /// What happens.
    Info,
    /// What does not work, and is being repaired.
    Warning,
    /// What is over.
    Error,
}

/// Where the core's log goes: Android's Logcat, Apple's unified log.
#[uniffi::export(foreign)]
pub trait LogSink: Send + Sync {
    /// One line about a part of the core: `node`, `discovery`, `gpu`. Called from a thread of its own; what it throws is
    /// not heard.
    fn log(&self, level: LogLevel, about: String, line: String) -> Result<()>;
}

/// The app's log as the core writes it. A log that is too slow loses lines, and never holds up the core.
pub(crate) struct Journal {
    errands: Errands,
    sink: Arc<dyn LogSink>,
}

impl Journal {
    pub(crate) fn new(sink: Arc<dyn LogSink>) -> Result<Self> {
        Ok(Self { errands: Errands::start("exo-log")?, sink })
    }
}

impl journal::Journal for Journal {
    fn note(&self, level: journal::Level, about: &'static str, line: &str) {
        let level = match level {
            journal::Level::Debug => LogLevel::Debug,
            journal::Level::Info => LogLevel::Info,
            journal::Level::Warning => LogLevel::Warning,
            journal::Level::Error => LogLevel::Error,
        };
        let (sink, line) = (self.sink.clone(), line.to_owned());
        self.errands.send(move || drop(sink.log(level, about.to_owned(), line)));
    }
}
