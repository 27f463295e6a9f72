//! The one place with sockets, zenoh and tokio.
