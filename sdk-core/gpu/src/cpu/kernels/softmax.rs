//! `y = softmax(scale * x)` by rows. -∞ gives 0; a row with NaN or +∞, or of nothing but -∞, gives NaN.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, math, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn softmax(level: Level, x: &HostTensor, scale: f32, y: &HostTensor) {
    let n = x.columns();
    let rows = x.rows();
    let (x, y) = (x.view::<f32>(), y.view::<f32>());
    split(rows, 24 * n, 1, &|start, end| {
        for row in start..end {
            // SAFETY: rows are disjoint and within the tensors.
            unsafe { row_of(level, x.at(row * n), y.at(row * n), n, scale) };
        }
    });
}

vectorised! {
    unsafe fn row_of(x: *const f32, y: *mut f32, n: usize, scale: f32) {
        let mut tops = [f32::NEG_INFINITY; lanes::LANES];
        lanes::blocks(n, |start, n| {
            // Padding with an element of the row changes no maximum, whatever the sign of the scale.
            let block = lanes::read(x.add(start), n, x.read());
            for (top, value) in tops.iter_mut().zip(&block) {
                let value = value * scale;
                *top = if value > *top { value } else { *top };
            }
        });
        let top = tops.iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
        lanes::map(x, y, n, |x| math::exp(x * scale - top));
        let factor = (1.0 / lanes::sum(y, n, |e| e)) as f32;
        lanes::map(y, y, n, |e| e * factor);
    }
}
