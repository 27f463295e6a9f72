//! NEON. The baseline of 64-bit Arm, so no detection is needed here.

use std::arch::aarch64::{
    float32x4_t, int8x16_t, int32x4_t, uint32x4_t, vaddq_f32, vaddq_s32, vaddvq_f32, vandq_u8, vandq_u32,
    vcvtq_f32_s32, vdupq_n_f32, vdupq_n_s32, vdupq_n_u8, vdupq_n_u32, vfmaq_f32, vfmaq_n_f32, vget_low_s16,
    vld1_u16, vld1q_f32, vld1q_s8, vld1q_s16, vld1q_u32, vmlal_high_s16, vmlal_s16, vmovl_u16,
    vreinterpretq_f32_u32, vreinterpretq_s8_u8, vreinterpretq_s16_u32, vreinterpretq_u8_u32, vshlq_n_s32,
    vshlq_n_u32, vshrq_n_u8, vshrq_n_u32, vsubq_s32,
};

use super::{
    math,
    quantised::{BitsOf, Row, spread_6},
};

/// # Safety
/// `k` elements are readable at `x` and `w`.
pub(super) unsafe fn dot_f32(x: *const f32, w: *const f32, k: usize) -> f32 {
    // SAFETY: `dot` asks for whole vectors below `k` only.
    unsafe { dot(x, k, |i| vld1q_f32(w.add(i)), |i| w.add(i).read()) }
}

/// # Safety
/// As [`dot_f32`].
pub(super) unsafe fn dot_f16(x: *const f32, w: *const half::f16, k: usize) -> f32 {
    // SAFETY: as in `dot_f32`.
    unsafe { dot(x, k, |i| widen_f16(w.add(i).cast()), |i| math::f16_to_f32(w.add(i).read().to_bits())) }
}

/// # Safety
/// As [`dot_f32`].
pub(super) unsafe fn dot_bf16(x: *const f32, w: *const half::bf16, k: usize) -> f32 {
    // SAFETY: as in `dot_f32`.
    unsafe {
        let widen = |bits| vreinterpretq_f32_u32(vshlq_n_u32::<16>(vmovl_u16(bits)));
        dot(x, k, |i| widen(vld1_u16(w.add(i).cast())), |i| math::bf16_to_f32(w.add(i).read().to_bits()))
    }
}

/// Four halves as f32.
///
/// # Safety
/// Four elements are readable at `w`.
#[inline(always)]
pub(super) unsafe fn widen_f16(w: *const u16) -> float32x4_t {
    let wide: float32x4_t;
    // SAFETY: the instruction is in the baseline, reads one register and writes one.
    unsafe {
        std::arch::asm!(
            "fcvtl {wide:v}.4s, {narrow:v}.4h",
            wide = out(vreg) wide,
            narrow = in(vreg) vld1_u16(w),
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    wide
}

/// # Safety
/// `k` elements are readable at `x`; `vector` and `one` read the weights of the elements that they are given.
#[inline(always)]
unsafe fn dot(
    x: *const f32,
    k: usize,
    vector: impl Fn(usize) -> float32x4_t,
    one: impl Fn(usize) -> f32,
) -> f32 {
    // SAFETY: all indices stay below `k`, which the caller promised to be readable.
    unsafe {
        let mut sums = [vdupq_n_f32(0.0); 4];
        let mut i = 0;
        while i + 16 <= k {
            for (part, sum) in sums.iter_mut().enumerate() {
                let at = i + 4 * part;
                *sum = vfmaq_f32(*sum, vld1q_f32(x.add(at)), vector(at));
            }
            i += 16;
        }
        while i + 4 <= k {
            sums[0] = vfmaq_f32(sums[0], vld1q_f32(x.add(i)), vector(i));
            i += 4;
        }
        let mut total = vaddvq_f32(vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3])));
        while i < k {
            total = x.add(i).read().mul_add(one(i), total);
            i += 1;
        }
        total
    }
}

/// Four words at a time, which no group crosses. See [`super::quantised`].
///
/// # Safety
/// As the function of the same name there.
pub(super) unsafe fn dot_quantised<B: BitsOf>(row: &Row<'_>) -> f32 {
    // SAFETY: words, planes and coefficients are read within the bounds that `Row` promises.
    unsafe {
        let mut total = vdupq_n_f32(0.0);
        for group in 0..row.words >> row.group_shift {
            let mut even = vdupq_n_s32(0);
            let mut odd = vdupq_n_s32(0);
            for step in 0..(1 << row.group_shift) / 4 {
                let word = (group << row.group_shift) + 4 * step;
                let packed =
                    if B::BITS == 6 { unpack_6(row.packed, word) } else { vld1q_u32(row.packed.add(word)) };
                let mut pairs = |fields: uint32x4_t, j: usize| {
                    let fields = vreinterpretq_s16_u32(fields);
                    let x = vld1q_s16(row.plane(j).add(word).cast());
                    even = vmlal_s16(even, vget_low_s16(fields), vget_low_s16(x));
                    odd = vmlal_high_s16(odd, fields, x);
                };
                if B::FIELD == 4 {
                    let mask = vdupq_n_u32(0x000F_000F);
                    pairs(vandq_u32(packed, mask), 0);
                    pairs(vandq_u32(vshrq_n_u32::<4>(packed), mask), 1);
                    pairs(vandq_u32(vshrq_n_u32::<8>(packed), mask), 2);
                    pairs(vandq_u32(vshrq_n_u32::<12>(packed), mask), 3);
                } else {
                    let mask = vdupq_n_u32(0x00FF_00FF);
                    pairs(vandq_u32(packed, mask), 0);
                    pairs(vandq_u32(vshrq_n_u32::<8>(packed), mask), 1);
                }
            }
            let sum = vaddq_f32(vcvtq_f32_s32(even), vcvtq_f32_s32(odd));
            total = vfmaq_n_f32(total, sum, row.coefficients.add(group).read());
        }
        vaddvq_f32(total)
    }
}

/// The same on bytes, four products an instruction. Both factors are signed there, so the highest bit of 8-bit
/// weights, which then counts as -128, is multiplied apart and taken away.
///
/// # Safety
/// As the function of the same name there, and the machine has the instructions.
#[target_feature(enable = "dotprod")]
pub(super) unsafe fn dot_quantised_bytes<B: BitsOf>(row: &Row<'_>) -> f32 {
    // SAFETY: words, planes and coefficients are read within the bounds that `Row` promises.
    unsafe {
        let mut total = vdupq_n_f32(0.0);
        for group in 0..row.words >> row.group_shift {
            // Upper and lower bytes of the activations, and both again for the highest bits.
            let [mut upper, mut lower, mut upper_top, mut lower_top] = [vdupq_n_s32(0); 4];
            for step in 0..(1 << row.group_shift) / 4 {
                let word = (group << row.group_shift) + 4 * step;
                let packed =
                    if B::BITS == 6 { unpack_6(row.packed, word) } else { vld1q_u32(row.packed.add(word)) };
                let packed = vreinterpretq_u8_u32(packed);
                let plane = |j: usize| vld1q_s8(row.plane(j).add(word).cast());
                if B::FIELD == 4 {
                    let even = vreinterpretq_s8_u8(vandq_u8(packed, vdupq_n_u8(0x0F)));
                    let odd = vreinterpretq_s8_u8(vshrq_n_u8::<4>(packed));
                    upper = sdot(sdot(upper, even, plane(0)), odd, plane(1));
                    lower = sdot(sdot(lower, even, plane(2)), odd, plane(3));
                } else {
                    let bytes = vreinterpretq_s8_u8(vandq_u8(packed, vdupq_n_u8(0x7F)));
                    upper = sdot(upper, bytes, plane(0));
                    lower = sdot(lower, bytes, plane(1));
                }
                if B::BITS == 8 {
                    let top = vreinterpretq_s8_u8(vandq_u8(packed, vdupq_n_u8(0x80)));
                    upper_top = sdot(upper_top, top, plane(0));
                    lower_top = sdot(lower_top, top, plane(1));
                }
            }
            let (upper, lower) = (vsubq_s32(upper, upper_top), vsubq_s32(lower, lower_top));
            let sum = vaddq_s32(vshlq_n_s32::<8>(upper), lower);
            total = vfmaq_n_f32(total, vcvtq_f32_s32(sum), row.coefficients.add(group).read());
        }
        vaddvq_f32(total)
    }
}

/// `sum + a · b` by fours. The intrinsic is not stable yet.
#[inline]
#[target_feature(enable = "dotprod")]
fn sdot(mut sum: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    // SAFETY: the instruction reads and writes the named registers only, and the feature is on.
    unsafe {
        std::arch::asm!(
            "sdot {sum:v}.4s, {a:v}.16b, {b:v}.16b",
            sum = inout(vreg) sum,
            a = in(vreg) a,
            b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// Sixteen weights of 6 bits to a byte each.
///
/// # Safety
/// Four words from `word` on are within the row.
#[inline(always)]
unsafe fn unpack_6(packed: *const u32, word: usize) -> uint32x4_t {
    // SAFETY: the caller's promise.
    unsafe {
        let spread = [0, 1, 2, 3].map(|i| spread_6(packed, word + i));
        vld1q_u32(spread.as_ptr())
    }
}
