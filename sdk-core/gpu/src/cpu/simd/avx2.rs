//! AVX2 with FMA and F16C.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _MM_HINT_T0, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_loadl_epi64,
    _mm_loadu_ps, _mm_loadu_si128, _mm_movehl_ps, _mm_prefetch, _mm_shuffle_ps, _mm256_add_epi32,
    _mm256_add_ps, _mm256_and_si256, _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_castsi256_ps,
    _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32, _mm256_cvtepu16_epi32, _mm256_cvtph_ps, _mm256_extractf128_ps,
    _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maskload_epi32,
    _mm256_mul_ps, _mm256_or_si256, _mm256_permutevar8x32_epi32, _mm256_permutevar8x32_ps, _mm256_set1_epi32,
    _mm256_set1_ps, _mm256_setr_epi8, _mm256_setr_epi32, _mm256_setzero_ps, _mm256_shuffle_epi8,
    _mm256_slli_epi32, _mm256_srli_epi32, _mm256_srlv_epi32, _mm256_storeu_ps, _mm256_storeu_si256,
};

use super::quantised::{BitsOf, Row};

/// How many words ahead weights are asked for: memory answers late. The best of what was tried.
const AHEAD: usize = 512;

/// # Safety
/// `k` elements are readable at `x` and `w`, and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn dot_f32(x: *const f32, w: *const f32, k: usize) -> f32 {
    // SAFETY: `dot` asks for whole vectors below `k` only.
    unsafe { dot(x, k, |i| _mm256_loadu_ps(w.add(i)), |i| w.add(i).read()) }
}

/// # Safety
/// As [`dot_f32`].
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn dot_f16(x: *const f32, w: *const half::f16, k: usize) -> f32 {
    // SAFETY: as in `dot_f32`.
    unsafe { dot(x, k, |i| _mm256_cvtph_ps(load_128(w.add(i))), |i| w.add(i).read().to_f32()) }
}

/// # Safety
/// As [`dot_f32`].
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn dot_bf16(x: *const f32, w: *const half::bf16, k: usize) -> f32 {
    // SAFETY: as in `dot_f32`.
    unsafe {
        let widen = |bits| _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(bits)));
        dot(x, k, |i| widen(load_128(w.add(i))), |i| w.add(i).read().to_f32())
    }
}

/// Eight weights as f32.
pub(super) trait Eight: super::dense::DenseWeight {
    /// # Safety
    /// Eight are readable, and the machine has the instructions.
    unsafe fn eight(from: *const Self) -> __m256;
}

impl Eight for f32 {
    #[inline(always)]
    unsafe fn eight(from: *const Self) -> __m256 {
        // SAFETY: the caller's promise.
        unsafe { _mm256_loadu_ps(from) }
    }
}

impl Eight for half::f16 {
    #[inline(always)]
    unsafe fn eight(from: *const Self) -> __m256 {
        // SAFETY: the caller's promise.
        unsafe { _mm256_cvtph_ps(_mm_loadu_si128(from.cast())) }
    }
}

impl Eight for half::bf16 {
    #[inline(always)]
    unsafe fn eight(from: *const Self) -> __m256 {
        // SAFETY: the caller's promise.
        unsafe {
            let bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast()));
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(bits))
        }
    }
}

macro_rules! prepare_of {
    ($name:ident, $type:ty) => {
        /// See [`super::dense::Prepare`].
        ///
        /// # Safety
        /// Its promise, and the machine has the instructions.
        #[target_feature(enable = "avx2,fma,f16c")]
        pub(super) unsafe fn $name(
            weights: [*const $type; 2],
            activations: [*const f32; 2],
            coefficients: *mut f32,
            groups: usize,
        ) -> f32 {
            // SAFETY: the caller's promise.
            unsafe { prepare(weights, activations, coefficients, groups) }
        }
    };
}
prepare_of!(prepare_f32, f32);
prepare_of!(prepare_f16, half::f16);
prepare_of!(prepare_bf16, half::bf16);

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn prepare<W: Eight>(
    [scales, biases]: [*const W; 2],
    [units, sums]: [*const f32; 2],
    coefficients: *mut f32,
    groups: usize,
) -> f32 {
    let mut biased = _mm256_setzero_ps();
    let mut group = 0;
    // SAFETY: all indices stay below `groups`.
    unsafe {
        while group + 8 <= groups {
            let made = _mm256_mul_ps(W::eight(scales.add(group)), _mm256_loadu_ps(units.add(group)));
            _mm256_storeu_ps(coefficients.add(group), made);
            biased = _mm256_fmadd_ps(W::eight(biases.add(group)), _mm256_loadu_ps(sums.add(group)), biased);
            group += 8;
        }
        let mut total = horizontal(biased);
        while group < groups {
            coefficients.add(group).write(scales.add(group).read().widened() * units.add(group).read());
            total = biases.add(group).read().widened().mul_add(sums.add(group).read(), total);
            group += 1;
        }
        total
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn load_128<T>(from: *const T) -> __m128i {
    // SAFETY: the caller's promise that 16 bytes are readable.
    unsafe { _mm_loadu_si128(from.cast()) }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn dot(x: *const f32, k: usize, vector: impl Fn(usize) -> __m256, one: impl Fn(usize) -> f32) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 4];
    let mut i = 0;
    // SAFETY: all indices stay below `k`, which the caller promised to be readable.
    unsafe {
        while i + 32 <= k {
            for (part, sum) in sums.iter_mut().enumerate() {
                let at = i + 8 * part;
                *sum = _mm256_fmadd_ps(_mm256_loadu_ps(x.add(at)), vector(at), *sum);
            }
            i += 32;
        }
        while i + 8 <= k {
            sums[0] = _mm256_fmadd_ps(_mm256_loadu_ps(x.add(i)), vector(i), sums[0]);
            i += 8;
        }
        let mut total =
            horizontal(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
        while i < k {
            total = x.add(i).read().mul_add(one(i), total);
            i += 1;
        }
        total
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn horizontal(v: __m256) -> f32 {
    let four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
}

/// Eight words at a time. See [`super::quantised`].
///
/// # Safety
/// As the function of the same name there, and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn dot_quantised<B: BitsOf>(row: &Row<'_>) -> f32 {
    const WORDS: usize = 8;
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    // Which of the block's groups each word belongs to: 4 words make the smallest group.
    let group_of_lane =
        if row.group_shift < 3 { _mm256_srli_epi32::<2>(lanes) } else { _mm256_set1_epi32(0) };
    let (mut even, mut odd) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    let mut word = 0;
    // SAFETY: words, planes and coefficients are read within the bounds that `Row` promises: whole vectors while
    // there are, the 4 words that may be left under a mask, and coefficients are padded by four.
    unsafe {
        while word + 2 * WORDS <= row.words {
            _mm_prefetch::<_MM_HINT_T0>(row.packed.wrapping_add(word + AHEAD).cast());
            even = block::<B>(row, word, WORDS, group_of_lane, even);
            odd = block::<B>(row, word + WORDS, WORDS, group_of_lane, odd);
            word += 2 * WORDS;
        }
        while word < row.words {
            even = block::<B>(row, word, row.words - word, group_of_lane, even);
            word += WORDS;
        }
    }
    horizontal(_mm256_add_ps(even, odd))
}

/// Adds one block of words to `sum`.
///
/// # Safety
/// Eight words, or four if `left` is below eight, are within the row from `word` on.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn block<B: BitsOf>(
    row: &Row<'_>,
    word: usize,
    left: usize,
    group_of_lane: __m256i,
    sum: __m256,
) -> __m256 {
    let mask = _mm256_set1_epi32(if B::FIELD == 4 { 0x000F_000F } else { 0x00FF_00FF });
    // SAFETY: the caller's promise; coefficients are padded by four.
    unsafe {
        let packed = if B::BITS == 6 {
            unpack_6(row.packed.add(word / 4 * 3))
        } else {
            load_words(row.packed.add(word), left)
        };
        let pairs = |shifted, j| {
            _mm256_madd_epi16(_mm256_and_si256(shifted, mask), load_words(row.plane(j).add(word), left))
        };
        let dots = if B::FIELD == 4 {
            let (a, b) = (pairs(packed, 0), pairs(_mm256_srli_epi32::<4>(packed), 1));
            let (c, d) =
                (pairs(_mm256_srli_epi32::<8>(packed), 2), pairs(_mm256_srli_epi32::<12>(packed), 3));
            _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d))
        } else {
            _mm256_add_epi32(pairs(packed, 0), pairs(_mm256_srli_epi32::<8>(packed), 1))
        };
        let coefficients = _mm_loadu_ps(row.coefficients.add(word >> row.group_shift));
        let coefficients = _mm256_permutevar8x32_ps(_mm256_castps128_ps256(coefficients), group_of_lane);
        _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots), coefficients, sum)
    }
}

/// # Safety
/// Eight words, or four if `left` is below eight, are readable.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn load_words(words: *const u32, left: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        if left >= 8 {
            _mm256_loadu_si256(words.cast())
        } else {
            _mm256_maskload_epi32(words.cast(), _mm256_setr_epi32(-1, -1, -1, -1, 0, 0, 0, 0))
        }
    }
}

/// 32 weights of 6 bits, six words, to one byte each.
///
/// # Safety
/// Six words are readable.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn unpack_6(packed: *const u32) -> __m256i {
    // SAFETY: the mask reads six words.
    let six =
        unsafe { _mm256_maskload_epi32(packed.cast(), _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0)) };
    // Twelve bytes to each half, then three of them to each word.
    let halves = _mm256_permutevar8x32_epi32(six, _mm256_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5));
    #[rustfmt::skip]
    let spread = _mm256_setr_epi8(
        0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
        0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
    );
    let v = _mm256_shuffle_epi8(halves, spread);
    let a = _mm256_and_si256(v, _mm256_set1_epi32(0x3F));
    let b = _mm256_and_si256(_mm256_slli_epi32::<2>(v), _mm256_set1_epi32(0x3F00));
    let c = _mm256_and_si256(_mm256_slli_epi32::<4>(v), _mm256_set1_epi32(0x003F_0000));
    let d = _mm256_and_si256(_mm256_slli_epi32::<6>(v), _mm256_set1_epi32(0x3F00_0000));
    _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d))
}

/// Weights as f32. See [`super::quantised`].
///
/// # Safety
/// As the function of the same name there, and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn unpack<B: BitsOf>(words: *const u32, n: usize, scale: f32, bias: f32, y: *mut f32) {
    let (scale, bias) = (_mm256_set1_ps(scale), _mm256_set1_ps(bias));
    let shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    let mut spread = [0u8; 32];
    for start in (0..n).step_by(8) {
        // SAFETY: `start .. start + 8` are among the `n` weights, a multiple of 32.
        unsafe {
            let q = match B::BITS {
                4 => {
                    let word = _mm256_set1_epi32(words.add(start / 8).read() as i32);
                    _mm256_and_si256(_mm256_srlv_epi32(word, shifts), _mm256_set1_epi32(0xF))
                }
                6 => {
                    if start % 32 == 0 {
                        _mm256_storeu_si256(spread.as_mut_ptr().cast(), unpack_6(words.add(start / 32 * 6)));
                    }
                    _mm256_cvtepu8_epi32(_mm_loadl_epi64(spread.as_ptr().add(start % 32).cast()))
                }
                _ => _mm256_cvtepu8_epi32(_mm_loadl_epi64(words.add(start / 4).cast())),
            };
            let weights = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(q), scale), bias);
            _mm256_storeu_ps(y.add(start), weights);
        }
    }
}

/// Halves as f32.
///
/// # Safety
/// `n` elements are readable at `w` and writable at `y`, without overlap, and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn f16_to_f32(w: *const u16, y: *mut f32, n: usize) {
    let whole = n - n % 8;
    // SAFETY: indices stay below `n`.
    unsafe {
        for i in (0..whole).step_by(8) {
            _mm256_storeu_ps(y.add(i), _mm256_cvtph_ps(load_128(w.add(i))));
        }
        for i in whole..n {
            y.add(i).write(half::f16::from_bits(w.add(i).read()).to_f32());
        }
    }
}
