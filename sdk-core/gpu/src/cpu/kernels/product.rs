//! `y = x Wᵀ` for many rows of activations, on the `gemm` crate's multiplication: what `matmul` and `matmul_q` share.
//!
//! The crate packs its left operand, which costs as much as the multiplication itself when the right one is small.
//! So the smaller of activations and weights goes left. Weights that are not f32 are unpacked a panel of rows and a
//! block of columns at a time, into scratch that stays in the second-level cache.

use std::sync::atomic::{AtomicUsize, Ordering};

use gemm_common::Parallelism;

use super::split::parts;
use crate::{
    Result,
    cpu::{scratch::scratch, team, view::View},
    op::HostTensor,
};

/// Rows of weights in a panel.
const PANEL: usize = 256;

/// Columns of weights that are unpacked at once: a multiple of every group of quantised weights.
const BLOCK: usize = 512;

/// Up to this many, activations go left.
const FEW: usize = 128;

/// Makes `count` weights of a row f32, from a column on, at an address with room for them.
pub(super) type Unpack<'a> = &'a (dyn Fn(usize, usize, usize, *mut f32) + Sync);

/// One product: `[m, k] · [n, k]ᵀ = [m, n]`.
#[derive(Clone, Copy)]
pub(super) struct Product {
    x: View<f32>,
    y: View<f32>,
    m: usize,
    n: usize,
    k: usize,
}

impl Product {
    pub(super) fn of(x: &HostTensor, y: &HostTensor) -> Self {
        Self { x: x.view(), y: y.view(), m: x.rows(), n: y.columns(), k: x.columns() }
    }

    /// Multiplies by f32 weights as they are.
    ///
    /// # Safety
    /// The contract of [`super`]; `weights` is `[n, k]`.
    pub(super) unsafe fn by(self, weights: View<f32>) -> Result<()> {
        let Self { m, n, k, .. } = self;
        // SAFETY: panels are rows of the weights.
        let panel = |start: usize, rows, target: Target| unsafe {
            self.multiply(weights.at(start * k), k, 0, k, rows, false, target);
        };
        if m <= FEW {
            return self.in_panels(0, &|_, start, rows, target| panel(start, rows, target));
        }
        // All of `x` is packed again for each panel: no more of them than threads.
        let count = parts(n, 4 * k * m).min(team::threads());
        let size = n.div_ceil(count).next_multiple_of(16);
        team::share(n.div_ceil(size), &|part| {
            let start = part * size;
            panel(start, size.min(n - start), Target::Result(start));
        });
        Ok(())
    }

    /// Multiplies by weights that have to be unpacked.
    ///
    /// # Safety
    /// The contract of [`super`]; `unpack` writes no more than it is asked for.
    pub(super) unsafe fn by_unpacked(self, unpack: Unpack<'_>) -> Result<()> {
        self.in_panels(PANEL * BLOCK, &|scratch, start, rows, target| {
            for column in (0..self.k).step_by(BLOCK) {
                let columns = BLOCK.min(self.k - column);
                // SAFETY: there is scratch for `PANEL` rows of `BLOCK` columns.
                unsafe {
                    for row in 0..rows {
                        unpack(start + row, column, columns, scratch.at(row * columns));
                    }
                    self.multiply(scratch.at(0), columns, column, columns, rows, column > 0, target);
                }
            }
        })
    }

    /// Calls `work` for each panel, with scratch of the size asked for.
    fn in_panels(
        self,
        scratch_size: usize,
        work: &(dyn Fn(View<f32>, usize, usize, Target) + Sync),
    ) -> Result<()> {
        let Self { m, n, y, .. } = self;
        let size = PANEL.min(n.div_ceil(team::threads()).next_multiple_of(16));
        let panels = n.div_ceil(size);
        let workers = panels.min(team::threads());
        let columns_size = if m <= FEW { m * size } else { 0 };
        let mut memory = scratch::<f32>(workers * (scratch_size + columns_size))?;
        let memory = View::of(&mut memory);
        let next = AtomicUsize::new(0);
        team::share(workers, &|worker| {
            // SAFETY: each worker has a part of the memory of its own.
            let (scratch, columns) = unsafe {
                let own = memory.offset(worker * (scratch_size + columns_size));
                (own, own.offset(scratch_size))
            };
            while let Some(start) =
                Some(next.fetch_add(1, Ordering::Relaxed) * size).filter(|&start| start < n)
            {
                let rows = size.min(n - start);
                if m > FEW {
                    work(scratch, start, rows, Target::Result(start));
                    continue;
                }
                work(scratch, start, rows, Target::Columns(columns));
                for i in 0..m {
                    for j in 0..rows {
                        // SAFETY: `columns` is `[rows, m]`, and these elements of `y` are this panel's.
                        unsafe { y.at(i * n + start + j).write(columns.at(j * m + i).read()) };
                    }
                }
            }
        });
        Ok(())
    }

    /// Multiplies columns `from .. from + count` of `x` by `rows` rows of weights, which are `stride` apart.
    ///
    /// # Safety
    /// `weights` is `[rows, count]`, and the target has room for `rows` columns of the result that nobody else uses.
    #[allow(clippy::too_many_arguments)] // It stands before a function of nineteen.
    unsafe fn multiply(
        self,
        weights: *const f32,
        stride: usize,
        from: usize,
        count: usize,
        rows: usize,
        add: bool,
        target: Target,
    ) {
        let Self { x, y, m, n, k } = self;
        // SAFETY: `from` is a column of `x`.
        let x = unsafe { x.at(from) };
        // SAFETY: the caller's promise; strides are those of row-major matrices.
        unsafe {
            match target {
                Target::Columns(columns) => {
                    self::columns([m, rows, count], (columns.at(0), m), (x, [1, k]), (weights, stride), add);
                }
                Target::Result(start) => {
                    self::columns([rows, m, count], (y.at(start), n), (weights, [1, stride]), (x, k), add);
                }
            }
        }
    }
}

/// Where a panel's result goes.
#[derive(Clone, Copy)]
enum Target {
    /// To scratch, as `[rows, m]`: activations are on the left.
    Columns(View<f32>),
    /// To its columns of the result, from this one on: weights are on the left.
    Result(usize),
}

/// `result = left · right`, or added to it: `left` is `[m, k]`, `right` `[k, n]`, and the columns of `right` and of the
/// result are contiguous. Sizes are `[m, n, k]`, numbers beside pointers are distances: of columns for `result` and
/// `right`, of columns and rows for `left`.
///
/// # Safety
/// All three are readable as their sizes say, and the result is writable by nobody else.
pub(super) unsafe fn columns(
    [m, n, k]: [usize; 3],
    (result, result_stride): (*mut f32, usize),
    (left, [left_columns, left_rows]): (*const f32, [usize; 2]),
    (right, right_stride): (*const f32, usize),
    add: bool,
) {
    let gemm = gemm_f32::gemm::f32::get_gemm_fn();
    let [result_stride, left_columns, left_rows, right_stride] =
        [result_stride, left_columns, left_rows, right_stride].map(|stride| stride as isize);
    let alpha = if add { 1.0 } else { 0.0 };
    // SAFETY: the caller's promise.
    unsafe {
        gemm(
            m,
            n,
            k,
            result,
            result_stride,
            1,
            add,
            left,
            left_columns,
            left_rows,
            right,
            right_stride,
            1,
            alpha,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
