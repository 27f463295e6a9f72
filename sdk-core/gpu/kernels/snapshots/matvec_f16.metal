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
struct type_7 {
    metal::float4 inner[64];
};
constant uint THREADS = 64u;
constant uint OUTPUTS = 4u;

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

metal::float2 pair(
    uint i,
    constant Params& params,
    device type_5 const& weights
) {
    uint _e4 = params.w;
    uint word = weights[_e4 + i];
    return float2(as_type<half2>(word));
}

metal::float4 weight_quad(
    uint row_1,
    uint k_2,
    constant Params& params,
    device type_5 const& weights
) {
    metal::float4 quad_1 = metal::float4(0.0);
    uint j_1 = 0u;
    uint _e4 = params.k;
    uint i_2 = (row_1 * _e4) + k_2;
    uint _e11 = params.k;
    if ((k_2 + 4u) <= _e11) {
        if ((i_2 & 1u) == 0u) {
            metal::float2 _e19 = pair(i_2 / 2u, params, weights);
            metal::float2 _e24 = pair((i_2 / 2u) + 1u, params, weights);
            return metal::float4(_e19, _e24);
        }
        metal::float2 _e28 = pair(i_2 / 2u, params, weights);
        metal::float2 _e34 = pair((i_2 / 2u) + 1u, params, weights);
        metal::float2 _e39 = pair((i_2 / 2u) + 2u, params, weights);
        return metal::float4(_e28.y, _e34, _e39.x);
    }
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e69 = j_1;
            j_1 = _e69 + 1u;
        }
        loop_init_1 = false;
        uint _e47 = j_1;
        uint _e51 = params.k;
        if ((k_2 + _e47) < _e51) {
        } else {
            break;
        }
        {
            uint _e53 = j_1;
            metal::float2 _e57 = pair((i_2 + _e53) / 2u, params, weights);
            uint _e58 = j_1;
            uint _e62 = j_1;
            quad_1[_e58] = (((i_2 + _e62) & 1u) == 1u) ? _e57.y : _e57.x;
        }
    }
    metal::float4 _e72 = quad_1;
    return _e72;
}

void finish(
    metal::uint3 tile_2,
    uint thread_1,
    metal::float4 sums_1,
    constant Params& params,
    threadgroup type_7& partial,
    device type_3& y
) {
    uint half_ = 32u;
    bool local = {};
    partial.inner[thread_1] = sums_1;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e21 = half_;
            half_ = _e21 / 2u;
        }
        loop_init_2 = false;
        uint _e7 = half_;
        if (_e7 > 0u) {
        } else {
            break;
        }
        {
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e10 = half_;
            if (thread_1 < _e10) {
                metal::float4 _e14 = partial.inner[thread_1];
                uint _e16 = half_;
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

struct matvecInput {
};
[[max_total_threads_per_threadgroup(64)]] kernel void matvec(
  metal::uint3 tile [[threadgroup_position_in_grid]]
, uint thread_ [[thread_index_in_threadgroup]]
, constant Params& params [[buffer(3)]]
, device type_3 const& x [[buffer(0)]]
, device type_5 const& weights [[buffer(1)]]
, threadgroup type_7& partial
, device type_3& y [[buffer(2)]]
) {
    metal::float4 sums = metal::float4(0.0);
    uint k = {};
    metal::uint4 _e3 = output_rows(tile.x, params);
    k = thread_ * 4u;
    bool loop_init_3 = true;
    while(true) {
        if (!loop_init_3) {
            uint _e37 = k;
            k = _e37 + 256u;
        }
        loop_init_3 = false;
        uint _e10 = k;
        uint _e13 = params.k;
        if (_e10 < _e13) {
        } else {
            break;
        }
        {
            uint _e16 = k;
            metal::float4 _e17 = x_quad(tile.y, _e16, params, x);
            metal::float4 _e18 = sums;
            uint _e20 = k;
            metal::float4 _e21 = weight_quad(_e3.x, _e20, params, weights);
            uint _e24 = k;
            metal::float4 _e25 = weight_quad(_e3.y, _e24, params, weights);
            uint _e28 = k;
            metal::float4 _e29 = weight_quad(_e3.z, _e28, params, weights);
            uint _e32 = k;
            metal::float4 _e33 = weight_quad(_e3.w, _e32, params, weights);
            sums = _e18 + metal::float4(metal::dot(_e21, _e17), metal::dot(_e25, _e17), metal::dot(_e29, _e17), metal::dot(_e33, _e17));
        }
    }
    metal::float4 _e40 = sums;
    finish(tile, thread_, _e40, params, partial, y);
    return;
}
