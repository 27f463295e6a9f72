//! The one place with sockets, zenoh and tokio.
//!
//! ```text
//!  Node (the app's handle)      orders        +---------+  wishes   +---------+ UDP, interfaces, DNS-SD
//!    states, views, stats  <---------------->  |  Actor  | <------> | Network |
//!                             newest values   | owns the |           +---------+
//!                                             | machines |  sealed   +---------+ zenoh, on a thread of its own
//!                                             +---------+ <------>  |  Link   |
//!                                                           heard    +---------+
//! ```
//! [`Node`] is what an app holds. Its actor is one task that feeds the machines and does what they ask; everything
//! that can block or be flooded (sockets, zenoh, HTTP, the probe) is somewhere else, behind a bounded queue.

mod actor;
mod clock;
pub mod dns_sd;
mod engine;
mod entropy;
mod error;
mod exo_api;
mod exo_nodes;
mod files;
mod handing_over;
mod hosts;
pub mod http;
mod identity;
pub mod interfaces;
pub mod journal;
mod link;
mod links;
mod looks;
mod models;
mod network;
mod node;
mod options;
mod phones;
mod pulled;
pub mod sockets;
mod task;
mod told;
mod window;

pub use error::{NodeError, NodeErrorKind};
pub use exo_api::{ApiError, ExoApi};
pub use handing_over::{HandedOver, NotHandedOver};
pub use identity::{default_data_dir, new_node_id};
pub use models::ModelNotFound;
pub use node::Node;
pub use options::{JoinOptions, WhoAmI};
pub use phones::{FoundingOptions, MeetingPlace};
pub use pulled::{Canceller, Pulled};
pub use told::NodeStats;
