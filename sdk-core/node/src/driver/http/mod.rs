//! A bounded GET and POST, and a server for a few small pages, on the parsers of [`crate::http`]. There is no TLS (exo
//! has none), no redirect, no connection kept open.

mod client;
mod server;

pub(super) use client::{Posted, get, get_line, post};
pub(super) use server::{Inquiry, Pages, Server};
