//! `y = W x` for MLX affine weights: 4, 6 or 8 bits. How, and how exact, is told in [`crate::cpu::simd::quantised`].
//!
//! Takes a few rows of activations as well: each row of weights then meets all of them while it is in the cache.
//! An activation that is not finite makes all results of its row NaN.

use half::{bf16, f16};

use super::split::parts;
use crate::{
    DType, Quantised, Result,
    cpu::{
        scratch::scratch,
        simd::{
            Level,
            activations::Activations,
            dense::DenseWeight,
            quantised::{self, Row},
            vectorised,
        },
        team,
        view::View,
    },
    op::HostTensor,
};

/// Coefficients that the vectors may read beyond the last.
const PADDING: usize = 16;

/// Rows whose coefficients are made before their words are read: the words then stream in without a pause.
const BLOCK: usize = 16;

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn matvec_q(
    level: Level,
    x: &HostTensor,
    weight: &Quantised<HostTensor>,
    y: &HostTensor,
) -> Result<()> {
    // SAFETY: the type is the scales'.
    unsafe {
        match weight.scales.dtype {
            DType::F16 => rows::<f16>(level, x, weight, y),
            DType::Bf16 => rows::<bf16>(level, x, weight, y),
            DType::F32 | DType::U32 => rows::<f32>(level, x, weight, y),
        }
    }
}

/// # Safety
/// The contract of [`super`].
unsafe fn rows<S: DenseWeight>(
    level: Level,
    x: &HostTensor,
    weight: &Quantised<HostTensor>,
    y: &HostTensor,
) -> Result<()> {
    let (m, k, n) = (x.rows(), x.columns(), weight.words.rows());
    let groups = weight.scales.columns();
    let packed_words = weight.words.columns();
    let activations: Vec<Activations> = (0..m)
        // SAFETY: row `i` is one of `x`.
        .map(|i| unsafe { Activations::of(level, x.view::<f32>().at(i * k), k, weight.bits, weight.group) })
        .collect::<Result<_>>()?;
    let dot = quantised::dot(level, weight.bits);
    let dot_biases = S::dot(level);
    let (words, y) = (weight.words.view::<u32>(), y.view::<f32>());
    let (scales, biases) = (weight.scales.view::<S>(), weight.biases.view::<S>());

    let parts = parts(n, m * 4 * packed_words);
    let per_part = n.div_ceil(parts);
    let stride = groups + PADDING;
    let room = (1 + BLOCK) * stride;
    let mut memory = scratch::<f32>(parts * room)?;
    let memory = View::of(&mut memory);
    team::share(n.div_ceil(per_part), &|part| {
        let rows = part * per_part..n.min((part + 1) * per_part);
        // SAFETY: each part has `room` of its own, and rows of `y` of its own; rows are within the weight.
        unsafe {
            let scales_f32 = memory.at(part * room);
            for first in rows.clone().step_by(BLOCK) {
                let block = first..rows.end.min(first + BLOCK);
                for (i, activations) in activations.iter().enumerate() {
                    for (at, row) in block.clone().enumerate() {
                        S::to_f32(level, scales.at(row * groups), scales_f32, groups);
                        let coefficients = scales_f32.add((1 + at) * stride);
                        multiply(level, scales_f32, activations.units.as_ptr(), coefficients, groups);
                        let biased = dot_biases(activations.sums.as_ptr(), biases.at(row * groups), groups);
                        y.at(i * n + row).write(biased);
                    }
                    for (at, row) in block.clone().enumerate() {
                        let row_of_words = Row {
                            packed: words.at(row * packed_words),
                            words: activations.words,
                            group_shift: (activations.words / groups).trailing_zeros(),
                            planes: &activations.planes,
                            coefficients: scales_f32.add((1 + at) * stride),
                        };
                        *y.at(i * n + row) += dot(&row_of_words);
                    }
                }
            }
        }
    });
    Ok(())
}

vectorised! {
    /// # Safety
    /// `n` elements are readable at `a` and `b`, and writable at `y`.
    unsafe fn multiply(a: *const f32, b: *const f32, y: *mut f32, n: usize) {
        crate::cpu::simd::lanes::zip(a, b, y, n, |a, b| a * b);
    }
}
