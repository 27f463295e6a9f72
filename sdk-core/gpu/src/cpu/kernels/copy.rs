//! `y = x`, converting between f32, f16 and bf16: to the nearest, ties to even, NaN stays NaN.

use std::slice;

use half::{bf16, f16, slice::HalfFloatSliceExt};

use super::split::split;
use crate::{
    DType,
    cpu::simd::{Level, dense::DenseWeight},
    op::HostTensor,
};

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn copy(level: Level, x: &HostTensor, y: &HostTensor) {
    // SAFETY: the types are the tensors', and the front admits conversion between floats only.
    unsafe {
        match (x.dtype, y.dtype) {
            (from, to) if from == to => same(x, y),
            (DType::F16, DType::F32) => widen::<f16>(level, x, y),
            (DType::Bf16, DType::F32) => widen::<bf16>(level, x, y),
            (DType::F32, DType::F16) => narrow::<f16>(x, y),
            (DType::F32, DType::Bf16) => narrow::<bf16>(x, y),
            (DType::F16, DType::Bf16) => convert(x, y, |x: f16| bf16::from_f32(x.to_f32())),
            (DType::Bf16, DType::F16) => convert(x, y, |x: bf16| f16::from_f32(x.to_f32())),
            _ => {}
        }
    }
}

/// # Safety
/// The contract of [`super`].
unsafe fn same(x: &HostTensor, y: &HostTensor) {
    let (from, to) = (x.view::<u8>(), y.view::<u8>());
    split(x.len() * x.dtype.bytes() as usize, 2, 4096, &|start, end| {
        // SAFETY: within both tensors, which do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from.at(start), to.at(start), end - start) };
    });
}

unsafe fn widen<T: DenseWeight>(level: Level, x: &HostTensor, y: &HostTensor) {
    let (from, to) = (x.view::<T>(), y.view::<f32>());
    split(x.len(), 8, 64, &|start, end| {
        // SAFETY: within both tensors, which do not overlap.
        unsafe { T::to_f32(level, from.at(start), to.at(start), end - start) };
    });
}

unsafe fn narrow<T: Copy>(x: &HostTensor, y: &HostTensor)
where
    [T]: HalfFloatSliceExt,
{
    let (from, to) = (x.view::<f32>(), y.view::<T>());
    split(x.len(), 8, 64, &|start, end| {
        // SAFETY: within both tensors, which do not overlap; the ranges are disjoint.
        let (from, to) = unsafe {
            let count = end - start;
            (slice::from_raw_parts(from.at(start), count), slice::from_raw_parts_mut(to.at(start), count))
        };
        to.convert_from_f32_slice(from);
    });
}

unsafe fn convert<T: Copy, U>(x: &HostTensor, y: &HostTensor, f: impl Fn(T) -> U + Sync) {
    let (from, to) = (x.view::<T>(), y.view::<U>());
    split(x.len(), 16, 64, &|start, end| {
        for i in start..end {
            // SAFETY: within both tensors, and the ranges are disjoint.
            unsafe { to.at(i).write(f(from.at(i).read())) };
        }
    });
}
