//! `y = x Wᵀ` for several rows of activations and dense weights.
//!
//! The multiplication itself is the `gemm` crate's, on panels of weights: a few for each thread. 16-bit weights
//! are widened a panel at a time into scratch that stays in the second-level cache.

use gemm_common::Parallelism;
use half::{bf16, f16};

use super::split::{parts, scratch};
use crate::{
    DType, Result,
    cpu::{
        simd::{Level, dense::DenseWeight},
        team,
        view::View,
    },
    op::HostTensor,
};

/// Scratch for one panel of widened weights.
const PANEL_BYTES: usize = 1 << 20;

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn matmul(
    level: Level,
    x: &HostTensor,
    weight: &HostTensor,
    y: &HostTensor,
) -> Result<()> {
    // SAFETY: the type is the weight's.
    unsafe {
        match weight.dtype {
            DType::F16 => widened::<f16>(level, x, weight, y),
            DType::Bf16 => widened::<bf16>(level, x, weight, y),
            DType::F32 | DType::U32 => {
                straight(x, weight, y);
                Ok(())
            }
        }
    }
}

unsafe fn straight(x: &HostTensor, weight: &HostTensor, y: &HostTensor) {
    let shape = Product::of(x, weight.rows());
    let weights = weight.view::<f32>();
    let (x, y) = (x.view::<f32>(), y.view::<f32>());
    // Each panel packs all of `x` again, so no more panels than threads.
    let count = parts(shape.n, 4 * shape.k * shape.m).min(team::threads());
    let panel = shape.n.div_ceil(count).next_multiple_of(16);
    team::share(shape.n.div_ceil(panel), &|part| {
        let start = part * panel;
        // SAFETY: the panel's rows are within the weight; panels write columns of their own.
        unsafe { shape.panel(x, weights.at(start * shape.k), y, start, panel.min(shape.n - start)) };
    });
}

unsafe fn widened<T: DenseWeight>(
    level: Level,
    x: &HostTensor,
    weight: &HostTensor,
    y: &HostTensor,
) -> Result<()> {
    let shape = Product::of(x, weight.rows());
    let weights = weight.view::<T>();
    // SAFETY: `in_panels` asks for rows of the weight, into memory for one row.
    unsafe { shape.in_panels(x, y, &|row, to| T::to_f32(level, weights.at(row * shape.k), to, shape.k)) }
}

/// The sizes of one product.
#[derive(Clone, Copy)]
pub(super) struct Product {
    m: usize,
    n: usize,
    k: usize,
}

impl Product {
    pub(super) fn of(x: &HostTensor, n: usize) -> Self {
        Self { m: x.rows(), n, k: x.columns() }
    }

    /// Multiplies by weights that `unpack(row, to)` makes f32, a panel at a time.
    ///
    /// # Safety
    /// The contract of [`super`] for `x` and `y`.
    pub(super) unsafe fn in_panels(
        self,
        x: &HostTensor,
        y: &HostTensor,
        unpack: &(dyn Fn(usize, *mut f32) + Sync),
    ) -> Result<()> {
        let Self { n, k, .. } = self;
        let panel = (PANEL_BYTES / 4 / k).clamp(16, n.div_ceil(team::threads()).next_multiple_of(16));
        let panels = n.div_ceil(panel);
        let workers = panels.min(team::threads());
        let mut memory = scratch::<f32>(workers * panel * k)?;
        let memory = View::of(&mut memory);
        let (x, y) = (x.view::<f32>(), y.view::<f32>());
        team::share(workers, &|worker| {
            for start in (worker..panels).step_by(workers).map(|part| part * panel) {
                let rows = panel.min(n - start);
                // SAFETY: each worker has scratch of its own, for `panel` rows of `k`; panels write columns of
                // their own.
                unsafe {
                    let weights = memory.at(worker * panel * k);
                    for row in 0..rows {
                        unpack(start + row, weights.add(row * k));
                    }
                    self.panel(x, weights, y, start, rows);
                }
            }
        });
        Ok(())
    }

    /// Columns `start .. start + rows` of `y`, from as many rows of weights.
    ///
    /// # Safety
    /// `x` is `[m, k]`, `weights` `[rows, k]`, `y` `[m, n]`, and nobody else touches these columns.
    unsafe fn panel(self, x: View<f32>, weights: *const f32, y: View<f32>, start: usize, rows: usize) {
        let Self { m, n, k } = self;
        // `yᵀ = W xᵀ`, because the crate wants the result's columns contiguous: its dst is column-major.
        // SAFETY: the caller's promise; strides are those of row-major matrices, the result is not read.
        unsafe {
            gemm_f32::gemm::f32::get_gemm_fn()(
                rows,
                m,
                k,
                y.at(start),
                n as isize,
                1,
                false,
                weights,
                1,
                k as isize,
                x.at(0),
                k as isize,
                1,
                0.0,
                1.0,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    }
}
