//! The dot product of quantised activations with one row of MLX affine weights.
//!
//! A weight is `scale * q + bias` with one scale and bias a group. Activations are rounded once a call to 16-bit
//! integers, `x ≈ unit * i` with a unit for each group, so a group's part of the dot product is
//! `scale * unit * Σ q i + bias * unit * Σ i`, and `Σ q i` is exact in 32-bit integers:
//! 128 * 255 * [`LARGEST`] < 2^31. The rounding moves an activation by at most half a unit, `max|x| / 65278` of its
//! group, which is 128 times finer than bf16; a product with the weights moves by that times `Σ |w|`.
//!
//! Words are not unpacked to weights: a mask and a shift leave fields that the multiply-add instructions take as
//! they are, if the activations lie in the same order, in *planes*. There are two orders ([`Order`]). 6-bit weights
//! are spread to bytes first, and are 8-bit weights from there on.

use super::Level;
#[cfg(target_arch = "aarch64")]
use super::neon;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::Bits;

/// The integer that the largest activation of a group becomes: `127 * 256 + 127`, so that both bytes are signed.
pub(crate) const LARGEST: i16 = 32639;

/// How activations lie, by what multiplies them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// 16-bit pairs. `(word >> 4 j) & 0x000F000F` holds weights `j` and `j + 4` of a word; plane `j` has the same two
    /// of the activations, for each word. 8-bit weights: two planes of `(j, j + 2)`.
    Pairs,
    /// Bytes, for dot products of four. `(word >> 4 j) & 0x0F0F0F0F` holds weights `j`, `j + 2`, `j + 4`, `j + 6`;
    /// planes 0 and 1 have these of the activations' upper bytes, planes 2 and 3 of the lower ones, which are
    /// signed: `i = 256 * upper + lower`. 8-bit weights: one plane of each.
    Bytes,
}

impl Order {
    /// The order that the kernels of a level want.
    pub(crate) fn of(level: Level) -> Self {
        if level.has_dot_product() { Self::Bytes } else { Self::Pairs }
    }
}

/// One row of weights, and the activations that it meets.
pub(crate) struct Row<'a> {
    /// The packed weights.
    pub(crate) packed: *const u32,
    /// Words of unpacked fields: the packed words themselves, or for 6 bits the words of bytes spread from them.
    /// A multiple of 4; for 6 bits, of 8.
    pub(crate) words: usize,
    /// Words of a group, as a power of two: at least 2, for 4 words. Division would cost as much as a block.
    pub(crate) group_shift: u32,
    /// Activations, in the order that the level wants: each plane has four bytes for each word.
    pub(crate) planes: &'a [u32],
    /// `scale * unit` of each group, and four more that are read but not used.
    pub(crate) coefficients: *const f32,
}

impl Row<'_> {
    /// The start of a plane.
    #[inline(always)]
    pub(crate) fn plane(&self, j: usize) -> *const u32 {
        self.planes.as_ptr().wrapping_add(self.words * j)
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
        Level::Neon => neon::dot_quantised::<B>,
        #[cfg(target_arch = "aarch64")]
        Level::NeonDot => neon::dot_quantised_bytes::<B>,
    }
}

/// # Safety
/// The promise of [`DotQuantised`].
unsafe fn portable<B: BitsOf>(row: &Row<'_>) -> f32 {
    let mut total = 0.0;
    for group in 0..row.words >> row.group_shift {
        let mut sum = 0i32;
        for word in group << row.group_shift..(group + 1) << row.group_shift {
            // SAFETY: `word` is below `row.words`; planes have a pair for each word, and each group a coefficient.
            unsafe {
                let fields =
                    if B::BITS == 6 { spread_6(row.packed, word) } else { row.packed.add(word).read() };
                for j in 0..16 / B::FIELD {
                    let mask = (1 << B::FIELD) - 1;
                    let low = (fields >> (B::FIELD * j)) & mask;
                    let high = (fields >> (B::FIELD * j + 16)) & mask;
                    let pair = row.plane(j as usize).add(word).cast::<i16>();
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

/// Unpacks `n` weights, a multiple of 32, from `words` to `y`: `scale * q + bias`, rounded after each.
pub(crate) type Unpack = unsafe fn(words: *const u32, n: usize, scale: f32, bias: f32, y: *mut f32);

/// The unpacking for a level and width.
///
/// # Safety of the result
/// Words and `y` reach as far as `n` says, and the machine has the level.
pub(crate) fn unpack(level: Level, bits: Bits) -> Unpack {
    match bits {
        Bits::B4 => unpack_of::<Four>(level),
        Bits::B6 => unpack_of::<Six>(level),
        Bits::B8 => unpack_of::<Eight>(level),
    }
}

fn unpack_of<B: BitsOf>(level: Level) -> Unpack {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => avx2::unpack::<B>,
        _ => unpack_portable::<B>,
    }
}

/// # Safety
/// The words of `n` weights are readable, and `n` elements writable at `y`.
unsafe fn unpack_portable<B: BitsOf>(words: *const u32, n: usize, scale: f32, bias: f32, y: *mut f32) {
    let fields = 32 / B::FIELD as usize;
    for word in 0..n / fields {
        // SAFETY: `word` is one of those that hold `n` weights.
        unsafe {
            let packed = if B::BITS == 6 { spread_6(words, word) } else { words.add(word).read() };
            for j in 0..fields {
                let q = packed >> (j as u32 * B::FIELD) & ((1 << B::FIELD) - 1);
                y.add(word * fields + j).write(scale * (q as i32 as f32) + bias);
            }
        }
    }
}
