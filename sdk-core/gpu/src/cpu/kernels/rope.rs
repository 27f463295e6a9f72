//! Turns pairs of elements of each head by the angles of its token; elements beyond the angles are copied.

use super::split::split;
use crate::{
    RopePairs,
    cpu::simd::{Level, vectorised},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn rope(
    level: Level,
    x: &HostTensor,
    angles: &HostTensor,
    pairs: RopePairs,
    y: &HostTensor,
) {
    let head = x.columns();
    let tokens = x.shape.dims()[0] as usize;
    let heads = x.rows() / tokens;
    let turned = angles.len() / tokens / 2;
    let (x, angles, y) = (x.view::<f32>(), angles.view::<f32>(), y.view::<f32>());
    split(tokens * heads, 16 * head, 1, &|start, end| {
        for row in start..end {
            // SAFETY: heads are disjoint and within the tensors; `row / heads` is a token.
            unsafe {
                let (from, angles, to) =
                    (x.at(row * head), angles.at(row / heads * 2 * turned), y.at(row * head));
                match pairs {
                    RopePairs::Halves => halves(level, from, angles, to, turned),
                    RopePairs::Neighbours => neighbours(level, from, angles, to, turned),
                }
                // In place this copies onto itself.
                std::ptr::copy(from.add(2 * turned), to.add(2 * turned), head - 2 * turned);
            }
        }
    });
}

vectorised! {
    /// # Safety
    /// `2 * turned` elements are readable at `x` and `angles`, and writable at `y`, which is `x` or apart from it.
    unsafe fn halves(x: *const f32, angles: *const f32, y: *mut f32, turned: usize) {
        for i in 0..turned {
            turn(x.add(i), x.add(i + turned), angles.add(2 * i), y.add(i), y.add(i + turned));
        }
    }
}

vectorised! {
    /// # Safety
    /// `2 * turned` elements are readable at `x` and `angles`, and writable at `y`, which is `x` or apart from it.
    unsafe fn neighbours(x: *const f32, angles: *const f32, y: *mut f32, turned: usize) {
        for i in 0..turned {
            turn(x.add(2 * i), x.add(2 * i + 1), angles.add(2 * i), y.add(2 * i), y.add(2 * i + 1));
        }
    }
}

/// Turns the pair `(a, b)`; both are read before either is written.
///
/// # Safety
/// All are elements of their tensors, and `angle` the first of two.
#[inline(always)]
unsafe fn turn(a: *const f32, b: *const f32, angle: *const f32, to_a: *mut f32, to_b: *mut f32) {
    // SAFETY: the caller's promise.
    unsafe {
        let (a, b) = (a.read(), b.read());
        let (cos, sin) = (angle.read(), angle.add(1).read());
        to_a.write(a * cos - b * sin);
        to_b.write(b * cos + a * sin);
    }
}
