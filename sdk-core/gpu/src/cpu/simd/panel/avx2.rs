//! Panels with AVX2 and FMA.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_broadcast_ss, _mm256_castps_si256,
    _mm256_cvtepi32_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_mul_ps, _mm256_permute2x128_si256, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_srli_epi32,
    _mm256_storeu_ps, _mm256_storeu_si256, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use super::{Activations, Panel, PanelKernels, ROWS, Words};
use crate::cpu::simd::{
    ask_for,
    avx2::{Eight, load_words, unpack_6},
    quantised::BitsOf,
};

/// Words of a vector.
const WORDS: usize = 8;

/// All kernels for a width of weights.
pub(super) fn kernels<B: BitsOf>() -> PanelKernels {
    PanelKernels { unpack: unpack::<B>, multiply, multiply_words: multiply_words::<B> }
}

/// # Safety
/// The promise of [`PanelKernels::unpack`], and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn unpack<B: BitsOf>(words: &Words<'_>, pairs: *mut u32) {
    let per_word = 16 / B::FIELD as usize;
    for first in (0..words.count).step_by(WORDS) {
        let count = WORDS.min(words.count - first);
        for half in 0..ROWS / WORDS {
            // SAFETY: words are read within the rows; pairs are written for the words that there are.
            unsafe {
                let block = columns_of::<B>(words, first, half);
                for (word, fields) in block.into_iter().enumerate().take(count) {
                    let to = pairs.add((first + word) * per_word * ROWS + half * WORDS);
                    for (j, pairs) in apart::<B>(fields).into_iter().enumerate().take(per_word) {
                        _mm256_storeu_si256(to.add(j * ROWS).cast(), pairs);
                    }
                }
            }
        }
    }
}

/// Eight words of eight rows, those that there are: each vector has one of each row.
///
/// # Safety
/// Four words at least are within the rows from `first` on.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn columns_of<B: BitsOf>(words: &Words<'_>, first: usize, half: usize) -> [__m256i; WORDS] {
    let mut block = [_mm256_setzero_si256(); WORDS];
    for (block, row) in block.iter_mut().zip(&words.rows[half * WORDS..]) {
        // SAFETY: the caller's promise.
        unsafe {
            let at = row.add(if B::BITS == 6 { first / 4 * 3 } else { first });
            ask_for(at.wrapping_byte_add(words.ahead));
            *block = if B::BITS == 6 { unpack_6(at) } else { load_words(at, words.count - first) };
        }
    }
    transposed(block)
}

/// The pairs of a word: four of 4-bit weights, else two.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn apart<B: BitsOf>(fields: __m256i) -> [__m256i; 4] {
    if B::FIELD == 4 {
        let mask = _mm256_set1_epi32(0x000F_000F);
        [
            _mm256_and_si256(fields, mask),
            _mm256_and_si256(_mm256_srli_epi32::<4>(fields), mask),
            _mm256_and_si256(_mm256_srli_epi32::<8>(fields), mask),
            _mm256_and_si256(_mm256_srli_epi32::<12>(fields), mask),
        ]
    } else {
        let mask = _mm256_set1_epi32(0x00FF_00FF);
        let (a, b) = (_mm256_and_si256(fields, mask), _mm256_and_si256(_mm256_srli_epi32::<8>(fields), mask));
        [a, b, a, b]
    }
}

/// Rows to columns.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn transposed([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
    let twos = [(a, b), (c, d), (e, f), (g, h)]
        .map(|(a, b)| (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)));
    let fours = |(low, high): (__m256i, __m256i), (low_2, high_2): (__m256i, __m256i)| {
        [
            _mm256_unpacklo_epi64(low, low_2),
            _mm256_unpackhi_epi64(low, low_2),
            _mm256_unpacklo_epi64(high, high_2),
            _mm256_unpackhi_epi64(high, high_2),
        ]
    };
    let [t, u, v, w] = fours(twos[0], twos[1]);
    let [p, q, r, s] = fours(twos[2], twos[3]);
    let low = |a, b| _mm256_permute2x128_si256::<0x20>(a, b);
    let high = |a, b| _mm256_permute2x128_si256::<0x31>(a, b);
    [low(t, p), low(u, q), low(v, r), low(w, s), high(t, p), high(u, q), high(v, r), high(w, s)]
}

/// # Safety
/// The promise of [`PanelKernels::multiply`], and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn multiply(panel: &Panel, activations: &Activations, count: usize, sums: *mut f32) {
    // SAFETY: the caller's promise; `count` is 1 to 6.
    unsafe {
        match count {
            1 => tile::<1>(panel, activations, sums),
            2 => tile::<2>(panel, activations, sums),
            3 => tile::<3>(panel, activations, sums),
            4 => tile::<4>(panel, activations, sums),
            5 => tile::<5>(panel, activations, sums),
            _ => tile::<6>(panel, activations, sums),
        }
    }
}

/// # Safety
/// As [`multiply`], with `N` rows of activations.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn tile<const N: usize>(panel: &Panel, activations: &Activations, sums: *mut f32) {
    let mut pairs = panel.pairs;
    let mut x = activations.pairs;
    for group in 0..panel.groups {
        let mut exact = [[_mm256_setzero_si256(); 2]; N];
        // SAFETY: the pairs of this group, and its scales, biases, units and sums, are where the sizes say.
        unsafe {
            for _ in 0..panel.pairs_per_group {
                let low = _mm256_loadu_si256(pairs.cast());
                let high = _mm256_loadu_si256(pairs.add(WORDS).cast());
                for (i, exact) in exact.iter_mut().enumerate() {
                    let x = _mm256_set1_epi32(x.add(i * activations.pairs_per_row).read().cast_signed());
                    exact[0] = _mm256_add_epi32(exact[0], _mm256_madd_epi16(low, x));
                    exact[1] = _mm256_add_epi32(exact[1], _mm256_madd_epi16(high, x));
                }
                pairs = pairs.add(ROWS);
                x = x.add(1);
            }
            for half in 0..2 {
                add(panel, activations, group, half, &exact.map(|exact| exact[half]), sums);
            }
        }
    }
}

/// # Safety
/// The promise of [`PanelKernels::multiply_words`], and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn multiply_words<B: BitsOf>(
    words: &Words<'_>,
    panel: &Panel,
    activations: &Activations,
    count: usize,
    sums: *mut f32,
) {
    // SAFETY: the caller's promise; `count` is 1 to 4.
    unsafe {
        match count {
            1 => words_tile::<B, 1>(words, panel, activations, sums),
            2 => words_tile::<B, 2>(words, panel, activations, sums),
            3 => words_tile::<B, 3>(words, panel, activations, sums),
            _ => words_tile::<B, 4>(words, panel, activations, sums),
        }
    }
}

/// # Safety
/// As [`multiply_words`], with `N` rows of activations.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn words_tile<B: BitsOf, const N: usize>(
    words: &Words<'_>,
    panel: &Panel,
    activations: &Activations,
    sums: *mut f32,
) {
    let per_word = 16 / B::FIELD as usize;
    let words_per_group = panel.pairs_per_group / per_word;
    let rows: [*const u32; N] =
        std::array::from_fn(|i| activations.pairs.wrapping_add(i * activations.pairs_per_row));
    let (mut exact, mut group) = ([[_mm256_setzero_si256(); 2]; N], 0);
    for first in (0..words.count).step_by(WORDS) {
        // SAFETY: words are read within the rows, and pairs of activations for those that there are.
        unsafe {
            let (low, high) = (columns_of::<B>(words, first, 0), columns_of::<B>(words, first, 1));
            // Groups end with every fourth word at the earliest.
            for quarter in 0..(words.count - first).min(WORDS) / 4 {
                for word in 4 * quarter..4 * quarter + 4 {
                    let (low, high) = (apart::<B>(low[word]), apart::<B>(high[word]));
                    for j in 0..per_word {
                        for (row, exact) in rows.iter().zip(&mut exact) {
                            let x = row.add((first + word) * per_word + j).read().cast_signed();
                            let x = _mm256_set1_epi32(x);
                            exact[0] = _mm256_add_epi32(exact[0], _mm256_madd_epi16(low[j], x));
                            exact[1] = _mm256_add_epi32(exact[1], _mm256_madd_epi16(high[j], x));
                        }
                    }
                }
                if (first + 4 * quarter + 4) % words_per_group == 0 {
                    for half in 0..2 {
                        add(panel, activations, group, half, &exact.map(|exact| exact[half]), sums);
                    }
                    (exact, group) = ([[_mm256_setzero_si256(); 2]; N], group + 1);
                }
            }
        }
    }
}

/// Adds what a group gave for eight rows of weights and `N` of activations.
///
/// # Safety
/// The group's scales, biases, units and sums are where the sizes say.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn add<const N: usize>(
    panel: &Panel,
    activations: &Activations,
    group: usize,
    half: usize,
    exact: &[__m256i; N],
    sums: *mut f32,
) {
    let lanes = group * ROWS + half * WORDS;
    for (i, exact) in exact.iter().enumerate() {
        let at = i * activations.groups_per_row + group;
        // SAFETY: the caller's promise.
        unsafe {
            let unit = _mm256_broadcast_ss(&*activations.units.add(at));
            let sum = _mm256_broadcast_ss(&*activations.sums.add(at));
            let to = sums.add(i * ROWS + half * WORDS);
            let scale = _mm256_mul_ps(_mm256_loadu_ps(panel.scales.add(lanes)), unit);
            let total = _mm256_fmadd_ps(_mm256_cvtepi32_ps(*exact), scale, _mm256_loadu_ps(to));
            let total = _mm256_fmadd_ps(_mm256_loadu_ps(panel.biases.add(lanes)), sum, total);
            _mm256_storeu_ps(to, total);
        }
    }
}

macro_rules! columns_of_type {
    ($name:ident, $type:ty) => {
        /// See [`crate::cpu::simd::dense::Columns`].
        ///
        /// # Safety
        /// Its promise, and the machine has the instructions.
        #[target_feature(enable = "avx2,fma,f16c")]
        pub(in crate::cpu::simd) unsafe fn $name(rows: &[*const $type; ROWS], count: usize, to: *mut f32) {
            // SAFETY: the caller's promise.
            unsafe { columns(rows, count, to) }
        }
    };
}
columns_of_type!(columns_f32, f32);
columns_of_type!(columns_f16, half::f16);
columns_of_type!(columns_bf16, half::bf16);

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn columns<W: Eight>(rows: &[*const W; ROWS], count: usize, to: *mut f32) {
    let whole = count - count % WORDS;
    // SAFETY: indices stay below `count`.
    unsafe {
        for first in (0..whole).step_by(WORDS) {
            for half in 0..ROWS / WORDS {
                let block: [__m256i; WORDS] =
                    std::array::from_fn(|i| _mm256_castps_si256(W::eight(rows[half * WORDS + i].add(first))));
                for (column, values) in transposed(block).into_iter().enumerate() {
                    _mm256_storeu_si256(to.add((first + column) * ROWS + half * WORDS).cast(), values);
                }
            }
        }
        for column in whole..count {
            for (row, from) in rows.iter().enumerate() {
                to.add(column * ROWS + row).write(from.add(column).read().widened());
            }
        }
    }
}
