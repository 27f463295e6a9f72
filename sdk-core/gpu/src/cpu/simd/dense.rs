//! Dot products of activations with one row of dense weights.

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::{Level, lanes, math, vectorised};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, panel};

/// A dot product of `k` activations and weights.
pub(crate) type Dot<T> = unsafe fn(x: *const f32, w: *const T, k: usize) -> f32;

/// The coefficients of a row of quantised weights: `scale * unit` of each of `groups` groups. Returns `Σ bias * sum`.
/// Weights are scales and biases, activations are units and sums.
pub(crate) type Prepare<T> = unsafe fn(
    weights: [*const T; 2],
    activations: [*const f32; 2],
    coefficients: *mut f32,
    groups: usize,
) -> f32;

/// The first `count` columns of sixteen rows as f32: `[column][row]`.
#[cfg(target_arch = "x86_64")]
pub(crate) type Columns<T> = unsafe fn(rows: &[*const T; panel::ROWS], count: usize, to: *mut f32);

/// Weights that there are dot products for.
pub(crate) trait DenseWeight: Copy + Send + Sync + 'static {
    /// The dot product for `level`.
    fn dot(level: Level) -> Dot<Self>;
    /// Converts a run of weights to f32.
    ///
    /// # Safety
    /// The machine has `level`; `n` elements are readable at `w` and writable at `y`, without overlap.
    unsafe fn to_f32(level: Level, w: *const Self, y: *mut f32, n: usize);
    /// The same for one.
    fn widened(self) -> f32;
    /// Coefficients with scales and biases of this type.
    fn prepare(level: Level) -> Prepare<Self>;
    /// Columns of values of this type, for machines with AVX2.
    #[cfg(target_arch = "x86_64")]
    fn columns() -> Columns<Self>;
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

    fn widened(self) -> f32 {
        self
    }

    fn prepare(level: Level) -> Prepare<Self> {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => avx2::prepare_f32,
            _ => prepare,
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn columns() -> Columns<Self> {
        panel::avx2::columns_f32
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

    fn widened(self) -> f32 {
        math::f16_to_f32(self.to_bits())
    }

    fn prepare(level: Level) -> Prepare<Self> {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => avx2::prepare_f16,
            _ => prepare,
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn columns() -> Columns<Self> {
        panel::avx2::columns_f16
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

    fn widened(self) -> f32 {
        math::bf16_to_f32(self.to_bits())
    }

    fn prepare(level: Level) -> Prepare<Self> {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => avx2::prepare_bf16,
            _ => prepare,
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn columns() -> Columns<Self> {
        panel::avx2::columns_bf16
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

/// # Safety
/// The promise of [`Prepare`].
unsafe fn prepare<T: DenseWeight>(
    [scales, biases]: [*const T; 2],
    [units, sums]: [*const f32; 2],
    coefficients: *mut f32,
    groups: usize,
) -> f32 {
    // SAFETY: the promise of `Prepare`.
    unsafe {
        for group in 0..groups {
            coefficients.add(group).write(scales.add(group).read().widened() * units.add(group).read());
        }
        dot(sums, groups, |group| biases.add(group).read().widened())
    }
}
