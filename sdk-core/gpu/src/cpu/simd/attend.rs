//! The two inner loops of attention: scores of keys, and sums of values by weight.
//!
//! Both take rows of a cache by their addresses, since pages lie anywhere, and several queries at once, so that a row is
//! converted once for all of them. Rows of the next block are fetched meanwhile: no processor guesses where they are.

/// Repeats an expression for each number below a constant, of eight at most. A loop would do, were it not that a library
/// for phones is optimised for size: there loops stay loops, and what they index stays in memory, not in registers.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! unrolled {
    ($i:ident below $count:expr => $body:expr) => {
        unrolled!(@ $i, $count, $body, 0, 1, 2, 3, 4, 5, 6, 7)
    };
    (@ $i:ident, $count:expr, $body:expr, $($at:literal),*) => {{
        $({
            let $i = $at;
            if $i < $count {
                $body;
            }
        })*
    }};
}

#[cfg(target_arch = "x86_64")]
mod avx2;
mod kept;
#[cfg(target_arch = "aarch64")]
mod neon;

pub(crate) use kept::Kept;

use super::Level;

/// The most queries that one call takes.
pub(crate) const MOST: usize = 4;

/// Scores are computed for multiples of so many rows.
pub(crate) const STEP: usize = 8;

/// Rows whose values are weighed together. Rows of a cache are often a power of two apart, and then share so few places
/// of the first-level cache that more of them would drive each other out.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const TOGETHER: usize = 16;

/// Where rows lie.
pub(crate) struct Rows<'a, T> {
    pub(crate) rows: &'a [*const T],
    /// Rows that will be needed after these: they may be fetched, and need not.
    pub(crate) ahead: &'a [*const T],
}

/// Scores of keys for some queries, `[queries, head]`: `scores[query * stride + row] = q · key`.
///
/// Queries and rows have `head` elements, a multiple of 4; there is a multiple of [`STEP`] rows, and `stride` is at least
/// their number.
pub(crate) type Score<T> =
    unsafe fn(q: *const f32, head: usize, rows: Rows<'_, T>, scores: *mut f32, stride: usize);

/// Adds `weights[query * stride + row] * value` to the sums of some queries, `[queries, head]`.
///
/// Sums and rows have `head` elements, a multiple of 4; `stride` is at least the number of rows.
pub(crate) type Weigh<T> =
    unsafe fn(weights: *const f32, stride: usize, rows: Rows<'_, T>, sums: *mut f32, head: usize);

/// The loops for a number of queries.
pub(crate) struct Loops<T> {
    pub(crate) score: Score<T>,
    pub(crate) weigh: Weigh<T>,
}

/// The loops for 1 to [`MOST`] queries.
///
/// # Safety of the results
/// Pointers reach as far as the sizes say, and the machine has the level.
pub(crate) fn loops<T: Kept>(level: Level, queries: usize) -> Loops<T> {
    match queries {
        1 => loops_of::<T, 1>(level),
        2 => loops_of::<T, 2>(level),
        3 => loops_of::<T, 3>(level),
        _ => loops_of::<T, MOST>(level),
    }
}

fn loops_of<T: Kept, const N: usize>(level: Level) -> Loops<T> {
    match level {
        Level::Portable => Loops { score: score::<T, N>, weigh: weigh::<T, N> },
        // With AVX-512 too: what these loops wait for is memory.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => Loops { score: avx2::score::<T, N>, weigh: avx2::weigh::<T, N> },
        #[cfg(target_arch = "aarch64")]
        Level::Neon | Level::NeonDot => Loops { score: neon::score::<T, N>, weigh: neon::weigh::<T, N> },
    }
}

/// # Safety
/// The promise of [`Score`].
unsafe fn score<T: Kept, const N: usize>(
    q: *const f32,
    head: usize,
    Rows { rows, .. }: Rows<'_, T>,
    scores: *mut f32,
    stride: usize,
) {
    for (j, row) in rows.iter().enumerate() {
        for n in 0..N {
            let mut sums = [0.0; 4];
            for i in 0..head {
                // SAFETY: the caller's promise.
                sums[i % 4] += unsafe { q.add(n * head + i).read() * row.add(i).read().number() };
            }
            // SAFETY: the caller's promise.
            unsafe { scores.add(n * stride + j).write((sums[0] + sums[1]) + (sums[2] + sums[3])) };
        }
    }
}

/// # Safety
/// The promise of [`Weigh`].
unsafe fn weigh<T: Kept, const N: usize>(
    weights: *const f32,
    stride: usize,
    Rows { rows, .. }: Rows<'_, T>,
    sums: *mut f32,
    head: usize,
) {
    for (j, row) in rows.iter().enumerate() {
        for n in 0..N {
            // SAFETY: the caller's promise.
            unsafe {
                let weight = weights.add(n * stride + j).read();
                for i in 0..head {
                    *sums.add(n * head + i) += weight * row.add(i).read().number();
                }
            }
        }
    }
}
