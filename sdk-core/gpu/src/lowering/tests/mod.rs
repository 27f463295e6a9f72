//! What lowering promises: compiled kernels, lawful dispatches for any limit, and right numbers on lavapipe.

mod compiled;
mod lawful;
mod paper;
mod random;
mod split;
