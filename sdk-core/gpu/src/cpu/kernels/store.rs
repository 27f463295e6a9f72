//! Row `i` of `x` becomes row `slots[i]` of a cache, as f32, f16 or bytes with a scale for each head.
//!
//! Threads take heads, not tokens: of equal slots the last wins, and no two threads meet.

use half::{f16, slice::HalfFloatSliceExt};

use super::split::split;
use crate::{
    Cache, DType,
    cpu::simd::{Level, vectorised},
    op::HostTensor,
};

/// What the largest element of a head becomes.
const LARGEST: f32 = 127.0;

/// A head whose elements are all smaller than this, 2^-100, becomes zeros.
const TINY: f32 = f32::from_bits((127 - 100) << 23);

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn store(
    level: Level,
    x: &HostTensor,
    slots: &HostTensor,
    cache: &Cache<HostTensor>,
) {
    let head = x.columns();
    let (tokens, heads) = (slots.len(), x.rows() / slots.len());
    let (from, slots) = (x.view::<f32>(), slots.view::<u32>());
    let each = |rows: usize, write: &(dyn Fn(usize, *const f32) + Sync)| {
        split(heads, 6 * tokens * head, 1, &|start, end| {
            for (token, h) in (0..tokens).flat_map(|token| (start..end).map(move |h| (token, h))) {
                // SAFETY: there is a slot for each token, and `x` has all its heads.
                let (slot, x) =
                    unsafe { (slots.at(token).read() as usize, from.at((token * heads + h) * head)) };
                if slot < rows {
                    write(slot * heads + h, x.cast_const());
                }
            }
        });
    };
    match cache {
        Cache::Dense(cache) => {
            let rows = cache.rows() / heads;
            if cache.dtype == DType::F16 {
                let to = cache.view::<f16>();
                each(rows, &|at, x| {
                    // SAFETY: `at` is a head of a row of the cache, and this thread's alone.
                    let (x, to) = unsafe {
                        let to = std::slice::from_raw_parts_mut(to.at(at * head), head);
                        (std::slice::from_raw_parts(x, head), to)
                    };
                    to.convert_from_f32_slice(x);
                });
            } else {
                let to = cache.view::<f32>();
                // SAFETY: as above; the cache and `x` do not overlap.
                each(rows, &|at, x| unsafe {
                    std::ptr::copy_nonoverlapping(x, to.at(at * head), head);
                });
            }
        }
        Cache::Bytes { words, scales } => {
            let (to, to_scales) = (words.view::<i8>(), scales.view::<f32>());
            each(scales.rows(), &|at, x| {
                // SAFETY: as above; a head has an element for each byte of its words, and one scale.
                unsafe { to_scales.at(at).write(bytes(level, x, to.at(at * head), head)) };
            });
        }
    }
}

vectorised! {
    /// Writes `n` elements as bytes, and gives their scale: NaN if one is not finite.
    ///
    /// # Safety
    /// `n` elements are readable at `x`, and writable at `y`.
    unsafe fn bytes(x: *const f32, y: *mut i8, n: usize) -> f32 {
        let x = std::slice::from_raw_parts(x, n);
        // As integers, magnitudes order as they do as floats, and NaN is above infinity.
        let top = f32::from_bits(x.iter().fold(0, |top, x| (x.to_bits() & 0x7FFF_FFFF).max(top)));
        let (scale, inverse) = if !top.is_finite() {
            (f32::NAN, 0.0)
        } else if top < TINY {
            (0.0, 0.0)
        } else {
            (top / LARGEST, LARGEST / top)
        };
        for (i, x) in x.iter().enumerate() {
            // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
            y.add(i).write((x * inverse + 12_582_912.0).to_bits() as i8);
        }
        scale
    }
}
