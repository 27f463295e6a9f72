//! A phone without a phone: the SDK as a terminal program.
//!
//! * [`demo`], which is also what happens without a command: three simulated phones on this computer.
//! * [`join`]: finds the exo that is there and becomes a member of it, or founds a cluster of phones.
//! * [`serve`]: answers with a model what people ask exo, or what programs on this computer ask.
//! * [`telemetry`]: how this device is, and how warm it will be.
//! * [`place`]: shows how the cluster would run a model, and hands that to exo if asked to.
//! * [`fetch`]: brings a model from a server into a directory, verified.
//! * [`generate`]: lets a model from a directory answer a prompt.
//! * [`doctor`]: opens the GPU, tests it and measures it.

mod amounts;
mod backend;
mod capabilities;
mod demo;
mod doctor;
mod exit;
mod fetch;
mod generate;
mod join;
mod place;
mod profiles;
mod serve;
mod sheet;
mod stop;
mod telemetry;
mod terminal;
mod tiny;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The Exo Mobile SDK as a terminal program.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Args),
    Join(join::JoinArgs),
    Found(join::FoundArgs),
    Serve(serve::Args),
    Telemetry(telemetry::Args),
    Place(place::Args),
    Fetch(fetch::Args),
    Generate(generate::Args),
    Doctor(doctor::Args),
    /// For tests.
    #[command(hide = true)]
    Tiny(tiny::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        None => demo::run(&demo::Args::default()),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Join(args)) => {
            join::run("exo-phone join", args.options(), &args.show, args.calibrates())
        }
        Some(Command::Found(args)) => {
            join::run("exo-phone found", args.options(), &args.show, args.calibrates())
        }
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Telemetry(args)) => telemetry::run(&args),
        Some(Command::Place(args)) => place::run(&args),
        Some(Command::Fetch(args)) => fetch::run(&args),
        Some(Command::Generate(args)) => generate::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Tiny(args)) => tiny::run(&args),
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
