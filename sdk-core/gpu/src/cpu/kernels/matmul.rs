//! `y = x Wᵀ` for several rows of activations and dense weights: f32, f16 or bf16, summed in f32.

use half::{bf16, f16};

use super::{matvec::matvec, product::Product};
use crate::{
    DType, Result,
    cpu::simd::{Level, dense::DenseWeight},
    op::HostTensor,
};

/// Up to this many rows, dot products read the weights fewer times.
const FEW: usize = 4;

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn matmul(
    level: Level,
    x: &HostTensor,
    weight: &HostTensor,
    y: &HostTensor,
) -> Result<()> {
    // SAFETY: the type is the weight's; the rest is the caller's promise.
    unsafe {
        if x.rows() <= FEW {
            matvec(level, x, weight, y);
            return Ok(());
        }
        match weight.dtype {
            DType::F16 => widened::<f16>(level, x, weight, y),
            DType::Bf16 => widened::<bf16>(level, x, weight, y),
            DType::F32 | DType::U32 => Product::of(x, y).by(weight.view()),
        }
    }
}

/// # Safety
/// The contract of [`super`], and `T` is the type of `weight`.
unsafe fn widened<T: DenseWeight>(
    level: Level,
    x: &HostTensor,
    weight: &HostTensor,
    y: &HostTensor,
) -> Result<()> {
    let (weights, k) = (weight.view::<T>(), x.columns());
    // SAFETY: the product asks for runs of weights within their row.
    unsafe {
        Product::of(x, y).by_unpacked(&|row, column, count, to| {
            T::to_f32(level, weights.at(row * k + column), to, count);
        })
    }
}
