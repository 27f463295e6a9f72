//! A thousand phones and a few exo nodes in virtual time, from one seed.
pub mod exo;
pub mod follower;
pub mod queue;
pub mod trace;
