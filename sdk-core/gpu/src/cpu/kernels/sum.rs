//! The sum of each row, in double precision until the end.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn sum(level: Level, x: &HostTensor, y: &HostTensor) {
    let n = x.columns();
    let rows = x.rows();
    let (x, y) = (x.view::<f32>(), y.view::<f32>());
    split(rows, 4 * n, 1, &|start, end| {
        for row in start..end {
            // SAFETY: rows are within `x`, and `y` has an element for each.
            unsafe { y.at(row).write(row_of(level, x.at(row * n), n) as f32) };
        }
    });
}

vectorised! {
    unsafe fn row_of(x: *const f32, n: usize) -> f64 {
        lanes::sum(x, n, |x| x)
    }
}
