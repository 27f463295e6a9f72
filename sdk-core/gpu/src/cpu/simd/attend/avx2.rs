//! AVX2 with FMA and F16C.

use std::arch::x86_64::{
    __m256, _MM_HINT_T1, _mm_fmadd_ps, _mm_loadu_ps, _mm_prefetch, _mm_set1_ps, _mm_storeu_ps, _mm256_add_ps,
    _mm256_castpd_ps, _mm256_castps_pd, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_permute2f128_ps,
    _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps, _mm256_unpackhi_pd, _mm256_unpackhi_ps,
    _mm256_unpacklo_pd, _mm256_unpacklo_ps, _mm256_zextps128_ps256,
};

use super::{Kept, Rows, STEP, TOGETHER};

/// Scores that are summed side by side: so many registers, and no addition waits for the one before it.
const SIDE_BY_SIDE: usize = STEP;

/// Asks for a row that will be needed. It reads nothing, so that an address may be anything.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn fetch<T>(row: Option<&*const T>, head: usize) {
    let Some(row) = row else { return };
    for line in (0..head * size_of::<T>()).step_by(64) {
        _mm_prefetch::<_MM_HINT_T1>(row.cast::<i8>().wrapping_add(line));
    }
}

/// # Safety
/// The promise of [`super::Score`], and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn score<T: Kept, const N: usize>(
    q: *const f32,
    head: usize,
    Rows { rows, ahead }: Rows<'_, T>,
    scores: *mut f32,
    stride: usize,
) {
    let each = SIDE_BY_SIDE / N;
    for (step, some) in rows.chunks_exact(each).enumerate() {
        let start = step * each;
        unrolled!(r below each => fetch(ahead.get(start + r), head));
        // SAFETY: rows, queries and scores are the caller's.
        unsafe {
            let dots = dots::<T, N>(q, head, some);
            unrolled!(n below N => unrolled!(r below each => {
                scores.add(n * stride + start + r).write(dots[n * each + r]);
            }));
        }
    }
}

/// The products of `N` queries with so many rows that there are [`SIDE_BY_SIDE`], by query and row.
///
/// # Safety
/// There are so many rows; queries and rows have `head` elements.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn dots<T: Kept, const N: usize>(
    q: *const f32,
    head: usize,
    rows: &[*const T],
) -> [f32; SIDE_BY_SIDE] {
    let each = SIDE_BY_SIDE / N;
    let mut sums = [_mm256_setzero_ps(); SIDE_BY_SIDE];
    let whole = head - head % 8;
    // SAFETY: `i` stays below `head`, in steps of what is read.
    unsafe {
        for i in (0..whole).step_by(8) {
            let mut queries = [_mm256_setzero_ps(); N];
            unrolled!(n below N => queries[n] = _mm256_loadu_ps(q.add(n * head + i)));
            unrolled!(r below each => {
                let key = T::eight(rows.get_unchecked(r).add(i));
                unrolled!(n below N => sums[n * each + r] = _mm256_fmadd_ps(queries[n], key, sums[n * each + r]));
            });
        }
        if whole < head {
            unrolled!(r below each => {
                let key = _mm256_zextps128_ps256(T::four(rows.get_unchecked(r).add(whole)));
                unrolled!(n below N => {
                    let query = _mm256_zextps128_ps256(_mm_loadu_ps(q.add(n * head + whole)));
                    sums[n * each + r] = _mm256_fmadd_ps(query, key, sums[n * each + r]);
                });
            });
        }
        let mut dots = [0.0; SIDE_BY_SIDE];
        _mm256_storeu_ps(dots.as_mut_ptr(), horizontal(sums));
        dots
    }
}

/// The sum of each vector.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn horizontal([a, b, c, d, e, f, g, h]: [__m256; SIDE_BY_SIDE]) -> __m256 {
    let (first, second) = (fours(twos(a, b), twos(c, d)), fours(twos(e, f), twos(g, h)));
    let (low, high) =
        (_mm256_permute2f128_ps::<0x20>(first, second), _mm256_permute2f128_ps::<0x31>(first, second));
    _mm256_add_ps(low, high)
}

/// In each half of the registers: two sums of `a` and `b` in turn.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn twos(a: __m256, b: __m256) -> __m256 {
    _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b))
}

/// In each half of the registers: the sums of the two of `a`, then of the two of `b`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn fours(a: __m256, b: __m256) -> __m256 {
    let (a, b) = (_mm256_castps_pd(a), _mm256_castps_pd(b));
    _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)), _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)))
}

/// # Safety
/// The promise of [`super::Weigh`], and the machine has the instructions.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn weigh<T: Kept, const N: usize>(
    weights: *const f32,
    stride: usize,
    Rows { rows, ahead }: Rows<'_, T>,
    sums: *mut f32,
    head: usize,
) {
    for (part, rows) in rows.chunks(TOGETHER).enumerate() {
        // Rows are fetched with the first columns, one for one.
        let mut ahead = ahead.get(part * TOGETHER..).unwrap_or_default();
        // SAFETY: there are as many weights as rows.
        let weights = unsafe { weights.add(part * TOGETHER) };
        let mut i = 0;
        // SAFETY: `i` stays below `head`, in steps of what is read; rows and weights are the caller's.
        unsafe {
            if N <= 2 {
                while i + 32 <= head {
                    columns::<T, N, 4>(weights, stride, Rows { rows, ahead }, sums.add(i), head, i);
                    (i, ahead) = (i + 32, &[]);
                }
            }
            while i + 16 <= head {
                columns::<T, N, 2>(weights, stride, Rows { rows, ahead }, sums.add(i), head, i);
                (i, ahead) = (i + 16, &[]);
            }
            if i + 8 <= head {
                columns::<T, N, 1>(weights, stride, Rows { rows, ahead }, sums.add(i), head, i);
                i += 8;
            }
            if i < head {
                four_columns::<T, N>(weights, stride, rows, sums.add(i), head, i);
            }
        }
    }
}

/// Columns `i .. i + 8 * C`.
///
/// # Safety
/// As [`weigh`]; the columns are within the head, and `sums` points at the first.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn columns<T: Kept, const N: usize, const C: usize>(
    weights: *const f32,
    stride: usize,
    Rows { rows, ahead }: Rows<'_, T>,
    sums: *mut f32,
    head: usize,
    i: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut local = [[_mm256_setzero_ps(); C]; N];
        unrolled!(n below N => unrolled!(c below C => {
            local[n][c] = _mm256_loadu_ps(sums.add(n * head + 8 * c));
        }));
        for (j, row) in rows.iter().enumerate() {
            fetch(ahead.get(j), head);
            let mut values = [_mm256_setzero_ps(); C];
            unrolled!(c below C => values[c] = T::eight(row.add(i + 8 * c)));
            unrolled!(n below N => {
                let weight = _mm256_set1_ps(weights.add(n * stride + j).read());
                unrolled!(c below C => local[n][c] = _mm256_fmadd_ps(weight, values[c], local[n][c]));
            });
        }
        unrolled!(n below N => unrolled!(c below C => {
            _mm256_storeu_ps(sums.add(n * head + 8 * c), local[n][c]);
        }));
    }
}

/// The last four columns.
///
/// # Safety
/// As [`columns`].
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn four_columns<T: Kept, const N: usize>(
    weights: *const f32,
    stride: usize,
    rows: &[*const T],
    sums: *mut f32,
    head: usize,
    i: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        for n in 0..N {
            let mut local = _mm_loadu_ps(sums.add(n * head));
            for (j, row) in rows.iter().enumerate() {
                let weight = _mm_set1_ps(weights.add(n * stride + j).read());
                local = _mm_fmadd_ps(weight, T::four(row.add(i)), local);
            }
            _mm_storeu_ps(sums.add(n * head), local);
        }
    }
}
