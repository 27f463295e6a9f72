//! `fill` and `copy`: the only kernels that write 16-bit elements, two to a word.

use half::{bf16, f16};

use super::{
    Dispatch, Profile,
    bind::{bind, chunks},
    kernels, variants,
};
use crate::{DType, Result, Tensor};

/// Every element of `y` becomes `value`, rounded to the nearest of its type.
pub(super) fn fill(y: &Tensor, value: f32, profile: &Profile) -> Result<Vec<Dispatch>> {
    let kernel = kernels::FILL;
    let pattern = match y.dtype() {
        DType::F32 => value.to_bits(),
        DType::U32 => value as u32,
        DType::F16 => twice(f16::from_f32(value).to_bits()),
        DType::Bf16 => twice(bf16::from_f32(value).to_bits()),
    };
    let n = y.shape().elements();
    let per_word = 4 / y.dtype().bytes();
    let parts = chunks(n.div_ceil(per_word), profile.capacity_of("fill: a word", 4)?).map(|words| {
        let elements = words.start * per_word..(words.end * per_word).min(n);
        let odd = (elements.end % per_word) as u32;
        let y = bind(y, elements, profile);
        let words = words.end - words.start;
        let params = vec![words as u32, odd, pattern, y.words];
        Dispatch::new(kernel, [y], params, profile.strided(words, kernel.workgroup[0]))
    });
    Ok(parts.collect())
}

fn twice(half: u16) -> u32 {
    u32::from(half) << 16 | u32::from(half)
}

/// `y = x` in `y`'s type.
pub(super) fn copy(x: &Tensor, y: &Tensor, profile: &Profile) -> Result<Vec<Dispatch>> {
    let kernel = variants::copy(x.dtype(), y.dtype())?;
    let n = y.shape().elements();
    // The kernel's "pair" is one word where the types are equal.
    let (pair, bytes) = if x.dtype() == y.dtype() {
        (4 / x.dtype().bytes(), 4)
    } else {
        (2, 2 * x.dtype().bytes().max(y.dtype().bytes()))
    };
    let parts =
        chunks(n.div_ceil(pair), profile.capacity_of("copy: a pair of elements", bytes)?).map(|pairs| {
            let elements = pairs.start * pair..(pairs.end * pair).min(n);
            let odd = (elements.end % pair) as u32;
            let (x, y) = (bind(x, elements.clone(), profile), bind(y, elements, profile));
            let pairs = pairs.end - pairs.start;
            let params = vec![pairs as u32, odd, x.words, y.words];
            Dispatch::new(kernel, [x, y], params, profile.strided(pairs, kernel.workgroup[0]))
        });
    Ok(parts.collect())
}
