//! Rows of MLX affine weights to f32: `scale * q + bias`. The product is exact for 16-bit scales.

use half::{bf16, f16};

use crate::{
    Bits, DType, Quantised,
    cpu::simd::{Level, quantised::spread_6, vectorised},
    op::HostTensor,
};

/// Writes row `row` of `weight` to `y`.
///
/// # Safety
/// The contract of [`super`]; the row is one of the weight's, and a row fits at `y`.
pub(in crate::cpu) unsafe fn dequantise(
    level: Level,
    weight: &Quantised<HostTensor>,
    row: usize,
    y: *mut f32,
) {
    let groups = weight.scales.columns();
    let size = weight.group.size() as usize;
    let words_per_group = size * weight.bits.count() as usize / 32;
    for group in 0..groups {
        // SAFETY: the row is one of the weight's, which has `groups` groups in each row.
        unsafe {
            let at = row * groups + group;
            let words = weight.words.view::<u32>().at(at * words_per_group);
            let (scale, bias) = (value(&weight.scales, at), value(&weight.biases, at));
            let y = y.add(group * size);
            match weight.bits {
                Bits::B4 => group_4(level, words, words_per_group, scale, bias, y),
                Bits::B6 => group_6(level, words, size / 4, scale, bias, y),
                Bits::B8 => group_8(level, words, words_per_group, scale, bias, y),
            }
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

vectorised! {
    unsafe fn group_4(words: *const u32, count: usize, scale: f32, bias: f32, y: *mut f32) {
        for i in 0..count {
            let word = words.add(i).read();
            let weights: [f32; 8] = std::array::from_fn(|j| scale * (word >> (4 * j) & 0xF) as f32 + bias);
            y.cast::<[f32; 8]>().add(i).write(weights);
        }
    }
}

vectorised! {
    unsafe fn group_6(words: *const u32, count: usize, scale: f32, bias: f32, y: *mut f32) {
        for i in 0..count {
            let weights = spread_6(words, i).to_le_bytes().map(|q| scale * f32::from(q) + bias);
            y.cast::<[f32; 4]>().add(i).write(weights);
        }
    }
}

vectorised! {
    unsafe fn group_8(words: *const u32, count: usize, scale: f32, bias: f32, y: *mut f32) {
        for i in 0..count {
            let weights = words.add(i).read().to_le_bytes().map(|q| scale * f32::from(q) + bias);
            y.cast::<[f32; 4]>().add(i).write(weights);
        }
    }
}
