//! `exo-phone tiny`: a tiny model with random weights, for the tests of other languages.

use std::{path::PathBuf, process::ExitCode};

use clap::Args as ClapArgs;
use exo_engine::tiny;

use crate::{exit, serve::shelf::TINY};

/// Write a tiny model with random weights into a directory of models
#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// The directory, in which the model gets a folder as exo would name it
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match tiny::write(&args.directory.join(TINY.replace('/', "--")), 1) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failure(&error.to_string()),
    }
}
