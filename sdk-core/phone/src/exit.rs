//! How the program ends, and what it says then.

use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};

use crate::watch::Ended;

/// A flag or link that cannot be used; clap ends with the same.
const USAGE: u8 = 2;
/// Left, but nobody acknowledged it.
const UNHEARD: u8 = 3;

/// There is no plan, or it was not handed over.
const NO_PLAN: u8 = 4;

/// What a shell shows for a program that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// The code for a membership that ended so.
pub(crate) fn of(ended: Ended) -> ExitCode {
    match ended {
        Ended::Left => ExitCode::SUCCESS,
        Ended::Failed => ExitCode::FAILURE,
        Ended::Unheard => ExitCode::from(UNHEARD),
    }
}

/// What was asked for cannot be done as it was written.
pub(crate) fn usage(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::from(USAGE)
}

/// Something went wrong.
pub(crate) fn failure(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}

/// All went well, but what was wished cannot be.
pub(crate) fn no_plan() -> ExitCode {
    ExitCode::from(NO_PLAN)
}

/// Ctrl-C, and all that was begun is put away.
pub(crate) fn interrupted() -> ExitCode {
    ExitCode::from(INTERRUPTED)
}

/// A small runtime for what is shown; the nodes have their own.
pub(crate) fn runtime() -> Result<Runtime, ExitCode> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failure(&format!("the program could not start: {error}")))
}
