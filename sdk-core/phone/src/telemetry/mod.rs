//! `exo-phone telemetry`: how this device is, where each figure comes from, and how warm it will be.
//!
//! [`Watcher`] looks at the device and learns its heat; a [`Sight`] is what it saw, as plain data; [`render`] and serde
//! turn it into text or JSON. Nothing is sent anywhere.

mod chart;
mod render;
mod sight;
mod watcher;

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant, SystemTime},
};

use clap::Args as ClapArgs;
use exo_node::probe::LinuxProbe;
use exo_telemetry::{Now, now::Moment, probe::Probe};
use tokio::time;

use crate::{
    exit,
    profiles::{Profile, SimulatedProbe},
    sheet::Sheet,
    stop::{self, Stop},
    terminal::Palette,
};
use sight::Sight;
use watcher::Watcher;

/// Show how this device is, where each figure comes from, and how warm it will be
///
/// Each reading is measured, estimated from something that is named, or unavailable with the reason. The forecast is
/// learnt from the readings while it runs; it becomes useful after a minute or two. Nothing is sent anywhere.
#[derive(ClapArgs, Debug)]
#[command(after_help = "\
JSON lines (--json), one a look: at_s, identity, readings {group {name {source, value | why, at}}},
  forecast: null or {unit, now, points [{after_s, low, mean, high}]}; low and high hold 80% of what may come

Examples:
  exo-phone telemetry
  exo-phone telemetry --profile pixel-9      a simulated phone: its temperature goes up and down
  exo-phone telemetry --once --json | jq .readings.memory")]
pub(crate) struct Args {
    /// Be a simulated device instead of this computer
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Look at /proc and /sys below this directory: a recorded device
    #[arg(long, value_name = "DIR", conflicts_with = "profile")]
    root: Option<PathBuf>,
    /// How often to look
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = pace)]
    every: Duration,
    /// End after so many seconds
    #[arg(long, value_name = "N", value_parser = stop::seconds)]
    seconds: Option<Duration>,
    /// Look once and end
    #[arg(long, conflicts_with = "seconds")]
    once: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Looks until it is stopped.
pub(crate) fn run(args: &Args) -> ExitCode {
    if let Some(root) = args.root.as_ref().filter(|root| !root.is_dir()) {
        return exit::usage(&format!(
            "--root {} is not a directory: write one that holds proc and sys",
            root.display()
        ));
    }
    let runtime = match exit::runtime() {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    runtime.block_on(look(args));
    ExitCode::SUCCESS
}

async fn look(args: &Args) {
    let stop = Stop::listen(args.seconds);
    let began = Instant::now();
    let now = || Now {
        mono: Moment::after_start(began.elapsed()),
        wall: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
    };
    let mut watcher = Watcher::new(probe(args), args.every, now());
    let mut sheet = if args.json || args.once { None } else { Sheet::on_stdout() };
    let mut ticks = time::interval(args.every);
    ticks.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.asked() => return,
            _ = ticks.tick() => {}
        }
        let sight = watcher.look(now());
        if !show(&sight, args.json, sheet.as_mut()) || args.once {
            return;
        }
    }
}

/// False if nobody reads any more.
fn show(sight: &Sight, json: bool, sheet: Option<&mut Sheet>) -> bool {
    let mut stdout = io::stdout();
    let text = match sheet {
        Some(sheet) => {
            sheet.draw(&render::render(sight, sheet.palette()));
            return true;
        }
        None if json => match serde_json::to_string(sight) {
            Ok(line) => line,
            Err(error) => format!("{{\"error\":\"{error}\"}}"),
        },
        None => render::render(sight, Palette::of(&stdout)),
    };
    writeln!(stdout, "{}", text.trim_end()).and_then(|()| stdout.flush()).is_ok()
}

fn probe(args: &Args) -> Box<dyn Probe> {
    match (args.profile, &args.root) {
        (Some(profile), _) => Box::new(SimulatedProbe::new(profile, None)),
        (None, Some(root)) => Box::new(LinuxProbe::rooted(root)),
        (None, None) => Box::new(LinuxProbe::default()),
    }
}

fn pace(text: &str) -> Result<Duration, String> {
    stop::seconds(text).ok().filter(|pace| (0.05..=60.0).contains(&pace.as_secs_f64())).ok_or_else(|| {
        "write a number of seconds between 0.05 and 60, such as 1: more often tells nothing new".to_owned()
    })
}
