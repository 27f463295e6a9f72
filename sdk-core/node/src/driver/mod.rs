//! The one place with sockets, zenoh and tokio.

mod clock;
mod entropy;
mod error;
pub mod http;
mod identity;
mod link;
mod probe;
mod pulled;

pub use error::{NodeError, NodeErrorKind};
pub use identity::default_data_dir;
pub use probe::{HostProbe, Probe};
pub use pulled::{Canceller, Pulled};
