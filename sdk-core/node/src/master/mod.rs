//! Ordering the events of a cluster, by exo's rules.
