//! `y = W x` for MLX affine weights: 4, 6 or 8 bits. How, and how exact, is told in [`crate::cpu::simd::quantised`].
//!
//! Takes a few rows of activations as well: each row of weights then meets all of them while it is in the cache.
//! An activation that is not finite makes all results of its row NaN; a group whose activations are all below
//! 2^-100 counts as zeros.

use half::{bf16, f16};

use super::split::{parts, scratch};
use crate::{
    Bits, DType, Quantised, Result,
    cpu::{
        simd::{
            Level,
            dense::DenseWeight,
            quantised::{self, LARGEST, Order, Row},
            vectorised,
        },
        team,
        view::View,
    },
    op::HostTensor,
};

/// Coefficients that the vectors may read beyond the last.
const PADDING: usize = 16;

/// # Safety
/// The contract of [`super`].
pub(in crate::cpu) unsafe fn matvec_q(
    level: Level,
    x: &HostTensor,
    weight: &Quantised<HostTensor>,
    y: &HostTensor,
) -> Result<()> {
    // SAFETY: the type is the scales'.
    unsafe {
        match weight.scales.dtype {
            DType::F16 => rows::<f16>(level, x, weight, y),
            DType::Bf16 => rows::<bf16>(level, x, weight, y),
            DType::F32 | DType::U32 => rows::<f32>(level, x, weight, y),
        }
    }
}

unsafe fn rows<S: DenseWeight>(
    level: Level,
    x: &HostTensor,
    weight: &Quantised<HostTensor>,
    y: &HostTensor,
) -> Result<()> {
    let (m, k, n) = (x.rows(), x.columns(), weight.words.rows());
    let groups = weight.scales.columns();
    let packed_words = weight.words.columns();
    let activations: Vec<Activations> = (0..m)
        // SAFETY: row `i` is one of `x`.
        .map(|i| unsafe { Activations::of(level, x.view::<f32>().at(i * k), k, weight) })
        .collect::<Result<_>>()?;
    let dot = quantised::dot(level, weight.bits);
    let dot_biases = S::dot(level);
    let (words, y) = (weight.words.view::<u32>(), y.view::<f32>());
    let (scales, biases) = (weight.scales.view::<S>(), weight.biases.view::<S>());

    let parts = parts(n, m * 4 * packed_words);
    let per_part = n.div_ceil(parts);
    let room = 2 * (groups + PADDING);
    let mut memory = scratch::<f32>(parts * room)?;
    let memory = View::of(&mut memory);
    team::share(n.div_ceil(per_part), &|part| {
        // SAFETY: each part has `room` of its own, and rows of `y` of its own; rows are within the weight.
        unsafe {
            let scales_f32 = memory.at(part * room);
            let coefficients = scales_f32.add(groups + PADDING);
            for row in part * per_part..n.min((part + 1) * per_part) {
                S::to_f32(level, scales.at(row * groups), scales_f32, groups);
                for (i, activations) in activations.iter().enumerate() {
                    multiply(level, scales_f32, activations.units.as_ptr(), coefficients, groups);
                    let row_of_words = Row {
                        packed: words.at(row * packed_words),
                        words: activations.words,
                        group_shift: (activations.words / groups).trailing_zeros(),
                        planes: &activations.planes,
                        integer_sums: &activations.integer_sums,
                        coefficients,
                    };
                    let biased = dot_biases(activations.sums.as_ptr(), biases.at(row * groups), groups);
                    y.at(i * n + row).write(dot(&row_of_words) + biased);
                }
            }
        }
    });
    Ok(())
}

vectorised! {
    unsafe fn multiply(a: *const f32, b: *const f32, y: *mut f32, n: usize) {
        crate::cpu::simd::lanes::zip(a, b, y, n, |a, b| a * b);
    }
}

/// One row of activations as integers, in the order that the kernels want.
struct Activations {
    planes: Vec<u32>,
    /// Words of unpacked fields in a row of weights.
    words: usize,
    /// What the integer 1 stands for, by group.
    units: Vec<f32>,
    integer_sums: Vec<i32>,
    /// The sum of the rounded activations, by group.
    sums: Vec<f32>,
}

impl Activations {
    /// # Safety
    /// `k` elements are readable at `x`, the columns of `weight`.
    unsafe fn of(level: Level, x: *const f32, k: usize, weight: &Quantised<HostTensor>) -> Result<Self> {
        let size = weight.group.size() as usize;
        let groups = k / size;
        let mut integers = scratch::<i16>(k)?;
        let (mut units, mut integer_sums) = (scratch::<f32>(groups)?, scratch::<i32>(groups)?);
        for (group, integers) in integers.chunks_exact_mut(size).enumerate() {
            // SAFETY: the group is within `x`.
            let (unit, sum) = unsafe { round(level, x.add(group * size), integers.as_mut_ptr(), size) };
            units[group] = unit;
            integer_sums[group] = sum;
        }
        let mut sums = scratch::<f32>(groups)?;
        for (sum, (unit, integers)) in sums.iter_mut().zip(units.iter().zip(&integer_sums)) {
            *sum = unit * *integers as f32;
        }
        let mut planes = scratch::<u32>(k / 2)?;
        let words = match (Order::of(level), weight.bits) {
            (Order::Pairs, Bits::B4) => {
                in_planes(&integers, &mut planes, |word: &[i16; 8], j| pair(word[j], word[j + 4]))
            }
            (Order::Pairs, _) => {
                in_planes(&integers, &mut planes, |word: &[i16; 4], j| pair(word[j], word[j + 2]))
            }
            (Order::Bytes, Bits::B4) => in_planes(&integers, &mut planes, |word: &[i16; 8], j| {
                bytes([word[j % 2], word[j % 2 + 2], word[j % 2 + 4], word[j % 2 + 6]], j < 2)
            }),
            (Order::Bytes, _) => in_planes(&integers, &mut planes, |word: &[i16; 4], j| bytes(*word, j < 1)),
        };
        Ok(Self { planes, words, units, integer_sums, sums })
    }
}

vectorised! {
    /// Rounds a group to integers. Returns the unit and the sum of the integers.
    unsafe fn round(x: *const f32, integers: *mut i16, n: usize) -> (f32, i32) {
        let largest = f32::from(LARGEST);
        const TINY: f32 = f32::from_bits((127 - 100) << 23);
        // As integers, magnitudes order as they do as floats, and NaN is above infinity.
        let mut top = 0;
        for i in 0..n {
            top = top.max(x.add(i).read().to_bits() & 0x7FFF_FFFF);
        }
        let top = f32::from_bits(top);
        if !top.is_finite() {
            std::ptr::write_bytes(integers, 0, n);
            return (f32::NAN, 0);
        }
        let (unit, inverse) = if top < TINY { (0.0, 0.0) } else { (top / largest, largest / top) };
        let mut sum = 0;
        for i in 0..n {
            let scaled = x.add(i).read() * inverse;
            // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
            let integer = (scaled + 12_582_912.0).to_bits() as i16;
            integers.add(i).write(integer);
            sum += i32::from(integer);
        }
        (unit, sum)
    }
}

/// Lays activations out in planes for words of `FIELDS` weights, and returns the number of words.
#[inline(always)]
fn in_planes<const FIELDS: usize>(
    integers: &[i16],
    planes: &mut [u32],
    pack: impl Fn(&[i16; FIELDS], usize) -> u32,
) -> usize {
    let words = integers.len() / FIELDS;
    for (j, plane) in planes.chunks_exact_mut(words).enumerate() {
        for (packed, word) in plane.iter_mut().zip(integers.as_chunks::<FIELDS>().0) {
            *packed = pack(word, j);
        }
    }
    words
}

/// [`Order::Pairs`].
fn pair(low: i16, high: i16) -> u32 {
    u32::from(low as u16) | u32::from(high as u16) << 16
}

/// [`Order::Bytes`]: the upper or lower bytes of four integers.
fn bytes(integers: [i16; 4], upper: bool) -> u32 {
    u32::from_le_bytes(integers.map(|i| {
        let lower = i as i8;
        if upper { ((i - i16::from(lower)) >> 8) as u8 } else { lower as u8 }
    }))
}
