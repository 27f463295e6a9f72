//! `exo-phone join` and `exo-phone found`: one phone, from the search to the goodbye.

mod args;

pub(crate) use args::{FoundArgs, JoinArgs, PhoneArgs, SearchArgs, ShowArgs};

use std::{convert::Infallible, future::pending, process::ExitCode, time::Instant};

use exo_node::driver::{JoinOptions, Node, NodeErrorKind};
use tokio::task;

use crate::{
    capabilities, exit,
    stop::Stop,
    watch::{Followed, Happening, What, follow, shower},
};

/// Joins, shows how it goes, and leaves when asked to. `calibrate` measures the device meanwhile.
pub(crate) fn run(
    title: &str,
    options: Result<JoinOptions, String>,
    args: &ShowArgs,
    calibrate: bool,
) -> ExitCode {
    let began = Instant::now();
    let options = match options {
        Ok(options) => options,
        Err(error) => return exit::usage(&error),
    };
    let runtime = match exit::runtime() {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    runtime.block_on(async {
        let stop = Stop::listen(args.seconds);
        // Phones that found are not lost without an exo.
        let advise = options.founding.is_none();
        let namespace = options.search.searched_name().to_owned();
        let node = match Node::join(options) {
            Ok(node) => node,
            Err(error) if error.kind() == NodeErrorKind::BadOptions => return exit::usage(error.message()),
            Err(error) => return exit::failure(error.message()),
        };
        let mut show = shower(title, args.json);
        let notes = node.notes().to_vec();
        let started = What::Started { node_id: node.node_id().to_string(), namespace, notes };
        show(Happening { at: began.elapsed(), phone: None, what: started });
        let followed = Followed { node: &node, phone: None, began, advise };
        let ended = tokio::select! {
            ended = follow(followed, &stop, &mut show) => ended,
            never = tell_capabilities(&node, calibrate) => match never {},
        };
        drop(show);
        exit::of(ended)
    })
}

/// Measures what the device can do and tells it, if that is wanted. What cannot be measured is not told.
async fn tell_capabilities(node: &Node, calibrate: bool) -> Infallible {
    if calibrate && let Ok(Ok(capabilities)) = task::spawn_blocking(capabilities::measured).await {
        let _ = node.set_capabilities(capabilities);
    }
    pending().await
}
