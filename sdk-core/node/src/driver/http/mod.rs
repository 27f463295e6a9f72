//! The little HTTP that a member needs: a bounded GET, and a server for two small pages.
//!
//! The parsers ([`response`], [`request`]) take bytes and own no socket: any bytes end in a value or an error. There is
//! no TLS (exo has none), no redirect, no connection kept open.

mod client;
pub mod request;
pub mod response;
mod server;

pub(super) use client::get;
pub(super) use server::{Pages, Server};
