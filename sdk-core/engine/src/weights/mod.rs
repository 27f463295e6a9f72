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

use std::{cell::RefCell, convert::Infallible};

pub(crate) use blueprint::Blueprint;
use exo_gpu::Tensor;
pub use load::Progress;
pub(crate) use matrix::{Matrix, Stack, Vector};
pub(crate) use parts::{
    AttentionParts, DeltaParts, LayerParts, MixerParts, Parts, ReminderGate, ReminderParts,
};

/// A model's weights on the device.
pub(crate) type Weights = Parts<Stack, Vector>;

impl LayerParts<Stack, Vector> {
    /// All that the layer is made of, each byte once.
    pub(crate) fn tensors(&self) -> Vec<Tensor> {
        let all = RefCell::new(Vec::new());
        let stacks = |stack: &Stack| {
            all.borrow_mut().extend(stack.tensors().cloned());
            Ok::<_, Infallible>(())
        };
        let vectors = |vector: &Vector| {
            all.borrow_mut().push(vector.clone());
            Ok(())
        };
        let Ok(_) = self.try_map(&mut |m| stacks(m), &mut |v| vectors(v));
        all.into_inner()
    }
}
