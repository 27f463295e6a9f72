//! `y = gelu(x)`, the tanh form: `x / 2 * (1 + tanh(u))` with `u = √(2/π) (x + 0.044715 x³)`.
//!
//! Computed as `x / (1 + e^-2u)`, which is the same and keeps its digits where the tanh is near -1.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, math, vectorised},
    op::HostTensor,
};

/// `2 √(2/π)`.
const SLOPE: f32 = 1.595_769;

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn gelu(level: Level, x: &HostTensor, y: &HostTensor) {
    let n = y.len();
    let (x, y) = (x.view::<f32>(), y.view::<f32>());
    split(n, 24, lanes::LANES, &|start, end| {
        // SAFETY: the ranges are disjoint and within the tensors.
        unsafe { part(level, x.at(start), y.at(start), end - start) };
    });
}

vectorised! {
    unsafe fn part(x: *const f32, y: *mut f32, n: usize) {
        lanes::map(x, y, n, |x| x / (1.0 + math::exp(-SLOPE * (x + 0.044_715 * x * x * x))));
    }
}
