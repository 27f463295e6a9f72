//! `y = x Wᵀ` for several rows of activations and MLX affine weights.
//!
//! In panels, where the machine gains by them. Elsewhere few rows meet each row of weights in turn, as in `matvec_q`, and
//! many are worth making the weights f32 for the dense multiplication.

use super::{dequantise::dequantise, matvec_q::matvec_q, product::Product};
use crate::{Quantised, Result, cpu::simd::Level, op::HostTensor};

/// Up to this many rows, unpacking the weights costs more than it saves.
const FEW: usize = 16;

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn matmul_q(
    level: Level,
    x: &HostTensor,
    weight: &Quantised<HostTensor>,
    y: &HostTensor,
) -> Result<()> {
    // SAFETY: the caller's promise; the product asks for whole groups within a row of the weights.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernels) = crate::cpu::simd::panel::kernels(level, weight.bits) {
            return super::panels::in_panels(level, kernels, x, weight, y);
        }
        if x.rows() <= FEW {
            return matvec_q(level, x, weight, y);
        }
        Product::of(x, y)
            .by_unpacked(&|row, column, count, to| dequantise(level, weight, row, column, count, to))
    }
}
