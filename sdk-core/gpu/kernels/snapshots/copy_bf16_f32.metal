// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint pairs;
    uint odd;
    uint x;
    uint y;
};
typedef uint type_1[1];
constant uint WORDS = 0u;
constant uint F32_ = 1u;
constant uint F16_ = 2u;
constant uint BF16_ = 3u;
constant uint FROM = 3u;
constant uint TO = 1u;

uint f32_of_f16_(
    uint half_
) {
    uint sign = (half_ & 32768u) << 16u;
    uint rest = half_ & 32767u;
    if (rest >= 31744u) {
        return (sign | 2139095040u) | ((rest & 1023u) << 13u);
    }
    if (rest < 1024u) {
        return sign | as_type<uint>(static_cast<float>(rest) * 0.000000059604645);
    }
    return sign | ((rest << 13u) + 939524096u);
}

metal::uint2 load(
    uint i_1,
    bool single,
    device type_1 const& x,
    constant Params& params
) {
    if (false) {
        uint _e5 = params.x;
        uint at = _e5 + (2u * i_1);
        uint _e11 = x[at];
        uint _e17 = x[single ? at : (at + 1u)];
        return metal::uint2(_e11, _e17);
    }
    uint _e22 = params.x;
    uint word_1 = x[_e22 + i_1];
    if (false) {
        uint _e29 = f32_of_f16_(word_1 & 65535u);
        uint _e32 = f32_of_f16_(word_1 >> 16u);
        return metal::uint2(_e29, _e32);
    }
    return metal::uint2(word_1 << 16u, word_1 & 4294901760u);
}

void store_word(
    uint i_2,
    bool single_1,
    uint word,
    device type_1& y,
    constant Params& params
) {
    if (single_1) {
        uint _e6 = params.y;
        uint _e14 = params.y;
        uint _e17 = y[_e14 + i_2];
        y[_e6 + i_2] = (word & 65535u) | (_e17 & 4294901760u);
        return;
    } else {
        uint _e24 = params.y;
        y[_e24 + i_2] = word;
        return;
    }
}

uint rounded(
    uint value,
    uint shift
) {
    uint odd = (value >> shift) & 1u;
    return ((value + ((1u << (shift - 1u)) - 1u)) + odd) >> shift;
}

uint f16_of_f32_(
    uint bits
) {
    uint sign_1 = (bits >> 16u) & 32768u;
    uint rest_1 = bits & 2147483647u;
    if (rest_1 > 2139095040u) {
        return (sign_1 | 32256u) | ((rest_1 >> 13u) & 1023u);
    }
    if (rest_1 >= 1199566848u) {
        return sign_1 | 31744u;
    }
    if (rest_1 < 947912704u) {
        uint shift_1 = metal::min(126u - (rest_1 >> 23u), 25u);
        uint mantissa = (rest_1 & 8388607u) | 8388608u;
        uint _e32 = rounded(mantissa, shift_1);
        return sign_1 | _e32;
    }
    uint _e37 = rounded(rest_1 - 939524096u, 13u);
    return sign_1 | _e37;
}

uint bf16_of_f32_(
    uint bits_1
) {
    if ((bits_1 & 2147483647u) > 2139095040u) {
        return (bits_1 >> 16u) | 64u;
    }
    uint _e10 = rounded(bits_1, 16u);
    return _e10;
}

void store(
    uint i_3,
    bool single_2,
    metal::uint2 bits_2,
    device type_1& y,
    constant Params& params
) {
    if (true) {
        uint _e6 = params.y;
        uint at_1 = _e6 + (2u * i_3);
        y[at_1] = bits_2.x;
        if (!(single_2)) {
            y[at_1 + 1u] = bits_2.y;
        }
        return;
    }
    if (false) {
        uint _e21 = f16_of_f32_(bits_2.x);
        uint _e23 = f16_of_f32_(bits_2.y);
        store_word(i_3, single_2, _e21 | (_e23 << 16u), y, params);
        return;
    } else {
        uint _e28 = bf16_of_f32_(bits_2.x);
        uint _e30 = bf16_of_f32_(bits_2.y);
        store_word(i_3, single_2, _e28 | (_e30 << 16u), y, params);
        return;
    }
}

struct copyInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void copy(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_1 const& x [[buffer(0)]]
, device type_1& y [[buffer(1)]]
, constant Params& params [[buffer(2)]]
) {
    uint i = {};
    bool local = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e38 = i;
            i = _e38 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e4 = i;
        uint _e7 = params.pairs;
        if (_e4 < _e7) {
        } else {
            break;
        }
        {
            uint _e11 = params.odd;
            if (_e11 == 1u) {
                uint _e16 = i;
                uint _e21 = params.pairs;
                local = (_e16 + 1u) == _e21;
            } else {
                local = false;
            }
            bool single_3 = local;
            if (false) {
                uint _e26 = i;
                uint _e30 = params.x;
                uint _e31 = i;
                uint _e34 = x[_e30 + _e31];
                store_word(_e26, single_3, _e34, y, params);
            } else {
                uint _e35 = i;
                uint _e36 = i;
                metal::uint2 _e37 = load(_e36, single_3, x, params);
                store(_e35, single_3, _e37, y, params);
            }
        }
    }
    return;
}
