//! A phone without a phone: the SDK as a terminal program.
//!
//! Today it has one command, [`doctor`], which opens the GPU and tests it. It does not join a cluster yet.

mod doctor;
mod terminal;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The Exo Mobile SDK as a terminal program.
#[derive(Parser)]
#[command(version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Doctor(doctor::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Doctor(args) => doctor::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
