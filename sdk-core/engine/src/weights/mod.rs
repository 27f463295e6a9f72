//! Weights: from names in files to matrices on the device, in two steps.
//!
//! A [`Blueprint`] finds every tensor that the model needs and checks its shape and type, so that the memory plan is
//! exact and a wrong file is refused before anything is allocated. [`Blueprint::load`] then reads the bytes straight
//! into device memory. Both are the same [`Parts`], of different things.

mod blueprint;
mod cut;
mod load;
mod matrix;
mod parts;

pub(crate) use blueprint::Blueprint;
pub use load::Progress;
pub(crate) use matrix::{Matrix, Stack, Vector};
pub(crate) use parts::{
    AttentionParts, DeltaParts, LayerParts, MixerParts, Parts, ReminderGate, ReminderParts,
};

/// A model's weights on the device.
pub(crate) type Weights = Parts<Stack, Vector>;
