//! `y = sigmoid(gate) * x`, with `sigmoid(g) = 1 / (1 + e^-g)`.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, math, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn sigmoid_mul(level: Level, gate: &HostTensor, x: &HostTensor, y: &HostTensor) {
    let n = y.len();
    let (gate, x, y) = (gate.view::<f32>(), x.view::<f32>(), y.view::<f32>());
    split(n, 24, lanes::LANES, &|start, end| {
        // SAFETY: the ranges are disjoint and within the tensors.
        unsafe { part(level, gate.at(start), x.at(start), y.at(start), end - start) };
    });
}

vectorised! {
    unsafe fn part(gate: *const f32, x: *const f32, y: *mut f32, n: usize) {
        lanes::zip(gate, x, y, n, |gate, x| x / (1.0 + math::exp(-gate)));
    }
}
