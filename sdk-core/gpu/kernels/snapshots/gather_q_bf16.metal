// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    uint columns;
    uint bits;
    uint group;
    uint first;
    uint rows;
    uint total;
    uint zeroes;
    uint words;
    uint scales;
    uint biases;
    uint ids;
    uint y;
};
typedef uint type_1[1];
typedef float type_3[1];
constant uint F32_ = 1u;
constant uint F16_ = 2u;
constant uint BF16_ = 3u;
constant uint FORMAT = 3u;

uint quantised(
    uint row,
    uint column,
    device type_1 const& words,
    constant Params& params
) {
    uint q = {};
    uint _e4 = params.bits;
    uint bit = column * _e4;
    uint _e8 = params.words;
    uint _e11 = params.columns;
    uint _e16 = params.bits;
    uint word_1 = (_e8 + (row * ((_e11 / 32u) * _e16))) + (bit >> 5u);
    uint shift = bit & 31u;
    uint _e27 = words[word_1];
    q = _e27 >> shift;
    uint _e32 = params.bits;
    if ((shift + _e32) > 32u) {
        uint _e36 = q;
        uint _e41 = words[word_1 + 1u];
        q = _e36 | (_e41 << (32u - shift));
    }
    uint _e46 = q;
    uint _e50 = params.bits;
    return _e46 & ((1u << _e50) - 1u);
}

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

float value(
    uint word,
    uint i_1
) {
    if (false) {
        return as_type<float>(word);
    }
    uint half_1 = (word >> (16u * (i_1 & 1u))) & 65535u;
    if (false) {
        uint _e12 = f32_of_f16_(half_1);
        return as_type<float>(_e12);
    }
    return as_type<float>(half_1 << 16u);
}

struct gather_qInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void gather_q(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_1 const& words [[buffer(0)]]
, device type_1 const& scales [[buffer(1)]]
, device type_1 const& biases [[buffer(2)]]
, device type_1 const& ids [[buffer(3)]]
, device type_3& y [[buffer(4)]]
, constant Params& params [[buffer(5)]]
) {
    uint i = {};
    bool local = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e99 = i;
            i = _e99 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e4 = i;
        uint _e7 = params.n;
        if (_e4 < _e7) {
        } else {
            break;
        }
        {
            uint _e12 = params.ids;
            uint _e13 = i;
            uint _e16 = params.columns;
            uint row_1 = ids[_e12 + (_e13 / _e16)];
            uint _e23 = params.first;
            uint here = row_1 - _e23;
            uint _e27 = params.rows;
            if (here < _e27) {
                uint _e29 = i;
                uint _e32 = params.columns;
                uint column_1 = _e29 % _e32;
                uint _e36 = params.columns;
                uint _e39 = params.group;
                uint _e44 = params.group;
                uint g = (here * (_e36 / _e39)) + (column_1 / _e44);
                uint at = false ? g : (g >> 1u);
                uint _e54 = params.scales;
                uint _e57 = scales[_e54 + at];
                float _e58 = value(_e57, g);
                uint _e62 = params.biases;
                uint _e65 = biases[_e62 + at];
                float _e66 = value(_e65, g);
                uint _e70 = params.y;
                uint _e71 = i;
                uint _e74 = quantised(here, column_1, words, params);
                y[_e70 + _e71] = (_e58 * static_cast<float>(_e74)) + _e66;
            } else {
                uint _e80 = params.total;
                if (row_1 >= _e80) {
                    uint _e86 = params.zeroes;
                    local = _e86 == 1u;
                } else {
                    local = false;
                }
                bool _e90 = local;
                if (_e90) {
                    uint _e94 = params.y;
                    uint _e95 = i;
                    y[_e94 + _e95] = 0.0;
                }
            }
        }
    }
    return;
}
