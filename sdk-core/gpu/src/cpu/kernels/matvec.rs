//! `y = W x` for one row of activations and dense weights: f32, f16 or bf16, summed in f32.
//!
//! Takes a few rows of activations as well: each row of weights then meets all of them while it is in the cache.

use half::{bf16, f16};

use super::split::split;
use crate::{
    DType,
    cpu::simd::{Level, dense::DenseWeight},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn matvec(level: Level, x: &HostTensor, weight: &HostTensor, y: &HostTensor) {
    // SAFETY: the type is the weight's.
    unsafe {
        match weight.dtype {
            DType::F16 => rows::<f16>(level, x, weight, y),
            DType::Bf16 => rows::<bf16>(level, x, weight, y),
            DType::F32 | DType::U32 => rows::<f32>(level, x, weight, y),
        }
    }
}

/// # Safety
/// The contract of [`super`].
unsafe fn rows<T: DenseWeight>(level: Level, x: &HostTensor, weight: &HostTensor, y: &HostTensor) {
    let (m, n, k) = (x.rows(), weight.rows(), x.columns());
    let dot = T::dot(level);
    let (x, weight, y) = (x.view::<f32>(), weight.view::<T>(), y.view::<f32>());
    split(n, k * size_of::<T>(), 1, &|start, end| {
        for (row, i) in (start..end).flat_map(|row| (0..m).map(move |i| (row, i))) {
            // SAFETY: `row` is one of the weight's, `i` one of `x`, and both have an element in `y`; the machine has
            // `level`.
            unsafe { y.at(i * n + row).write(dot(x.at(i * k), weight.at(row * k), k)) };
        }
    });
}
