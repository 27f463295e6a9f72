//! Functions that the compiler can turn into vectors: no branches, no calls, no fused operations.

/// `2^23 * 1.5`: adding it rounds to an integer, which is then in the low bits.
const ROUNDER: f32 = 12_582_912.0;

/// `e^x` within 2 units in the last place (3 where the result is subnormal); 0 below -104, infinity above 88.73.
///
/// `x = n ln 2 + r`, `|r| <= ln 2 / 2`, and a polynomial for `e^r`. ln 2 is subtracted in two parts, of which the
/// first has so few digits that its product with `n` is exact. The power is applied in two halves, so that both
/// halves are normal numbers where the result is not.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    const LN2_HIGH: f32 = 355.0 / 512.0;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    // `clamp` keeps NaN.
    let x = x.clamp(-104.5, 89.5);
    let rounded = x * std::f32::consts::LOG2_E + ROUNDER;
    let n = rounded - ROUNDER;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    // The Taylor series: what is left out is below 5e-9 of the result on this interval.
    let p = 1.0 / 5040.0;
    let p = p * r + 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let e = (p * r) * r + r + 1.0;
    let n = rounded.to_bits().wrapping_sub(ROUNDER.to_bits()) as i32;
    let half = n >> 1;
    e * power_of_two(half) * power_of_two(n - half)
}

/// `2^n` for `n` in -126..=127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `tanh(t)`: from an exponential of something negative, and near zero, where that cancels, from the series, of which
/// what is left out is below 1e-8 of the result.
#[inline(always)]
pub(crate) fn tanh(t: f32) -> f32 {
    let s = t * t;
    let series = -0.053_968_254 + s * 0.021_869_488;
    let near = t + t * s * (-0.333_333_33 + s * (0.133_333_33 + s * series));
    let e = exp(-2.0 * t.abs());
    let far = ((1.0 - e) / (1.0 + e)).copysign(t);
    if t.abs() < 0.25 { near } else { far }
}

/// The tanh form of gelu, `x / 2 * (1 + tanh(u))` with `u = √(2/π) (x + 0.044715 x³)`.
///
/// Computed as `x / (1 + e^-2u)`, which is the same and keeps its digits where the tanh is near -1.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    /// `2 √(2/π)`.
    const SLOPE: f32 = 1.595_769;
    x / (1.0 + exp(-SLOPE * (x + 0.044_715 * x * x * x)))
}

/// An IEEE half as f32, exactly; NaN stays NaN.
#[inline(always)]
pub(crate) fn f16_to_f32(bits: u16) -> f32 {
    let bits = u32::from(bits);
    let magnitude = (bits & 0x7FFF) << 13;
    // The exponents' biases differ by 112; multiplying by 2^112 also makes subnormal halves normal.
    let finite = (f32::from_bits(magnitude) * f32::from_bits((112 + 127) << 23)).to_bits();
    let special = magnitude | 0x7F80_0000;
    let value = if bits & 0x7C00 == 0x7C00 { special } else { finite };
    f32::from_bits(value | (bits & 0x8000) << 16)
}

/// A bf16 as f32, exactly.
#[inline(always)]
pub(crate) fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn math_halves_convert_as_the_half_crate_does() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (f16_to_f32(bits), half::f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{bits:#06x}");
            let (ours, theirs) = (bf16_to_f32(bits), half::bf16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{bits:#06x}");
        }
    }

    #[test]
    fn math_exp_is_within_two_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        for i in 0..400_000 {
            let x = -87.3 + i as f32 * (88.72 + 87.3) / 400_000.0;
            let exact = f64::from(x).exp();
            let unit = f64::from(f32::from_bits((exact as f32).to_bits() + 1)) - f64::from(exact as f32);
            worst = worst.max((f64::from(exp(x)) - exact).abs() / unit);
        }
        assert!(worst <= 2.0, "{worst} units");
    }

    #[test]
    fn math_exp_knows_its_ends() {
        assert_eq!(exp(0.0).to_bits(), 1f32.to_bits());
        assert_eq!(exp(-0.0).to_bits(), 1f32.to_bits());
        assert_eq!(exp(f32::NEG_INFINITY).to_bits(), 0);
        assert_eq!(exp(-105.0).to_bits(), 0);
        assert!(exp(89.0).is_infinite());
        assert!(exp(f32::INFINITY).is_infinite());
        assert!(exp(f32::NAN).is_nan());
        assert!(
            (f64::from(exp(-95.0)) / (-95f64).exp() - 1.0).abs() < 0.01,
            "subnormal results keep their digits"
        );
    }

    #[test]
    fn math_tanh_keeps_its_digits_near_zero_and_its_ends_far_from_it() {
        for i in -60_000..60_000 {
            let t = i as f32 / 4000.0;
            let exact = f64::from(t).tanh();
            assert!((f64::from(tanh(t)) - exact).abs() <= 4e-7 * exact.abs(), "{t}");
        }
        assert_eq!(tanh(1e-30).to_bits(), 1e-30_f32.to_bits());
        assert_eq!((tanh(f32::INFINITY), tanh(-1e30)), (1.0, -1.0));
        assert!(tanh(f32::NAN).is_nan());
    }
}
