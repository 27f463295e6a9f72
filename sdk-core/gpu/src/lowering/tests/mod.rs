//! What lowering promises: compiled kernels, lawful dispatches for any limit, and right numbers on lavapipe.

mod array;
mod attention;
mod compiled;
mod lawful;
mod matrix;
mod numbers;
mod paper;
mod random;
mod recurrence;
mod reference;
mod rig;
mod split;
