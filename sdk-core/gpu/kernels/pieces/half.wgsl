// Conversions between the bits of f32 and of the 16-bit types, exact and the same on every driver.

fn f32_of_f16(half: u32) -> u32 {
    let sign = (half & 0x8000u) << 16u;
    let rest = half & 0x7fffu;
    if rest >= 0x7c00u {
        return sign | 0x7f800000u | (rest & 0x3ffu) << 13u;
    }
    if rest < 0x400u {
        return sign | bitcast<u32>(f32(rest) * 0x1p-24f);
    }
    return sign | ((rest << 13u) + 0x38000000u);
}

// Rounds to nearest even. NaN stays NaN and becomes quiet.
fn f16_of_f32(bits: u32) -> u32 {
    let sign = (bits >> 16u) & 0x8000u;
    let rest = bits & 0x7fffffffu;
    if rest > 0x7f800000u {
        return sign | 0x7e00u | ((rest >> 13u) & 0x3ffu);
    }
    if rest >= 0x477ff000u {
        return sign | 0x7c00u; // 65520 and above round to infinity
    }
    if rest < 0x38800000u {
        // Below 2^-14: a multiple of 2^-24. A shift of 25 or more leaves nothing, not even a half.
        let shift = min(126u - (rest >> 23u), 25u);
        let mantissa = (rest & 0x7fffffu) | 0x800000u;
        return sign | rounded(mantissa, shift);
    }
    return sign | rounded(rest - 0x38000000u, 13u);
}

fn bf16_of_f32(bits: u32) -> u32 {
    if (bits & 0x7fffffffu) > 0x7f800000u {
        return (bits >> 16u) | 0x40u;
    }
    return rounded(bits, 16u);
}

// value / 2^shift, to the nearest, ties to even; shift is 1 to 25.
fn rounded(value: u32, shift: u32) -> u32 {
    let odd = (value >> shift) & 1u;
    return (value + ((1u << (shift - 1u)) - 1u) + odd) >> shift;
}
