//! NEON.

use std::arch::aarch64::{
    float32x4_t, vaddq_f32, vaddvq_f32, vdupq_n_f32, vfmaq_f32, vfmaq_n_f32, vld1q_f32, vst1q_f32,
};

use super::{Kept, Rows, TOGETHER};

/// Rows that are met together.
const EACH: usize = 2;

/// Asks for a row that will be needed. It reads nothing, so that an address may be anything.
#[inline(always)]
fn fetch<T>(row: Option<&*const T>, head: usize) {
    let Some(row) = row else { return };
    for line in (0..head * size_of::<T>()).step_by(64) {
        let at = row.cast::<u8>().wrapping_add(line);
        // SAFETY: a hint, which touches neither memory nor flags.
        unsafe {
            std::arch::asm!(
                "prfm pldl2keep, [{at}]",
                at = in(reg) at,
                options(nostack, preserves_flags, readonly)
            );
        }
    }
}

/// # Safety
/// The promise of [`super::Score`].
pub(super) unsafe fn score<T: Kept, const N: usize>(
    q: *const f32,
    head: usize,
    Rows { rows, ahead }: Rows<'_, T>,
    scores: *mut f32,
    stride: usize,
) {
    for (pair, two) in rows.as_chunks::<EACH>().0.iter().enumerate() {
        fetch(ahead.get(EACH * pair), head);
        fetch(ahead.get(EACH * pair + 1), head);
        // SAFETY: rows, queries and scores are the caller's; there is an even number of rows.
        unsafe { score_rows::<T, N>(q, head, *two, scores.add(EACH * pair), stride) };
    }
}

/// # Safety
/// As [`score`].
#[inline(always)]
unsafe fn score_rows<T: Kept, const N: usize>(
    q: *const f32,
    head: usize,
    rows: [*const T; EACH],
    scores: *mut f32,
    stride: usize,
) {
    // SAFETY: `i` stays below `head`, a multiple of four.
    unsafe {
        // Two sums for each score, so that they need not wait for each other.
        let mut sums = [[[vdupq_n_f32(0.0); 2]; N]; EACH];
        let whole = head - head % 8;
        for i in (0..whole).step_by(8) {
            let mut keys = [[vdupq_n_f32(0.0); 2]; EACH];
            unrolled!(r below EACH => unrolled!(h below 2 => keys[r][h] = T::four(rows[r].add(i + 4 * h))));
            unrolled!(n below N => unrolled!(h below 2 => {
                let q = vld1q_f32(q.add(n * head + i + 4 * h));
                unrolled!(r below EACH => sums[r][n][h] = vfmaq_f32(sums[r][n][h], q, keys[r][h]));
            }));
        }
        unrolled!(r below EACH => unrolled!(n below N => {
            let mut sum = vaddq_f32(sums[r][n][0], sums[r][n][1]);
            if whole < head {
                sum = vfmaq_f32(sum, vld1q_f32(q.add(n * head + whole)), T::four(rows[r].add(whole)));
            }
            scores.add(n * stride + r).write(vaddvq_f32(sum));
        }));
    }
}

/// # Safety
/// The promise of [`super::Weigh`].
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
            while i + 16 <= head {
                columns::<T, N, 4>(weights, stride, Rows { rows, ahead }, sums.add(i), head, i);
                (i, ahead) = (i + 16, &[]);
            }
            while i < head {
                columns::<T, N, 1>(weights, stride, Rows { rows, ahead }, sums.add(i), head, i);
                (i, ahead) = (i + 4, &[]);
            }
        }
    }
}

/// Columns `i .. i + 4 * C`.
///
/// # Safety
/// As [`weigh`]; the columns are within the head, and `sums` points at the first.
#[inline(always)]
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
        let mut local: [[float32x4_t; C]; N] = [[vdupq_n_f32(0.0); C]; N];
        unrolled!(n below N => unrolled!(c below C => local[n][c] = vld1q_f32(sums.add(n * head + 4 * c))));
        for (j, row) in rows.iter().enumerate() {
            fetch(ahead.get(j), head);
            let mut values = [vdupq_n_f32(0.0); C];
            unrolled!(c below C => values[c] = T::four(row.add(i + 4 * c)));
            unrolled!(n below N => {
                let weight = weights.add(n * stride + j).read();
                unrolled!(c below C => local[n][c] = vfmaq_n_f32(local[n][c], values[c], weight));
            });
        }
        unrolled!(n below N => unrolled!(c below C => vst1q_f32(sums.add(n * head + 4 * c), local[n][c])));
    }
}
