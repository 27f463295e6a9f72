//! A phone without a phone: the SDK as a terminal program.
//!
//! * [`join`]: finds the exo that is there and becomes a member of it.
//! * [`doctor`]: opens the GPU and tests it.

mod doctor;
mod exit;
mod join;
mod profiles;
mod stop;
mod terminal;
mod watch;

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
    Join(join::Args),
    Doctor(doctor::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Join(args) => join::run(&args),
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
