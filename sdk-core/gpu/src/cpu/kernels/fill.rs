//! Every element becomes one value, rounded to the tensor's type (to nearest; for integers, down and saturating).

use half::{bf16, f16};

use super::split::split;
use crate::{DType, op::HostTensor};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn fill(y: &HostTensor, value: f32) {
    // SAFETY: the type is the tensor's.
    unsafe {
        match y.dtype {
            DType::F32 => fill_with(y, value),
            DType::F16 => fill_with(y, f16::from_f32(value)),
            DType::Bf16 => fill_with(y, bf16::from_f32(value)),
            DType::U32 => fill_with(y, value as u32),
        }
    }
}

/// # Safety
/// `T` is the type of `y`.
unsafe fn fill_with<T: Copy + Send + Sync>(y: &HostTensor, value: T) {
    let to = y.view::<T>();
    split(y.len(), size_of::<T>(), 64, &|start, end| {
        for i in start..end {
            // SAFETY: within the tensor, and the ranges are disjoint.
            unsafe { to.at(i).write(value) };
        }
    });
}
