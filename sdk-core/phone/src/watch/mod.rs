//! Showing a membership: what happens is plain data, and each way of showing it is a pure function of that.
//!
//! [`follow`] pulls the node's streams and makes [`Happening`]s of them; [`lines`] writes them as JSON or as text, and
//! [`screen`] draws them over each other on a terminal.

pub(crate) mod advice;
mod follow;
mod happening;
pub(crate) mod lines;
mod page;
pub(crate) mod screen;

pub(crate) use follow::{Ended, follow};
pub(crate) use happening::{Happening, What};
