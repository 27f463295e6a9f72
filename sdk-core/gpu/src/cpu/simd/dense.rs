//! Dot products of activations with one row of dense weights.

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::{Level, lanes, math, vectorised};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// A dot product of `k` activations and weights.
pub(crate) type Dot<T> = unsafe fn(x: *const f32, w: *const T, k: usize) -> f32;

/// Weights that there are dot products for.
pub(crate) trait DenseWeight: Copy + Send + Sync + 'static {
    /// The dot product for `level`.
    fn dot(level: Level) -> Dot<Self>;
    /// Converts a run of weights to f32.
    ///
    /// # Safety
    /// The machine has `level`; `n` elements are readable at `w` and writable at `y`, without overlap.
    unsafe fn to_f32(level: Level, w: *const Self, y: *mut f32, n: usize);
}

macro_rules! dispatch {
    ($level:expr, $portable:ident, $avx2:ident, $avx512:ident, $neon:ident) => {
        match $level {
            Level::Portable => $portable,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::$avx2,
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => avx512::$avx512,
            #[cfg(target_arch = "aarch64")]
            Level::Neon | Level::NeonDot => neon::$neon,
        }
    };
}

impl DenseWeight for f32 {
    fn dot(level: Level) -> Dot<Self> {
        dispatch!(level, dot_f32, dot_f32, dot_f32, dot_f32)
    }

    unsafe fn to_f32(_level: Level, w: *const Self, y: *mut f32, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(w, y, n) };
    }
}

impl DenseWeight for half::f16 {
    fn dot(level: Level) -> Dot<Self> {
        dispatch!(level, dot_f16, dot_f16, dot_f16, dot_f16)
    }

    unsafe fn to_f32(level: Level, w: *const Self, y: *mut f32, n: usize) {
        // SAFETY: the caller's promise; an `f16` is its bits.
        unsafe {
            match level {
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 | Level::Avx512 => avx2::f16_to_f32(w.cast(), y, n),
                _ => f16_to_f32(w.cast(), y, n),
            }
        }
    }
}

impl DenseWeight for half::bf16 {
    fn dot(level: Level) -> Dot<Self> {
        dispatch!(level, dot_bf16, dot_bf16, dot_bf16, dot_bf16)
    }

    unsafe fn to_f32(level: Level, w: *const Self, y: *mut f32, n: usize) {
        // SAFETY: the caller's promise; a `bf16` is its bits.
        unsafe { bf16_to_f32(level, w.cast(), y, n) };
    }
}

unsafe fn f16_to_f32(w: *const u16, y: *mut f32, n: usize) {
    for i in 0..n {
        // SAFETY: the promise of `DenseWeight::to_f32`.
        unsafe { y.add(i).write(math::f16_to_f32(w.add(i).read())) };
    }
}

vectorised! {
    unsafe fn bf16_to_f32(w: *const u16, y: *mut f32, n: usize) {
        for i in 0..n {
            y.add(i).write(math::bf16_to_f32(w.add(i).read()));
        }
    }
}

/// # Safety
/// The promise of [`Dot`].
unsafe fn dot_f32(x: *const f32, w: *const f32, k: usize) -> f32 {
    // SAFETY: the promise of `Dot`.
    unsafe { dot(x, k, |i| w.add(i).read()) }
}

unsafe fn dot_f16(x: *const f32, w: *const half::f16, k: usize) -> f32 {
    // SAFETY: the promise of `Dot`.
    unsafe { dot(x, k, |i| math::f16_to_f32(w.add(i).read().to_bits())) }
}

unsafe fn dot_bf16(x: *const f32, w: *const half::bf16, k: usize) -> f32 {
    // SAFETY: the promise of `Dot`.
    unsafe { dot(x, k, |i| math::bf16_to_f32(w.add(i).read().to_bits())) }
}

/// # Safety
/// `k` elements are readable at `x`.
#[inline(always)]
unsafe fn dot(x: *const f32, k: usize, weight: impl Fn(usize) -> f32) -> f32 {
    let mut sums = [0.0; lanes::LANES];
    lanes::blocks(k, |start, n| {
        for (lane, sum) in sums.iter_mut().enumerate().take(n) {
            // SAFETY: `start + lane` is below `k`.
            *sum += unsafe { x.add(start + lane).read() } * weight(start + lane);
        }
    });
    sums.iter().sum()
}
