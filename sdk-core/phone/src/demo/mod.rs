//! `exo-phone demo`: three simulated phones on this computer, and nothing that leaves it.
//!
//! Two phones find each other and form a cluster, a third joins late, is killed, and comes back with its id; one answers
//! a question, with a tiny model whose weights are random. It is the
//! real node three times over: founding, router, master, membership, acknowledgements, goodbye. Only the devices are
//! simulated, and the network is confined to loopback: phones know each other's addresses instead of multicasting,
//! the search for exo asks this computer alone, in a namespace that no exo has, and no DNS-SD daemon is started.

mod phone;
mod question;
mod story;

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Args as ClapArgs;
use tokio::sync::mpsc;

use crate::{
    exit,
    stop::{self, Stop},
    watch::shower,
};

/// Show a cluster of three simulated phones on this computer
///
/// Two phones form a cluster, a third joins late, is killed, and comes back; one of them answers a question, with a tiny
/// model whose weights are random. Nothing leaves this computer: only
/// loopback addresses are used. Ctrl-C makes them leave.
#[derive(ClapArgs, Debug, Default)]
#[command(after_help = "\
The JSON lines are those of `exo-phone join --help`, with `phone`, the name of the phone that each is about.

Ends with 0 when all phones left, with 1 when one of them failed.")]
pub(crate) struct Args {
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Leave after so many seconds
    #[arg(long, value_name = "N", value_parser = stop::seconds)]
    seconds: Option<Duration>,
}

/// Lines that may wait to be shown.
const WAITING: usize = 1024;

/// Runs the demonstration until it is asked to stop.
pub(crate) fn run(args: &Args) -> ExitCode {
    let began = Instant::now();
    let runtime = match exit::runtime() {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    runtime.block_on(async {
        let stop = Stop::listen(args.seconds);
        let mut show = shower("Three simulated phones, on this computer alone", args.json);
        let (tell, mut told) = mpsc::channel(WAITING);
        let mut story = Box::pin(story::run(began, stop, tell));
        let ended = loop {
            tokio::select! {
                biased;
                Some(happening) = told.recv() => show(happening),
                ended = &mut story => break ended,
            }
        };
        drop(story);
        while let Some(happening) = told.recv().await {
            show(happening);
        }
        drop(show);
        match ended {
            Ok(ended) => exit::of(ended),
            Err(error) => exit::failure(&error),
        }
    })
}
