//! Showing a membership: what happens is plain data, and each way of showing it is a pure function of that.
//!
//! [`follow()`] pulls the node's streams and makes [`Happening`]s of them; [`lines`] writes them as JSON or as text, and
//! [`screen`] draws them over each other on a terminal.

pub(crate) mod advice;
mod follow;
mod happening;
pub(crate) mod lines;
mod page;
mod screen;

pub(crate) use follow::{Ended, Followed, follow};
pub(crate) use happening::{Happening, What};

/// The way of showing that fits: JSON lines if asked for, a screen on a terminal, plain lines elsewhere.
pub(crate) fn shower(title: &str, json: bool) -> Box<dyn FnMut(Happening) + Send> {
    if json {
        return Box::new(|happening| lines::print(&lines::json(&happening)));
    }
    if let Some(mut screen) = screen::Screen::on_stdout(title) {
        return Box::new(move |happening| screen.show(&happening));
    }
    Box::new(|happening| {
        if let Some(line) = lines::text(&happening) {
            lines::print(&line);
        }
    })
}
