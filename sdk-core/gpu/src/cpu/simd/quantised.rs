//! The dot product of quantised activations with one row of MLX affine weights.
//!
//! A weight is `scale * q + bias` with one scale and bias a group. Activations are rounded once a call to 16-bit
//! integers, `x ≈ unit * i` with a unit for each group, so a group's part of the dot product is
//! `scale * unit * Σ q i + bias * unit * Σ i`, and `Σ q i` is exact in 32-bit integers:
//! 128 * 255 * 32767 < 2^31. The rounding moves an activation by at most `max|x| / 65534` of its group, which is
//! 128 times finer than bf16; a product with the weights moves by that times `Σ |w|`.
//!
//! Words are not unpacked to weights. `(word >> 4 j) & 0x000F000F` holds weights `j` and `j + 4` of the word in
//! 16-bit halves, ready for the multiply-add of pairs that every instruction set has, if the activations lie in
//! the same order: in *planes*, where plane `j` has the pair `(j, j + 4)` of each word. 8-bit weights have two
//! planes of `(j, j + 2)`; 6-bit weights are spread to bytes first.

use super::Level;
#[cfg(target_arch = "aarch64")]
use super::neon;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::Bits;

/// One row of weights, and the activations that it meets.
pub(crate) struct Row<'a> {
    /// The packed weights.
    pub(crate) packed: *const u32,
    /// Words of unpacked fields: the packed words themselves, or for 6 bits the words of bytes spread from them.
    /// A multiple of 4; for 6 bits, of 8.
    pub(crate) words: usize,
    /// Words of a group: a power of two, at least 4.
    pub(crate) words_per_group: usize,
    /// Activations: each plane has a pair for each word.
    pub(crate) planes: &'a [i16],
    /// `scale * unit` of each group, and four more that are read but not used.
    pub(crate) coefficients: *const f32,
}

impl Row<'_> {
    /// The start of a plane.
    #[inline(always)]
    pub(crate) fn plane(&self, j: usize) -> *const i16 {
        self.planes.as_ptr().wrapping_add(2 * self.words * j)
    }
}

/// A width of weights, as a type, so that each gets a loop of its own.
pub(crate) trait BitsOf: 'static {
    /// Bits of a weight.
    const BITS: u32;
    /// Bits of the field that a weight is in when the kernels meet it.
    const FIELD: u32;
}

/// 4 bits.
pub(crate) struct Four;
/// 6 bits, in fields of 8.
pub(crate) struct Six;
/// 8 bits.
pub(crate) struct Eight;

impl BitsOf for Four {
    const BITS: u32 = 4;
    const FIELD: u32 = 4;
}

impl BitsOf for Six {
    const BITS: u32 = 6;
    const FIELD: u32 = 8;
}

impl BitsOf for Eight {
    const BITS: u32 = 8;
    const FIELD: u32 = 8;
}

/// `Σ coefficient * Σ q i` over the groups of a row.
pub(crate) type DotQuantised = unsafe fn(row: &Row<'_>) -> f32;

/// The dot product for a level and width.
///
/// # Safety of the result
/// The row's pointers reach as far as its sizes say, and the machine has the level.
pub(crate) fn dot(level: Level, bits: Bits) -> DotQuantised {
    match bits {
        Bits::B4 => dot_of::<Four>(level),
        Bits::B6 => dot_of::<Six>(level),
        Bits::B8 => dot_of::<Eight>(level),
    }
}

fn dot_of<B: BitsOf>(level: Level) -> DotQuantised {
    match level {
        Level::Portable => portable::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::dot_quantised::<B>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::dot_quantised::<B>,
        #[cfg(target_arch = "aarch64")]
        Level::Neon | Level::NeonDot => neon::dot_quantised::<B>,
    }
}

unsafe fn portable<B: BitsOf>(row: &Row<'_>) -> f32 {
    let mut total = 0.0;
    for group in 0..row.words / row.words_per_group {
        let mut sum = 0i32;
        for word in group * row.words_per_group..(group + 1) * row.words_per_group {
            // SAFETY: `word` is below `row.words`; planes have a pair for each word, and each group a coefficient.
            unsafe {
                let fields =
                    if B::BITS == 6 { spread_6(row.packed, word) } else { row.packed.add(word).read() };
                for j in 0..16 / B::FIELD {
                    let mask = (1 << B::FIELD) - 1;
                    let low = (fields >> (B::FIELD * j)) & mask;
                    let high = (fields >> (B::FIELD * j + 16)) & mask;
                    let pair = row.plane(j as usize).add(2 * word);
                    sum += low as i32 * i32::from(pair.read()) + high as i32 * i32::from(pair.add(1).read());
                }
            }
        }
        // SAFETY: as above.
        total += unsafe { row.coefficients.add(group).read() } * sum as f32;
    }
    total
}

/// Weights `4 word ..` of a row of 6-bit weights, a byte each.
///
/// # Safety
/// The three bytes from `3 * word` on are readable.
#[inline(always)]
pub(crate) unsafe fn spread_6(packed: *const u32, word: usize) -> u32 {
    // SAFETY: the caller's promise.
    let [a, b, c] = unsafe { packed.cast::<[u8; 3]>().add(word).read() };
    let v = u32::from_le_bytes([a, b, c, 0]);
    (v & 0x3F) | (v << 2 & 0x3F00) | (v << 4 & 0x003F_0000) | (v << 6 & 0x3F00_0000)
}
