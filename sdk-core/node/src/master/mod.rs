//! Ordering the events of a cluster, by exo's rules.

pub mod election;
pub mod founding;
pub mod ordering;
