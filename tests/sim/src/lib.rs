//! A thousand phones and a few exo nodes in virtual time, from one seed.
//!
//! The phones are real [`Member`](exo_node::member::Member) and [`Discovery`](exo_node::discovery::Discovery)
//! machines; drivers, networks and exo nodes are simulated. One queue holds everything that will happen; the same
//! seed gives the same run to the byte. Faults come in episodes: loss, delay, strays that overtake, duplicates,
//! partitions (also of one direction), killed apps and exo nodes, sleep, jumping clocks, roaming, HTTP that fails.
//! After each step what was published and what was taken for acknowledged is checked; whenever all is well again, so
//! is everything else.
//!
//! * `world`: the queue and the steps. `bus`, `driver` and `faults` are the steps themselves.
//! * [`exo`], [`follower`]: an exo node. [`phone`], [`search`]: a phone.
//! * [`hands`]: faults by hand, for tests that tell a story.
//! * `ledger`, `pace`, `judge`: the invariants. `bug`: bugs that they must catch.
//! * [`seeds`]: many worlds at once. [`sample`]: payloads for a judge that shares no code with us.
//! * [`trace`]: the timing diagram of a failing seed.

mod bug;
mod bus;
pub mod config;
mod driver;
pub mod exo;
mod faults;
pub mod follower;
pub mod hands;
mod judge;
mod ledger;
mod pace;
pub mod phone;
pub mod queue;
pub mod sample;
pub mod search;
pub mod seeds;
pub mod trace;
pub mod world;

pub use config::{Bug, Config};
pub use world::{Failure, Tally, World};
