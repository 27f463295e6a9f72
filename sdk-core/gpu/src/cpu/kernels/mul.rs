//! `y = a * b`; a `b` of one row multiplies every row of `a`.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn mul(level: Level, a: &HostTensor, b: &HostTensor, y: &HostTensor) {
    let period = b.len();
    let rows = y.len() / period;
    let (a, b, y) = (a.view::<f32>(), b.view::<f32>(), y.view::<f32>());
    if rows > 1 {
        split(rows, 12 * period, 1, &|start, end| {
            for row in start..end {
                // SAFETY: rows are disjoint, and `b` is one of them in length.
                unsafe { row_of(level, a.at(row * period), b.at(0), y.at(row * period), period) };
            }
        });
    } else {
        split(period, 12, lanes::LANES, &|start, end| {
            // SAFETY: the ranges are disjoint and within the tensors.
            unsafe { row_of(level, a.at(start), b.at(start), y.at(start), end - start) };
        });
    }
}

vectorised! {
    unsafe fn row_of(a: *const f32, b: *const f32, y: *mut f32, n: usize) {
        lanes::zip(a, b, y, n, |a, b| a * b);
    }
}
