//! How this device is, who is told of it, and what it may therefore offer.
//!
//! The machines of `exo-telemetry`, joined to the member. One look at the device serves them all: the policy decides
//! whether work may be taken, the governor how much, the collector what other members of this SDK should hear, and the
//! member what exo is told.
//!
//! ```text
//!             Look                       Announce
//!   probe <---------- +----------+ -------------------> member ---> exo's topics
//!         ----------> |  Vitals  |
//!            Looked   +----------+ <------------------> other members of this SDK,
//!                                     Tell, Heard       on exo-mobile/telemetry/<node>
//! ```
//!
//! A device that may not work any more says so in the very announcement that follows the reading: before a model could
//! be placed on it, not after.

mod announcement;
mod condition;
mod cost;
mod machine;

pub use condition::{Condition, Work};
pub use machine::{Input, Output, Vitals, VitalsConfig};
