//! `exo-phone join`: finds the exo that is there and becomes a member of it.

mod args;

pub(crate) use args::Args;

use std::{process::ExitCode, time::Instant};

use exo_node::driver::Node;

use crate::{
    exit,
    stop::Stop,
    watch::{Happening, What, follow, lines, screen::Screen},
};

/// Joins, shows how it goes, and leaves when asked to.
pub(crate) fn run(args: &Args) -> ExitCode {
    let began = Instant::now();
    let options = match args.options() {
        Ok(options) => options,
        Err(error) => return exit::usage(&error),
    };
    let runtime = match exit::runtime() {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    runtime.block_on(async {
        let stop = Stop::listen(args.seconds);
        let namespace = options.search.searched_name().to_owned();
        let node = match Node::join(options) {
            Ok(node) => node,
            Err(error) => return exit::failure(&error.to_string()),
        };
        let mut show = shower(args.json);
        let notes = node.notes().to_vec();
        let started = What::Started { node_id: node.node_id().to_string(), namespace, notes };
        show(Happening { at: began.elapsed(), phone: None, what: started });
        let ended = follow(&node, None, began, &stop, &mut show).await;
        drop(show);
        exit::of(ended)
    })
}

/// The way of showing that fits: JSON lines if asked for, a screen on a terminal, plain lines elsewhere.
fn shower(json: bool) -> Box<dyn FnMut(Happening)> {
    if json {
        return Box::new(|happening| lines::print(&lines::json(&happening)));
    }
    if let Some(mut screen) = Screen::on_stdout("exo-phone join") {
        return Box::new(move |happening| screen.show(&happening));
    }
    Box::new(|happening| {
        if let Some(line) = lines::text(&happening) {
            lines::print(&line);
        }
    })
}
