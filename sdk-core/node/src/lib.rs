//! The member: finds an exo cluster, joins it, stays through faults, leaves cleanly, and never harms it.
//!
//! The crate is a set of **state machines without I/O** and one thin driver. A machine owns no socket, no clock, no
//! task and no random numbers: it takes an input and the time ([`Now`]), and it is asked three questions: what do you
//! want to send, what do you want to tell, when should I wake you? That is what lets a test run a thousand phones
//! for an hour of virtual time in seconds, from one seed.
//!
//! ```text
//!   interfaces, datagrams, DNS-SD        zenoh samples, link up/down, GET /state, readings
//!              |                                           |
//!        [discovery]  --- a verified address --->      [member]  ---> sealed payloads, dials, fetches
//!                                                          |
//!                                               state and cluster view for the app
//! ```
//!
//! * [`discovery`]: all providers at once; the first verified answer wins; each says honestly what it saw.
//! * [`member`]: session, outbox, replica of the cluster's state, telemetry, leaving.
//! * [`master`]: ordering, log, timeouts and election by exo's rules, for clusters of phones alone.
//! * [`planning`]: who would run which layers of a model, from all that is known of the cluster.
//! * [`probe`]: what the files of a Linux machine tell about it, without allocation.
//! * [`worker`]: runs what exo places on this device, with an engine that somebody else brings.
//! * [`vitals`]: how this device is, who is told of it, and what it may therefore offer.
//! * `capabilities` (feature `gpu`): what a device of `exo-gpu` can do, in telemetry's words.
//! * `probing` (feature): the sockets that measure links between members.
//! * `driver` (feature): tokio, zenoh, sockets, HTTP. What cannot be simulated, and nothing else.
#![forbid(unsafe_code)]

#[cfg(feature = "gpu")]
pub mod capabilities;
pub mod discovery;
#[cfg(feature = "driver")]
pub mod driver;
pub mod http;
pub mod interface;
mod json;
pub mod master;
pub mod member;
pub mod planning;
pub mod probe;
#[cfg(feature = "driver")]
pub mod probing;
pub mod vitals;
pub mod worker;

pub use exo_telemetry::{Now, Random, now, random};
pub use interface::{Interface, InterfaceKind};
