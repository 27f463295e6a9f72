//! The one place with sockets, zenoh and tokio.

pub mod dns_sd;
pub mod interfaces;
pub mod sockets;
