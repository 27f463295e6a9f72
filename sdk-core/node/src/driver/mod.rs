//! The one place with sockets, zenoh and tokio.

mod clock;
pub mod dns_sd;
mod entropy;
mod error;
pub mod http;
mod identity;
pub mod interfaces;
mod link;
mod probe;
mod pulled;
pub mod sockets;

pub use error::{NodeError, NodeErrorKind};
pub use identity::default_data_dir;
pub use probe::{HostProbe, Probe};
pub use pulled::{Canceller, Pulled};
