//! Links that were measured, and what they make of the cluster.
//!
//! ```text
//!   LinkProber ── order ──> sockets of exo-node ── datagrams ([wire]) ──> Responder of the peer
//!       ^                          │
//!       └── echoes, trains ────────┘         links ──> Topology ──> summary, DOT, SVG, transfer times
//! ```
//!
//! * [`Echoes`]: round trips and loss. [`Arrivals`]: bandwidth from a train of packets that outlasts a token bucket.
//! * [`LinkProber`]: whom to probe when, within [`ProbeLimits`]; [`Responder`]: answers the probes of others.
//! * [`Link`]: each figure as a [`Reading`](crate::Reading) with its error, that ages ([`confidence`]).
//! * [`Topology`]: diameter, average bandwidth, bottlenecks and cut devices; text and pictures.
//!
//! Probes go over sockets of their own between members of this SDK, never through exo's zenoh. Towards exo's nodes only
//! the time to connect is taken.

mod analysis;
mod budget;
mod cookie;
mod echoes;
mod figure;
mod graph;
mod link;
mod picture;
mod prober;
mod responder;
mod summary;
mod train;
mod way;
pub mod wire;

pub use analysis::{Analysis, Bottleneck, Diameter};
pub use budget::Budget;
pub use echoes::{Echoes, Latency};
pub use figure::{FORGOTTEN, FRESH, Figure, bare, confidence};
pub use graph::{Position, Topology};
pub use link::{Direction, Link, LinkKind};
pub use prober::{LinkProber, Order, PeerKind, ProbeLimits, Work};
pub use responder::{Answer, Responder};
pub use train::{Arrivals, SHORTEST_SPAN, Throughput};
