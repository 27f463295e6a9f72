//! Activations rounded to integers, in the order that the quantised kernels want.

use super::{
    Level,
    quantised::{LARGEST, Order},
    vectorised,
};
use crate::{Bits, Group, Result, cpu::scratch::scratch};

/// A group whose activations are all smaller than this, 2^-100, counts as zeros.
const TINY: f32 = f32::from_bits((127 - 100) << 23);

/// One row of activations as integers.
pub(crate) struct Activations {
    /// See [`Order`].
    pub(crate) planes: Vec<u32>,
    /// Words of unpacked fields in a row of weights.
    pub(crate) words: usize,
    /// What the integer 1 stands for, by group.
    pub(crate) units: Vec<f32>,
    /// The sum of the rounded activations, by group.
    pub(crate) sums: Vec<f32>,
}

impl Activations {
    /// Rounds `k` activations, a multiple of the group's size.
    ///
    /// # Safety
    /// `k` elements are readable at `x`, and the machine has `level`.
    pub(crate) unsafe fn of(level: Level, x: *const f32, k: usize, bits: Bits, group: Group) -> Result<Self> {
        let size = group.size() as usize;
        let groups = k / size;
        let mut integers = scratch::<i16>(k)?;
        let (mut units, mut sums) = (scratch::<f32>(groups)?, scratch::<f32>(groups)?);
        // SAFETY: there is room for `k` integers, and for a unit and a sum of each group.
        unsafe {
            round(level, x, groups, size, integers.as_mut_ptr(), units.as_mut_ptr(), sums.as_mut_ptr());
        };
        let mut planes = scratch::<u32>(k / 2)?;
        let words = if bits == Bits::B4 { k / 8 } else { k / 4 };
        // SAFETY: integers and planes are two bytes for each of `k` activations, which `words` words make up.
        unsafe {
            let (from, to) = (integers.as_ptr(), planes.as_mut_ptr());
            match (Order::of(level), bits) {
                (Order::Pairs, Bits::B4) => pairs_of_eight(level, from, to, words),
                (Order::Pairs, _) => pairs_of_four(level, from, to, words),
                (Order::Bytes, Bits::B4) => bytes_of_eight(level, from, to, words),
                (Order::Bytes, _) => bytes_of_four(level, from, to, words),
            }
        }
        Ok(Self { planes, words, units, sums })
    }
}

/// Where a row of activations goes for [`super::panel`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct PairedRow {
    /// The integers in pairs, as the words of weights give them. 4-bit weights: (0, 4), (1, 5), (2, 6), (3, 7) of each
    /// eight; others: (0, 2), (1, 3) of each four.
    pub(crate) pairs: *mut u32,
    /// As in [`Activations`].
    pub(crate) units: *mut f32,
    /// As in [`Activations`].
    pub(crate) sums: *mut f32,
}

#[cfg(target_arch = "x86_64")]
impl PairedRow {
    /// Rounds `k` activations, a multiple of the group's size, by way of `integers`.
    ///
    /// # Safety
    /// `k` elements are readable at `x` and writable at `integers`, there is room for as many in pairs and for a unit and
    /// a sum of each group, and the machine has `level`.
    pub(crate) unsafe fn fill(
        self,
        level: Level,
        x: *const f32,
        k: usize,
        (bits, group): (Bits, Group),
        integers: *mut i16,
    ) {
        let size = group.size() as usize;
        // SAFETY: the caller's promise.
        unsafe {
            round(level, x, k / size, size, integers, self.units, self.sums);
            if bits == Bits::B4 {
                paired_by_eight(level, integers, self.pairs, k / 8);
            } else {
                paired_by_four(level, integers, self.pairs, k / 4);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
vectorised! {
    /// # Safety
    /// `8 * words` integers are readable, and `4 * words` pairs writable.
    unsafe fn paired_by_eight(integers: *const i16, pairs: *mut u32, words: usize) {
        for word in 0..words {
            let [a, b, c, d, e, f, g, h] = integers.cast::<[i16; 8]>().add(word).read();
            pairs.cast::<[u32; 4]>().add(word).write([pair(a, e), pair(b, f), pair(c, g), pair(d, h)]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
vectorised! {
    /// # Safety
    /// `4 * words` integers are readable, and `2 * words` pairs writable.
    unsafe fn paired_by_four(integers: *const i16, pairs: *mut u32, words: usize) {
        for word in 0..words {
            let [a, b, c, d] = integers.cast::<[i16; 4]>().add(word).read();
            pairs.cast::<[u32; 2]>().add(word).write([pair(a, c), pair(b, d)]);
        }
    }
}

vectorised! {
    /// Rounds each group to integers, and notes its unit and its sum as rounded.
    ///
    /// # Safety
    /// `groups * size` elements are readable at `x` and writable at `integers`; `groups` are writable at `units` and
    /// `sums`.
    unsafe fn round(x: *const f32, groups: usize, size: usize, integers: *mut i16, units: *mut f32, sums: *mut f32) {
        for group in 0..groups {
            let x = std::slice::from_raw_parts(x.add(group * size), size);
            let integers = std::slice::from_raw_parts_mut(integers.add(group * size), size);
            // As integers, magnitudes order as they do as floats, and NaN is above infinity.
            let top = x.iter().fold(0, |top, x| (x.to_bits() & 0x7FFF_FFFF).max(top));
            let top = f32::from_bits(top);
            let (unit, inverse) = if !top.is_finite() {
                (f32::NAN, 0.0)
            } else if top < TINY {
                (0.0, 0.0)
            } else {
                (top / f32::from(LARGEST), f32::from(LARGEST) / top)
            };
            let mut sum = 0;
            for (integer, x) in integers.iter_mut().zip(x) {
                // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
                *integer = (x * inverse + 12_582_912.0).to_bits() as i16;
                sum += i32::from(*integer);
            }
            units.add(group).write(unit);
            sums.add(group).write(unit * sum as f32);
        }
    }
}

#[inline(always)]
fn pair(low: i16, high: i16) -> u32 {
    u32::from(low as u16) | u32::from(high as u16) << 16
}

vectorised! {
    /// [`Order::Pairs`] for words of eight weights.
    ///
    /// # Safety
    /// `8 * words` integers are readable, and 4 planes of `words` words writable.
    unsafe fn pairs_of_eight(integers: *const i16, planes: *mut u32, words: usize) {
        for word in 0..words {
            let [a, b, c, d, e, f, g, h] = integers.cast::<[i16; 8]>().add(word).read();
            planes.add(word).write(pair(a, e));
            planes.add(words + word).write(pair(b, f));
            planes.add(2 * words + word).write(pair(c, g));
            planes.add(3 * words + word).write(pair(d, h));
        }
    }
}

vectorised! {
    /// [`Order::Pairs`] for words of four weights.
    ///
    /// # Safety
    /// `4 * words` integers are readable, and 2 planes of `words` words writable.
    unsafe fn pairs_of_four(integers: *const i16, planes: *mut u32, words: usize) {
        for word in 0..words {
            let [a, b, c, d] = integers.cast::<[i16; 4]>().add(word).read();
            planes.add(word).write(pair(a, c));
            planes.add(words + word).write(pair(b, d));
        }
    }
}

/// The upper bytes of four integers, such that the lower ones, taken as signed, complete them.
#[inline(always)]
fn upper(four: [i16; 4]) -> u32 {
    u32::from_le_bytes(four.map(|i| ((i + 128) >> 8) as u8))
}

/// The lower bytes of four integers.
#[inline(always)]
fn lower(four: [i16; 4]) -> u32 {
    u32::from_le_bytes(four.map(|i| i as u8))
}

vectorised! {
    /// [`Order::Bytes`] for words of eight weights.
    ///
    /// # Safety
    /// `8 * words` integers are readable, and 4 planes of `words` words writable.
    unsafe fn bytes_of_eight(integers: *const i16, planes: *mut u32, words: usize) {
        for word in 0..words {
            let [a, b, c, d, e, f, g, h] = integers.cast::<[i16; 8]>().add(word).read();
            planes.add(word).write(upper([a, c, e, g]));
            planes.add(words + word).write(upper([b, d, f, h]));
            planes.add(2 * words + word).write(lower([a, c, e, g]));
            planes.add(3 * words + word).write(lower([b, d, f, h]));
        }
    }
}

vectorised! {
    /// [`Order::Bytes`] for words of four weights.
    ///
    /// # Safety
    /// `4 * words` integers are readable, and 2 planes of `words` words writable.
    unsafe fn bytes_of_four(integers: *const i16, planes: *mut u32, words: usize) {
        for word in 0..words {
            let four = integers.cast::<[i16; 4]>().add(word).read();
            planes.add(word).write(upper(four));
            planes.add(words + word).write(lower(four));
        }
    }
}
