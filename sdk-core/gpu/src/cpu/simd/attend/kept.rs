//! What a cache is made of, and how each instruction set reads it.

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::{
    float32x4_t, vcvtq_f32_s32, vdup_n_u32, vget_low_s16, vld1q_f32, vmovl_s8, vmovl_s16, vreinterpret_s8_u32,
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128, __m256, _mm_cvtepi8_epi32, _mm_cvtepi32_ps, _mm_cvtph_ps, _mm_cvtsi32_si128, _mm_loadl_epi64,
    _mm_loadu_ps, _mm_loadu_si128, _mm256_cvtepi8_epi32, _mm256_cvtepi32_ps, _mm256_cvtph_ps,
    _mm256_loadu_ps,
};

use half::f16;

use crate::cpu::simd::{Level, dense::DenseWeight, math, vectorised};

/// An element of a cache.
pub(crate) trait Kept: Copy + Send + Sync + 'static {
    /// Its value.
    fn number(self) -> f32;

    /// Converts a run of elements.
    ///
    /// # Safety
    /// The machine has `level`; `n` elements are readable at `x` and writable at `y`, without overlap.
    unsafe fn to_f32(level: Level, x: *const Self, y: *mut f32, n: usize);

    /// Eight values.
    ///
    /// # Safety
    /// Eight elements are readable, and the machine has AVX2, FMA and F16C.
    #[cfg(target_arch = "x86_64")]
    unsafe fn eight(x: *const Self) -> __m256;

    /// Four values.
    ///
    /// # Safety
    /// Four elements are readable, and the machine has AVX2, FMA and F16C.
    #[cfg(target_arch = "x86_64")]
    unsafe fn four(x: *const Self) -> __m128;

    /// Four values.
    ///
    /// # Safety
    /// Four elements are readable.
    #[cfg(target_arch = "aarch64")]
    unsafe fn four(x: *const Self) -> float32x4_t;
}

impl Kept for f32 {
    #[inline(always)]
    fn number(self) -> f32 {
        self
    }

    unsafe fn to_f32(level: Level, x: *const Self, y: *mut f32, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { DenseWeight::to_f32(level, x, y, n) };
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn eight(x: *const Self) -> __m256 {
        // SAFETY: the caller's promise.
        unsafe { _mm256_loadu_ps(x) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(x: *const Self) -> __m128 {
        // SAFETY: the caller's promise.
        unsafe { _mm_loadu_ps(x) }
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    unsafe fn four(x: *const Self) -> float32x4_t {
        // SAFETY: the caller's promise.
        unsafe { vld1q_f32(x) }
    }
}

impl Kept for f16 {
    #[inline(always)]
    fn number(self) -> f32 {
        math::f16_to_f32(self.to_bits())
    }

    unsafe fn to_f32(level: Level, x: *const Self, y: *mut f32, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { DenseWeight::to_f32(level, x, y, n) };
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn eight(x: *const Self) -> __m256 {
        // SAFETY: the caller's promise: 16 bytes.
        _mm256_cvtph_ps(unsafe { _mm_loadu_si128(x.cast()) })
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(x: *const Self) -> __m128 {
        // SAFETY: the caller's promise: 8 bytes.
        _mm_cvtph_ps(unsafe { _mm_loadl_epi64(x.cast()) })
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    unsafe fn four(x: *const Self) -> float32x4_t {
        // SAFETY: the caller's promise.
        unsafe { crate::cpu::simd::neon::widen_f16(x.cast()) }
    }
}

impl Kept for i8 {
    #[inline(always)]
    fn number(self) -> f32 {
        f32::from(self)
    }

    unsafe fn to_f32(level: Level, x: *const Self, y: *mut f32, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { bytes_to_f32(level, x, y, n) };
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn eight(x: *const Self) -> __m256 {
        // SAFETY: the caller's promise: 8 bytes.
        _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(unsafe { _mm_loadl_epi64(x.cast()) }))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(x: *const Self) -> __m128 {
        // SAFETY: the caller's promise: 4 bytes.
        let bytes = unsafe { x.cast::<i32>().read_unaligned() };
        _mm_cvtepi32_ps(_mm_cvtepi8_epi32(_mm_cvtsi32_si128(bytes)))
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    unsafe fn four(x: *const Self) -> float32x4_t {
        // SAFETY: the caller's promise: 4 bytes.
        unsafe {
            let bytes = vdup_n_u32(x.cast::<u32>().read_unaligned());
            vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u32(bytes)))))
        }
    }
}

vectorised! {
    unsafe fn bytes_to_f32(x: *const i8, y: *mut f32, n: usize) {
        for i in 0..n {
            y.add(i).write(f32::from(x.add(i).read()));
        }
    }
}
