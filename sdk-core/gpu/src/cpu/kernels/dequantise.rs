//! Rows of MLX affine weights to f32: `scale * q + bias`. The product is exact for 16-bit scales.

use half::{bf16, f16};

use crate::{
    DType, Quantised,
    cpu::simd::{Level, quantised},
    op::HostTensor,
};

/// Writes `count` weights of row `row` to `y`, from `column` on. Both are multiples of the group.
///
/// # Safety
/// The contract of [`super`]; the weights are within their row, and fit at `y`.
pub(super) unsafe fn dequantise(
    level: Level,
    weight: &Quantised<HostTensor>,
    row: usize,
    column: usize,
    count: usize,
    y: *mut f32,
) {
    let size = weight.group.size() as usize;
    let words_per_group = size * weight.bits.count() as usize / 32;
    let first = row * weight.scales.columns() + column / size;
    let unpack = quantised::unpack(level, weight.bits);
    for group in 0..count / size {
        // SAFETY: the groups are within the row.
        unsafe {
            let at = first + group;
            let words = weight.words.view::<u32>().at(at * words_per_group);
            let (scale, bias) = (value(&weight.scales, at), value(&weight.biases, at));
            unpack(words, size, scale, bias, y.add(group * size));
        }
    }
}

/// # Safety
/// `index` is within the tensor, of floats.
unsafe fn value(tensor: &HostTensor, index: usize) -> f32 {
    // SAFETY: the caller's promise.
    unsafe {
        match tensor.dtype {
            DType::F16 => tensor.view::<f16>().at(index).read().to_f32(),
            DType::Bf16 => tensor.view::<bf16>().at(index).read().to_f32(),
            DType::F32 | DType::U32 => tensor.view::<f32>().at(index).read(),
        }
    }
}
