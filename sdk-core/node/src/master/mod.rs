//! Ordering the events of a cluster, by exo's rules.
//!
//! A master takes the local events of all nodes, gives each its place in one log, and says them again to everyone. The
//! phone SDK needs one in two places: clusters of phones alone, and the simulated exo nodes of our tests. **A member
//! of an exo cluster owns none of this.**
//!
//! ```text
//! local events -> [ordering] by origin -> gate -> [log] + [state] -> global events
//! commands ----> RequestEventLog -> [replay], bounded ------------> global events
//! time --------> [timeouts]: who was silent is gone --------------> global events
//! ```
//! Of the commands only `RequestEventLog` is served: phones alone place no models yet.
//!
//! * [`election`]: who is master, by exo's rules. Only simulated exo nodes elect; phones alone decide by their zids.
//! * [`founding`]: which phone opens a cluster when there is no exo, and how it makes way for one.

pub(crate) mod camel;
pub mod election;
pub mod founding;
pub mod log;
mod machine;
pub mod ordering;
pub mod replay;
mod shelf;
pub mod state;
pub mod timeouts;

pub use machine::{Counts, Input, Limits, Master};
