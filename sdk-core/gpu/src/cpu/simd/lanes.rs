//! Loops over f32 in blocks that become vectors, safe for operands that are the same memory.
//!
//! Each block is read whole before any of it is written, and the compiler can see that: no checks for aliases, and
//! an output that is an input costs nothing. A tail is computed in a padded block of its own.

/// Elements of a block: four vectors of SSE and NEON, two of AVX2.
pub(crate) const LANES: usize = 16;

/// One block.
pub(crate) type Block = [f32; LANES];

/// Reads `n` elements (at most a block) and pads with `pad`.
///
/// # Safety
/// `n` elements at `x` are readable.
#[inline(always)]
pub(crate) unsafe fn read(x: *const f32, n: usize, pad: f32) -> Block {
    if n >= LANES {
        // SAFETY: the caller's promise; a `Block` is aligned as its elements are.
        return unsafe { x.cast::<Block>().read() };
    }
    let mut block = [pad; LANES];
    for (lane, slot) in block.iter_mut().enumerate().take(n) {
        // SAFETY: `lane` is below `n`.
        *slot = unsafe { x.add(lane).read() };
    }
    block
}

/// Writes the first `n` elements (at most a block).
///
/// # Safety
/// `n` elements at `y` are writable.
#[inline(always)]
pub(crate) unsafe fn write(y: *mut f32, n: usize, block: &Block) {
    if n >= LANES {
        // SAFETY: the caller's promise.
        unsafe { y.cast::<Block>().write(*block) };
        return;
    }
    for (lane, value) in block.iter().enumerate().take(n) {
        // SAFETY: `lane` is below `n`.
        unsafe { y.add(lane).write(*value) };
    }
}

/// Calls `f` with the start and length of each block of `0..n`.
#[inline(always)]
pub(crate) fn blocks(n: usize, mut f: impl FnMut(usize, usize)) {
    let whole = n - n % LANES;
    for start in (0..whole).step_by(LANES) {
        f(start, LANES);
    }
    if whole < n {
        f(whole, n - whole);
    }
}

/// `y[i] = f(x[i])`.
///
/// # Safety
/// `n` elements are readable at `x` and writable at `y`; the two are the same or do not overlap.
#[inline(always)]
pub(crate) unsafe fn map(x: *const f32, y: *mut f32, n: usize, f: impl Fn(f32) -> f32) {
    blocks(n, |start, n| {
        // SAFETY: the block lies within `0..n`.
        unsafe {
            let mut block = read(x.add(start), n, 0.0);
            for value in &mut block {
                *value = f(*value);
            }
            write(y.add(start), n, &block);
        }
    });
}

/// `y[i] = f(a[i], b[i])`.
///
/// # Safety
/// As [`map`], for each of the inputs.
#[inline(always)]
pub(crate) unsafe fn zip(a: *const f32, b: *const f32, y: *mut f32, n: usize, f: impl Fn(f32, f32) -> f32) {
    blocks(n, |start, n| {
        // SAFETY: the block lies within `0..n`.
        unsafe {
            let mut block = read(a.add(start), n, 0.0);
            let other = read(b.add(start), n, 0.0);
            for (value, other) in block.iter_mut().zip(&other) {
                *value = f(*value, *other);
            }
            write(y.add(start), n, &block);
        }
    });
}

/// The sum of `f(x[i])` in double precision: exact enough that the order of summation does not matter.
///
/// # Safety
/// `n` elements are readable at `x`.
#[inline(always)]
pub(crate) unsafe fn sum(x: *const f32, n: usize, f: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    blocks(n, |start, n| {
        // SAFETY: the block lies within `0..n`.
        let block = unsafe { read(x.add(start), n, 0.0) };
        if n == LANES {
            for (sum, value) in sums.iter_mut().zip(&block) {
                *sum += f(f64::from(*value));
            }
        } else {
            for (sum, value) in sums.iter_mut().zip(&block).take(n) {
                *sum += f(f64::from(*value));
            }
        }
    });
    sums.iter().sum()
}
