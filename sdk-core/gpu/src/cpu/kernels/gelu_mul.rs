//! `y = gelu(gate) * up`, the tanh form.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, math, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn gelu_mul(level: Level, gate: &HostTensor, up: &HostTensor, y: &HostTensor) {
    let n = y.len();
    let (gate, up, y) = (gate.view::<f32>(), up.view::<f32>(), y.view::<f32>());
    split(n, 24, lanes::LANES, &|start, end| {
        // SAFETY: the ranges are disjoint and within the tensors.
        unsafe { part(level, gate.at(start), up.at(start), y.at(start), end - start) };
    });
}

vectorised! {
    unsafe fn part(gate: *const f32, up: *const f32, y: *mut f32, n: usize) {
        lanes::zip(gate, up, y, n, |gate, up| math::gelu(gate) * up);
    }
}
