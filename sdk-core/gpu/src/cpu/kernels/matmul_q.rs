//! `y = x Wᵀ` for several rows of activations and MLX affine weights.
//!
//! Few rows meet each row of weights in turn, as in `matvec_q`; many are worth making the weights f32, a panel at
//! a time, for the dense multiplication.

use super::{dequantise::dequantise, matmul::Product, matvec_q::matvec_q};
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
    if x.rows() <= FEW {
        // SAFETY: the caller's promise.
        return unsafe { matvec_q(level, x, weight, y) };
    }
    let product = Product::of(x, weight.words.rows());
    // SAFETY: `in_panels` asks for rows of the weight, into memory for one row.
    unsafe { product.in_panels(x, y, &|row, to| dequantise(level, weight, row, to)) }
}
