//! AVX-512 with VNNI: the dot product of four bytes in one instruction, and masks for tails.

use std::arch::x86_64::{
    __m512, __m512i, __mmask16, _MM_HINT_T0, _mm_loadu_ps, _mm_prefetch, _mm256_maskz_loadu_epi16,
    _mm512_add_ps, _mm512_and_si512, _mm512_castps128_ps512, _mm512_castsi512_ps, _mm512_cvtepi32_ps,
    _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_maskz_loadu_epi32,
    _mm512_maskz_loadu_ps, _mm512_or_si512, _mm512_permutexvar_epi32, _mm512_permutexvar_ps,
    _mm512_reduce_add_ps, _mm512_set1_epi32, _mm512_set4_epi32, _mm512_setr_epi32, _mm512_setzero_ps,
    _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_slli_epi32, _mm512_srli_epi32, _mm512_srlv_epi32,
};

use super::quantised::{BitsOf, Row};

/// How many words ahead weights are fetched: a row of 4096 of 4 bits, the best of what was tried.
const AHEAD: usize = 512;

/// The lanes of a vector of 16 that `left` elements fill.
#[inline(always)]
fn first(left: usize) -> __mmask16 {
    if left >= 16 { !0 } else { (1 << left) - 1 }
}

/// # Safety
/// `k` elements are readable at `x` and `w`, and the machine has the instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
pub(super) unsafe fn dot_f32(x: *const f32, w: *const f32, k: usize) -> f32 {
    // SAFETY: the mask names elements below `k` only.
    unsafe { dot(x, k, |i, mask| _mm512_maskz_loadu_ps(mask, w.add(i))) }
}

/// # Safety
/// As [`dot_f32`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
pub(super) unsafe fn dot_f16(x: *const f32, w: *const half::f16, k: usize) -> f32 {
    // SAFETY: as in `dot_f32`.
    unsafe { dot(x, k, |i, mask| _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, w.add(i).cast()))) }
}

/// # Safety
/// As [`dot_f32`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
pub(super) unsafe fn dot_bf16(x: *const f32, w: *const half::bf16, k: usize) -> f32 {
    // SAFETY: as in `dot_f32`.
    unsafe {
        dot(x, k, |i, mask| {
            let bits = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, w.add(i).cast()));
            _mm512_castsi512_ps(_mm512_slli_epi32::<16>(bits))
        })
    }
}

/// # Safety
/// `k` elements are readable at `x` and by `weights`, which reads none beyond its mask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
unsafe fn dot(x: *const f32, k: usize, weights: impl Fn(usize, __mmask16) -> __m512) -> f32 {
    let mut sums = [_mm512_setzero_ps(); 4];
    let mut i = 0;
    // SAFETY: the caller promised `k` elements, and masks name none beyond.
    unsafe {
        while i + 64 <= k {
            for (part, sum) in sums.iter_mut().enumerate() {
                let at = i + 16 * part;
                *sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(!0, x.add(at)), weights(at, !0), *sum);
            }
            i += 64;
        }
        while i < k {
            let mask = first(k - i);
            sums[0] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, x.add(i)), weights(i, mask), sums[0]);
            i += 16;
        }
    }
    _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])))
}

/// Sixteen words at a time. See [`super::quantised`].
///
/// # Safety
/// As the function of the same name there, and the machine has the instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
pub(super) unsafe fn dot_quantised<B: BitsOf>(row: &Row<'_>) -> f32 {
    const WORDS: usize = 16;
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    // Which of the block's groups each word belongs to; the sizes are powers of two.
    let group_of_lane = _mm512_srlv_epi32(lanes, _mm512_set1_epi32(row.group_shift as i32));
    let (mut even, mut odd) = (_mm512_setzero_ps(), _mm512_setzero_ps());
    let mut word = 0;
    // SAFETY: words, planes and coefficients are read within the bounds that `Row` promises: masks name no word
    // beyond its end, and coefficients are padded by four.
    unsafe {
        while word + 2 * WORDS <= row.words {
            even = block::<B>(row, word, !0, group_of_lane, even);
            odd = block::<B>(row, word + WORDS, !0, group_of_lane, odd);
            word += 2 * WORDS;
        }
        while word < row.words {
            even = block::<B>(row, word, first(row.words - word), group_of_lane, even);
            word += WORDS;
        }
    }
    _mm512_reduce_add_ps(_mm512_add_ps(even, odd))
}

/// Adds one block of words to `sum`.
///
/// # Safety
/// The masked words from `word` on are within the row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
unsafe fn block<B: BitsOf>(
    row: &Row<'_>,
    word: usize,
    mask: __mmask16,
    group_of_lane: __m512i,
    sum: __m512,
) -> __m512 {
    let zero = _mm512_setzero_si512();
    // Fetching ahead reads nothing: an address beyond the matrix is ignored.
    _mm_prefetch::<_MM_HINT_T0>(row.packed.wrapping_add(word + AHEAD).cast());
    // SAFETY: the caller's promise; planes hold four bytes for each word, and coefficients are padded by four.
    unsafe {
        let packed = if B::BITS == 6 {
            unpack_6(row.packed.add(word / 4 * 3), mask)
        } else {
            _mm512_maskz_loadu_epi32(mask, row.packed.add(word).cast())
        };
        let plane = |j: usize| _mm512_maskz_loadu_epi32(mask, row.plane(j).add(word).cast());
        // The upper bytes first, and on from their 256-fold: one addition less.
        let dots = if B::FIELD == 4 {
            let nibble = _mm512_set1_epi32(0x0F0F_0F0F);
            let even = _mm512_and_si512(packed, nibble);
            let odd = _mm512_and_si512(_mm512_srli_epi32::<4>(packed), nibble);
            let upper = _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(zero, even, plane(0)), odd, plane(1));
            let upper = _mm512_slli_epi32::<8>(upper);
            _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(upper, even, plane(2)), odd, plane(3))
        } else {
            let upper = _mm512_slli_epi32::<8>(_mm512_dpbusd_epi32(zero, packed, plane(0)));
            _mm512_dpbusd_epi32(upper, packed, plane(1))
        };
        let coefficients = _mm_loadu_ps(row.coefficients.add(word >> row.group_shift));
        let coefficients = _mm512_permutexvar_ps(group_of_lane, _mm512_castps128_ps512(coefficients));
        _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), coefficients, sum)
    }
}

/// 64 weights of 6 bits, twelve words, to one byte each; half of them where `mask` is half.
///
/// # Safety
/// Three words are readable for each four of `mask`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
unsafe fn unpack_6(packed: *const u32, mask: __mmask16) -> __m512i {
    // SAFETY: the caller's promise.
    let twelve = unsafe { _mm512_maskz_loadu_epi32(if mask == !0 { 0xFFF } else { 0x3F }, packed.cast()) };
    // Twelve bytes to each quarter, then three of them to each word.
    let spread = _mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    let quarters = _mm512_permutexvar_epi32(spread, twelve);
    let spread = _mm512_set4_epi32(
        0x800B_0A09_u32 as i32,
        0x8008_0706_u32 as i32,
        0x8005_0403_u32 as i32,
        0x8002_0100_u32 as i32,
    );
    let v = _mm512_shuffle_epi8(quarters, spread);
    let a = _mm512_and_si512(v, _mm512_set1_epi32(0x3F));
    let b = _mm512_and_si512(_mm512_slli_epi32::<2>(v), _mm512_set1_epi32(0x3F00));
    let c = _mm512_and_si512(_mm512_slli_epi32::<4>(v), _mm512_set1_epi32(0x003F_0000));
    let d = _mm512_and_si512(_mm512_slli_epi32::<6>(v), _mm512_set1_epi32(0x3F00_0000));
    _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d))
}
