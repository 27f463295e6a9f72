//! Stories of a search, in virtual time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod captured;
mod confined;
mod dns_sd;
mod flood;
mod lan;
mod link;
mod multicast;
mod sweep;
mod txt;
