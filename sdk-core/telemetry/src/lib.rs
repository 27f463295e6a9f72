//! What a phone knows about itself and its cluster, and what follows from it.
//!
//! exo knows of a node its memory and, on Macs, one temperature. Phones throttle, run on batteries and sit on Wi-Fi:
//! placing work on them without knowing that fails. Here are honest readings, a forecast instead of a reaction, links
//! that were measured, and a placement that says why.
//!
//! The crate does no I/O and reads no clock: machines take an input and the time ([`Now`]), and return what to do.
//! Sockets, files and threads are `exo-node`'s.
//!
//! ```text
//!   probe ──> [reading] ──> collector ──> protocol messages ──> aggregator ──> cluster state
//!                │                                                                │
//!          [thermal] model, governor      [policy] allowance      [score]   [topology] ──> [placement]
//! ```
//!
//! * [`reading`]: a value with its provenance; what cannot be had says why, and is never 0.
//! * [`probe`]: how a platform looks at itself, group by group.
//! * [`protocol`]: the GPU telemetry protocol 1.0, with which devices tell each other.
//! * [`collector`]: when to look, what has changed, what to tell.
//! * [`aggregator`]: what all devices told, and who has fallen silent.
//! * [`exposition`]: the same for Prometheus.
//! * [`history`]: the past in a fixed number of points, for charts.
//! * [`placement`]: who runs which layers of a model, and why.
//! * [`thermal`]: how warm a device will be, learnt from its readings, and what to do about it in time.
//! * [`policy`]: what the owner of the phone allows, over time.
//! * [`score`]: how good a device is for work now, and how sure that is.
//! * [`topology`]: links that were measured, within a budget, and what they make of the cluster.
#![forbid(unsafe_code)]

pub mod aggregator;
pub mod collector;
pub mod exposition;
pub mod history;
pub mod now;
pub mod placement;
pub mod policy;
pub mod probe;
pub mod protocol;
pub mod random;
pub mod reading;
pub mod score;
pub mod thermal;
pub mod topology;

pub use now::Now;
pub use random::Random;
pub use reading::{Reading, Readings, Source, Timestamp};
