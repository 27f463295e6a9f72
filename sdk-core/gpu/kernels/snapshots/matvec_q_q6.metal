// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint m;
    uint n;
    uint k;
    uint stride;
    uint x;
    uint w;
    uint y;
    uint scales;
    uint biases;
    uint group;
    uint scale_format;
};
typedef float type_3[1];
typedef uint type_5[1];
struct Scaling {
    float scale;
    float bias;
};
struct type_7 {
    metal::float4 inner[64];
};
constant uint THREADS = 64u;
constant uint OUTPUTS = 4u;
constant metal::float4 POWERS = metal::float4(1.0, 0.015625, 0.00024414063, 0.0000038146973);
constant uint SCALES_F32_ = 0u;
constant uint SCALES_F16_ = 1u;

metal::uint4 output_rows(
    uint tile_1,
    constant Params& params
) {
    uint _e12 = params.n;
    return metal::min(metal::uint4(tile_1 * OUTPUTS) + metal::uint4(0u, 1u, 2u, 3u), metal::uint4(_e12 - 1u));
}

metal::float4 x_quad(
    uint row,
    uint k_1,
    constant Params& params,
    device type_3 const& x
) {
    metal::float4 quad_ = metal::float4(0.0);
    uint j = 0u;
    uint _e4 = params.x;
    uint _e7 = params.k;
    uint i_1 = (_e4 + (row * _e7)) + k_1;
    uint _e15 = params.k;
    if ((k_1 + 4u) <= _e15) {
        float _e19 = x[i_1];
        float _e24 = x[i_1 + 1u];
        float _e29 = x[i_1 + 2u];
        float _e34 = x[i_1 + 3u];
        return metal::float4(_e19, _e24, _e29, _e34);
    }
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e54 = j;
            j = _e54 + 1u;
        }
        loop_init = false;
        uint _e41 = j;
        uint _e45 = params.k;
        if ((k_1 + _e41) < _e45) {
        } else {
            break;
        }
        {
            uint _e47 = j;
            uint _e50 = j;
            float _e53 = x[i_1 + _e50];
            quad_[_e47] = _e53;
        }
    }
    metal::float4 _e57 = quad_;
    return _e57;
}

metal::float4 numbers(
    uint field
) {
    return static_cast<metal::float4>(static_cast<metal::int4>(metal::uint4(field) & metal::uint4(63u, 4032u, 258048u, 16515072u)));
}

uint field_1(
    uint row_1,
    uint k_2,
    constant Params& params,
    device type_5 const& weights
) {
    uint bit = (k_2 & 31u) * 6u;
    uint _e8 = params.w;
    uint _e11 = params.k;
    uint i_2 = (_e8 + (((row_1 * (_e11 / 32u)) + (k_2 / 32u)) * 6u)) + (bit / 32u);
    uint shift = bit & 31u;
    if (shift <= 8u) {
        uint _e30 = weights[i_2];
        return _e30 >> shift;
    }
    uint _e34 = weights[i_2];
    uint _e40 = weights[i_2 + 1u];
    return (_e34 >> shift) | (_e40 << (32u - shift));
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

float scale_value(
    uint word,
    uint i,
    constant Params& params
) {
    uint half_2 = (word >> (16u * (i & 1u))) & 65535u;
    uint _e11 = f32_of_f16_(half_2);
    uint _e14 = params.scale_format;
    uint narrow = (_e14 == SCALES_F16_) ? _e11 : (half_2 << 16u);
    uint _e20 = params.scale_format;
    return as_type<float>((_e20 == SCALES_F32_) ? word : narrow);
}

Scaling scaling(
    uint row_2,
    uint group,
    constant Params& params,
    device type_5 const& scales,
    device type_5 const& biases
) {
    uint _e4 = params.k;
    uint _e7 = params.group;
    uint i_3 = (row_2 * (_e4 / _e7)) + group;
    uint _e15 = params.scale_format;
    uint word_1 = (_e15 == SCALES_F32_) ? i_3 : (i_3 / 2u);
    uint _e22 = params.scales;
    uint _e25 = scales[_e22 + word_1];
    float _e26 = scale_value(_e25, i_3, params);
    uint _e30 = params.biases;
    uint _e33 = biases[_e30 + word_1];
    float _e34 = scale_value(_e33, i_3, params);
    return Scaling {_e26, _e34};
}

float sixteen(
    uint row_3,
    uint k_3,
    metal::float4x4 xs,
    float total,
    constant Params& params,
    device type_5 const& weights,
    device type_5 const& scales,
    device type_5 const& biases
) {
    uint _e4 = field_1(row_3, k_3, params, weights);
    metal::float4 _e5 = numbers(_e4);
    uint _e10 = field_1(row_3, k_3 + 4u, params, weights);
    metal::float4 _e11 = numbers(_e10);
    uint _e17 = field_1(row_3, k_3 + 8u, params, weights);
    metal::float4 _e18 = numbers(_e17);
    uint _e24 = field_1(row_3, k_3 + 12u, params, weights);
    metal::float4 _e25 = numbers(_e24);
    float products = ((metal::dot(_e5, xs[0]) + metal::dot(_e11, xs[1])) + metal::dot(_e18, xs[2])) + metal::dot(_e25, xs[3]);
    uint _e31 = params.group;
    Scaling _e33 = scaling(row_3, k_3 / _e31, params, scales, biases);
    return metal::fma(_e33.scale, products, _e33.bias * total);
}

void finish(
    metal::uint3 tile_2,
    uint thread_1,
    metal::float4 sums_1,
    constant Params& params,
    threadgroup type_7& partial,
    device type_3& y
) {
    uint half_1 = 32u;
    bool local = {};
    partial.inner[thread_1] = sums_1;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e21 = half_1;
            half_1 = _e21 / 2u;
        }
        loop_init_1 = false;
        uint _e7 = half_1;
        if (_e7 > 0u) {
        } else {
            break;
        }
        {
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e10 = half_1;
            if (thread_1 < _e10) {
                metal::float4 _e14 = partial.inner[thread_1];
                uint _e16 = half_1;
                metal::float4 _e19 = partial.inner[thread_1 + _e16];
                partial.inner[thread_1] = _e14 + _e19;
            }
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint column = (tile_2.x * OUTPUTS) + thread_1;
    if (thread_1 < OUTPUTS) {
        uint _e34 = params.n;
        local = column < _e34;
    } else {
        local = false;
    }
    bool _e37 = local;
    if (_e37) {
        uint _e41 = params.y;
        uint _e45 = params.stride;
        float _e53 = partial.inner[0][thread_1];
        y[(_e41 + (tile_2.y * _e45)) + column] = _e53;
        return;
    } else {
        return;
    }
}

struct matvec_qInput {
};
[[max_total_threads_per_threadgroup(64)]] kernel void matvec_q(
  metal::uint3 tile [[threadgroup_position_in_grid]]
, uint thread_ [[thread_index_in_threadgroup]]
, constant Params& params [[buffer(5)]]
, device type_3 const& x [[buffer(0)]]
, device type_5 const& weights [[buffer(1)]]
, device type_5 const& scales [[buffer(3)]]
, device type_5 const& biases [[buffer(4)]]
, threadgroup type_7& partial
, device type_3& y [[buffer(2)]]
) {
    metal::float4 sums = metal::float4(0.0);
    uint k = {};
    metal::uint4 _e3 = output_rows(tile.x, params);
    k = thread_ * 16u;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e63 = k;
            k = _e63 + 1024u;
        }
        loop_init_2 = false;
        uint _e10 = k;
        uint _e13 = params.k;
        if (_e10 < _e13) {
        } else {
            break;
        }
        {
            uint _e16 = k;
            metal::float4 _e17 = x_quad(tile.y, _e16, params, x);
            uint _e19 = k;
            metal::float4 _e22 = x_quad(tile.y, _e19 + 4u, params, x);
            uint _e24 = k;
            metal::float4 _e27 = x_quad(tile.y, _e24 + 8u, params, x);
            uint _e29 = k;
            metal::float4 _e32 = x_quad(tile.y, _e29 + 12u, params, x);
            float total_1 = metal::dot((_e17 + _e22) + (_e27 + _e32), metal::float4(1.0));
            metal::float4x4 xs_1 = metal::float4x4(_e17 * POWERS, _e22 * POWERS, _e27 * POWERS, _e32 * POWERS);
            metal::float4 _e48 = sums;
            uint _e50 = k;
            float _e51 = sixteen(_e3.x, _e50, xs_1, total_1, params, weights, scales, biases);
            uint _e53 = k;
            float _e54 = sixteen(_e3.y, _e53, xs_1, total_1, params, weights, scales, biases);
            uint _e56 = k;
            float _e57 = sixteen(_e3.z, _e56, xs_1, total_1, params, weights, scales, biases);
            uint _e59 = k;
            float _e60 = sixteen(_e3.w, _e59, xs_1, total_1, params, weights, scales, biases);
            sums = _e48 + metal::float4(_e51, _e54, _e57, _e60);
        }
    }
    metal::float4 _e66 = sums;
    finish(tile, thread_, _e66, params, partial, y);
    return;
}
