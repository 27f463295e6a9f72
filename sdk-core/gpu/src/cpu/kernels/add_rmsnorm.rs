//! `sum = x + delta`, and `y = sum / √(mean(sum²) + ε) * weight` by rows. The mean is taken in double precision of the
//! sum as it is stored, rounded to f32.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn add_rmsnorm(
    level: Level,
    [x, delta, weight]: [&HostTensor; 3],
    epsilon: f32,
    [sum, y]: [&HostTensor; 2],
) {
    let n = x.columns();
    let rows = x.rows();
    let [x, delta, weight, sum, y] = [x, delta, weight, sum, y].map(HostTensor::view::<f32>);
    split(rows, 24 * n, 1, &|start, end| {
        for row in start..end {
            let at = row * n;
            // SAFETY: rows are disjoint and within the tensors; the weight is a row.
            unsafe { row_of(level, x.at(at), delta.at(at), weight.at(0), sum.at(at), y.at(at), n, epsilon) };
        }
    });
}

vectorised! {
    #[allow(clippy::too_many_arguments)] // Five operands and two numbers are what the operation has.
    unsafe fn row_of(
        x: *const f32,
        delta: *const f32,
        weight: *const f32,
        sum: *mut f32,
        y: *mut f32,
        n: usize,
        epsilon: f32,
    ) {
        lanes::zip(x, delta, sum, n, |x, delta| x + delta);
        let mean = lanes::sum(sum, n, |x| x * x) / n as f64;
        let factor = (1.0 / (mean + f64::from(epsilon)).sqrt()) as f32;
        lanes::zip(sum, weight, y, n, |x, weight| x * factor * weight);
    }
}
