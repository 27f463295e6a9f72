//! `y = gelu(x)`, the tanh form.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, math, vectorised},
    op::HostTensor,
};

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
        lanes::map(x, y, n, math::gelu);
    }
}
