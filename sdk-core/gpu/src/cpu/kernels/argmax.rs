//! The index of the largest element of each row: the first of equals; NaN never wins; a row of NaN gives 0.

use super::split::split;
use crate::{
    cpu::simd::{Level, lanes, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn argmax(level: Level, x: &HostTensor, y: &HostTensor) {
    let n = x.columns();
    let rows = x.rows();
    let (x, y) = (x.view::<f32>(), y.view::<u32>());
    split(rows, 4 * n, 1, &|start, end| {
        for row in start..end {
            // SAFETY: rows are within `x`, and `y` has an element for each.
            unsafe { y.at(row).write(row_of(level, x.at(row * n), n) as u32) };
        }
    });
}

vectorised! {
    unsafe fn row_of(x: *const f32, n: usize) -> usize {
        let mut tops = [f32::NEG_INFINITY; lanes::LANES];
        lanes::blocks(n, |start, n| {
            let block = lanes::read(x.add(start), n, f32::NEG_INFINITY);
            for (top, value) in tops.iter_mut().zip(&block) {
                // False for NaN.
                *top = if *value > *top { *value } else { *top };
            }
        });
        let top = tops.iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
        // Nothing is larger, so this is the first that is equal; NaN is neither.
        (0..n).find(|&i| x.add(i).read() >= top).unwrap_or(0)
    }
}
