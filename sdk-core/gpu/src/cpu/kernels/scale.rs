//! `y = factor * x`.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn scale(level: Level, x: &HostTensor, factor: f32, y: &HostTensor) {
    let n = y.len();
    let (x, y) = (x.view::<f32>(), y.view::<f32>());
    split(n, 8, lanes::LANES, &|start, end| {
        // SAFETY: the ranges are disjoint and within the tensors.
        unsafe { part(level, x.at(start), y.at(start), end - start, factor) };
    });
}

vectorised! {
    unsafe fn part(x: *const f32, y: *mut f32, n: usize, factor: f32) {
        lanes::map(x, y, n, |x| factor * x);
    }
}
