//! `exo-phone doctor`: opens the GPU, tests every kernel on it, measures it, and says what was found.
//!
//! [`examine`] asks the SDK and fills a [`Report`]; [`render`] and serde turn the report into text or JSON. The
//! report is plain data, so what people read is tested without any device.

mod examine;
mod progress;
mod render;
mod report;
#[cfg(test)]
pub(crate) mod sample;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args as ClapArgs;
use exo_gpu::OpenOptions;

use crate::{backend::Backend, terminal::Palette};
use progress::Progress;
use report::Report;

/// Open the GPU, test every kernel on it, measure it, and show what was found
///
/// Shows every device, every backend or device that was refused with its reason, how fast the opened device computes
/// and reads memory, and the verdict on each kernel, computed on the device and compared with the CPU. Ends with 0 when all self-tests passed and with 1 when one
/// failed or nothing could be opened.
#[derive(ClapArgs)]
#[command(after_help = "\
Environment:
  EXO_GPU=vulkan|metal|cpu|<part of a device's name>   which device to open
  NO_COLOR=1                                           no colours

Examples:
  exo-phone doctor                     the device that an app would get
  EXO_GPU=llvmpipe exo-phone doctor    a device by its name; software devices are never chosen by default
  exo-phone doctor --json | jq .outcome")]
pub(crate) struct Args {
    /// Print one JSON document instead of tables
    #[arg(long)]
    json: bool,
    /// Open this backend and no other; without it the environment decides, then the platform's order
    #[arg(long, value_enum)]
    backend: Option<Backend>,
}

/// Examines the device and prints the report to standard output; progress goes to standard error.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut progress = Progress::on_stderr();
    let options = match args.backend {
        Some(backend) => OpenOptions::new().backend(backend.into()),
        None => OpenOptions::new(),
    };
    let report = examine::examine(options, &mut |step| progress.show(&step));
    progress.end();

    let stdout = io::stdout();
    let text = if args.json { json(&report) } else { render::render(&report, Palette::of(&stdout)) };
    // A reader that closed the pipe has seen enough: the exit code still tells the outcome.
    let _ = writeln!(stdout.lock(), "{}", text.trim_end());
    if report.is_healthy() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}
