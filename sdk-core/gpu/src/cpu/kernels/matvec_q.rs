//! `y = W x` for MLX affine weights: 4, 6 or 8 bits. How, and how exact, is told in [`crate::cpu::simd::quantised`].
//!
//! Takes a few rows of activations as well: each row of weights then meets all of them while it is in the cache.
//! An activation that is not finite makes all results of its row NaN.

use std::ops::Range;

use half::{bf16, f16};

use super::split::parts;
use crate::{
    DType, Quantised, Result,
    cpu::{
        scratch::scratch,
        simd::{
            Level,
            activations::Activations,
            ask_for,
            dense::{DenseWeight, Prepare},
            quantised::{self, DotQuantised, Row},
        },
        team,
        view::View,
    },
    op::HostTensor,
};

/// Coefficients that the vectors may read beyond the last.
const PADDING: usize = 16;

/// Rows of coefficients that are made before the words of their rows are read: the words then stream in without a pause.
const BLOCK: usize = 16;

/// Bytes that memory gives at once.
const LINE: usize = 64;

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
    let activations: Vec<Activations> = (0..m)
        // SAFETY: row `i` is one of `x`.
        .map(|i| unsafe { Activations::of(level, x.view::<f32>().at(i * k), k, weight.bits, weight.group) })
        .collect::<Result<_>>()?;
    let product = Product {
        activations: &activations,
        words: weight.words.view(),
        packed_words: weight.words.columns(),
        scales: weight.scales.view::<S>(),
        biases: weight.biases.view::<S>(),
        groups,
        prepare: S::prepare(level),
        dot: quantised::dot(level, weight.bits),
        y: y.view(),
        n,
    };
    let parts = parts(n, m * 4 * product.packed_words);
    let per_part = n.div_ceil(parts);
    let room = BLOCK * product.stride();
    let mut memory = scratch::<f32>(parts * room)?;
    let memory = View::of(&mut memory);
    team::share(n.div_ceil(per_part), &|part| {
        let rows = part * per_part..n.min((part + 1) * per_part);
        for first in rows.clone().step_by(BLOCK) {
            // SAFETY: each part has `room` of its own, and rows of `y` of its own; rows are within the weight.
            unsafe { product.block(first..rows.end.min(first + BLOCK), memory.at(part * room)) };
        }
    });
    Ok(())
}

/// What all blocks of rows share.
struct Product<'a, S> {
    activations: &'a [Activations],
    words: View<u32>,
    packed_words: usize,
    scales: View<S>,
    biases: View<S>,
    groups: usize,
    prepare: Prepare<S>,
    dot: DotQuantised,
    y: View<f32>,
    n: usize,
}

impl<S> Product<'_, S> {
    /// Coefficients of one row, and what may be read beyond them.
    fn stride(&self) -> usize {
        self.groups + PADDING
    }

    /// # Safety
    /// The rows are within the weight and nobody else's, and there is room for [`BLOCK`] rows of coefficients.
    unsafe fn block(&self, rows: Range<usize>, coefficients: *mut f32) {
        for i in 0..self.activations.len() {
            // SAFETY: the caller's promise.
            unsafe {
                for (at, row) in rows.clone().enumerate() {
                    self.prepare(i, row, coefficients.add(at * self.stride()));
                }
                self.ask_for_next(&rows);
                for (at, row) in rows.clone().enumerate() {
                    *self.y.at(i * self.n + row) +=
                        (self.dot)(&self.row(i, row, coefficients.add(at * self.stride())));
                }
            }
        }
    }

    /// Scales and biases of the next block come while the words of this one are at work.
    fn ask_for_next(&self, rows: &Range<usize>) {
        for group in
            (rows.end * self.groups..(rows.end + rows.len()) * self.groups).step_by(LINE / size_of::<S>())
        {
            ask_for(self.scales.far(group));
            ask_for(self.biases.far(group));
        }
    }

    /// Makes the coefficients of a row, and begins its result with what the biases give.
    ///
    /// # Safety
    /// The row is within the weight, `i` one of activations, and there is room for the coefficients.
    unsafe fn prepare(&self, i: usize, row: usize, coefficients: *mut f32) {
        let activations = &self.activations[i];
        let meant = [activations.units.as_ptr(), activations.sums.as_ptr()];
        // SAFETY: the caller's promise.
        unsafe {
            let weights = [self.scales.at(row * self.groups), self.biases.at(row * self.groups)];
            let biased = (self.prepare)(weights.map(<*mut S>::cast_const), meant, coefficients, self.groups);
            self.y.at(i * self.n + row).write(biased);
        }
    }

    /// # Safety
    /// The row is within the weight, and its coefficients are there.
    unsafe fn row(&self, i: usize, row: usize, coefficients: *const f32) -> Row<'_> {
        let activations = &self.activations[i];
        Row {
            // SAFETY: the caller's promise.
            packed: unsafe { self.words.at(row * self.packed_words) },
            words: activations.words,
            group_shift: (activations.words / self.groups).trailing_zeros(),
            planes: &activations.planes,
            coefficients,
        }
    }
}
