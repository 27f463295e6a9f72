//! `y = x / √(mean(x²) + ε) * weight` by rows. The mean is taken in double precision: nothing overflows.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn rmsnorm(
    level: Level,
    x: &HostTensor,
    weight: &HostTensor,
    epsilon: f32,
    y: &HostTensor,
) {
    let n = x.columns();
    let rows = x.rows();
    let (x, weight, y) = (x.view::<f32>(), weight.view::<f32>(), y.view::<f32>());
    split(rows, 16 * n, 1, &|start, end| {
        for row in start..end {
            // SAFETY: rows are disjoint and within the tensors; the weight is a row.
            unsafe { row_of(level, x.at(row * n), weight.at(0), y.at(row * n), n, epsilon) };
        }
    });
}

vectorised! {
    unsafe fn row_of(x: *const f32, weight: *const f32, y: *mut f32, n: usize, epsilon: f32) {
        let mean = lanes::sum(x, n, |x| x * x) / n as f64;
        let factor = (1.0 / (mean + f64::from(epsilon)).sqrt()) as f32;
        lanes::zip(x, weight, y, n, |x, weight| x * factor * weight);
    }
}
