// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct type_3 {
    metal::float4 inner[256];
};
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
typedef float type_4[1];
struct Scaling {
    float scale;
    float bias;
};
typedef uint type_5[1];
constant uint DEPTH = 16u;
constant uint DEPTH_QUADS = 4u;
constant uint TILE_M = 64u;
constant uint ROW_QUADS = 16u;
constant uint TILE_N = 64u;
constant uint COLUMN_QUADS = 16u;
constant uint ACROSS = 8u;
constant uint THREADS = 128u;
constant uint SCALES_F32_ = 0u;
constant uint SCALES_F16_ = 1u;
constant metal::float4 POWERS = metal::float4(1.0, 0.00390625, 0.000015258789, 1.0);

metal::float4 x_quad(
    uint row,
    uint k_1,
    constant Params& params,
    device type_4 const& x
) {
    metal::float4 quad_1 = metal::float4(0.0);
    uint j_2 = 0u;
    uint _e4 = params.x;
    uint _e7 = params.k;
    uint i_3 = (_e4 + (row * _e7)) + k_1;
    uint _e15 = params.k;
    if ((k_1 + 4u) <= _e15) {
        float _e19 = x[i_3];
        float _e24 = x[i_3 + 1u];
        float _e29 = x[i_3 + 2u];
        float _e34 = x[i_3 + 3u];
        return metal::float4(_e19, _e24, _e29, _e34);
    }
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e54 = j_2;
            j_2 = _e54 + 1u;
        }
        loop_init = false;
        uint _e41 = j_2;
        uint _e45 = params.k;
        if ((k_1 + _e41) < _e45) {
        } else {
            break;
        }
        {
            uint _e47 = j_2;
            uint _e50 = j_2;
            float _e53 = x[i_3 + _e50];
            quad_1[_e47] = _e53;
        }
    }
    metal::float4 _e57 = quad_1;
    return _e57;
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
    uint i_2,
    constant Params& params
) {
    uint half_1 = (word >> (16u * (i_2 & 1u))) & 65535u;
    uint _e11 = f32_of_f16_(half_1);
    uint _e14 = params.scale_format;
    uint narrow = (_e14 == SCALES_F16_) ? _e11 : (half_1 << 16u);
    uint _e20 = params.scale_format;
    return as_type<float>((_e20 == SCALES_F32_) ? word : narrow);
}

Scaling scaling(
    uint row_1,
    uint group,
    constant Params& params,
    device type_5 const& scales,
    device type_5 const& biases
) {
    uint _e4 = params.k;
    uint _e7 = params.group;
    uint i_4 = (row_1 * (_e4 / _e7)) + group;
    uint _e15 = params.scale_format;
    uint word_1 = (_e15 == SCALES_F32_) ? i_4 : (i_4 / 2u);
    uint _e22 = params.scales;
    uint _e25 = scales[_e22 + word_1];
    float _e26 = scale_value(_e25, i_4, params);
    uint _e30 = params.biases;
    uint _e33 = biases[_e30 + word_1];
    float _e34 = scale_value(_e33, i_4, params);
    return Scaling {_e26, _e34};
}

metal::float4 numbers(
    uint field
) {
    return static_cast<metal::float4>(static_cast<metal::int4>(metal::uint4(field & 255u, field & 65280u, field & 16711680u, field >> 24u)));
}

uint field_1(
    uint row_2,
    uint k_2,
    constant Params& params,
    device type_5 const& weights
) {
    uint _e5 = params.w;
    uint _e8 = params.k;
    uint _e17 = weights[(_e5 + (row_2 * (_e8 / 4u))) + (k_2 / 4u)];
    return _e17;
}

metal::float4 weight_quad(
    uint row_3,
    uint k_3,
    constant Params& params,
    device type_5 const& scales,
    device type_5 const& biases,
    device type_5 const& weights
) {
    uint _e4 = params.group;
    Scaling _e6 = scaling(row_3, k_3 / _e4, params, scales, biases);
    uint _e7 = field_1(row_3, k_3, params, weights);
    metal::float4 _e8 = numbers(_e7);
    return metal::fma(_e8, _e6.scale * POWERS, metal::float4(_e6.bias));
}

void store(
    uint row_4,
    uint column,
    metal::float4 values,
    constant Params& params,
    device type_4& y
) {
    uint j_3 = 0u;
    bool local = {};
    uint _e5 = params.m;
    if (row_4 < _e5) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e37 = j_3;
                j_3 = _e37 + 1u;
            }
            loop_init_1 = false;
            uint _e9 = j_3;
            if (_e9 < 4u) {
                uint _e14 = j_3;
                uint _e18 = params.n;
                local = (column + _e14) < _e18;
            } else {
                local = false;
            }
            bool _e21 = local;
            if (_e21) {
            } else {
                break;
            }
            {
                uint _e25 = params.y;
                uint _e28 = params.stride;
                uint _e32 = j_3;
                uint _e35 = j_3;
                y[((_e25 + (row_4 * _e28)) + column) + _e32] = values[_e35];
            }
        }
        return;
    } else {
        return;
    }
}

struct matmulInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void matmul(
  metal::uint3 tile [[threadgroup_position_in_grid]]
, uint thread_ [[thread_index_in_threadgroup]]
, threadgroup type_3& x_tile
, threadgroup type_3& w_tile
, constant Params& params [[buffer(5)]]
, device type_4 const& x [[buffer(0)]]
, device type_5 const& scales [[buffer(3)]]
, device type_5 const& biases [[buffer(4)]]
, device type_5 const& weights [[buffer(1)]]
, device type_4& y [[buffer(2)]]
) {
    metal::float4 a0_ = metal::float4(0.0);
    metal::float4 a1_ = metal::float4(0.0);
    metal::float4 a2_ = metal::float4(0.0);
    metal::float4 a3_ = metal::float4(0.0);
    metal::float4 b0_ = metal::float4(0.0);
    metal::float4 b1_ = metal::float4(0.0);
    metal::float4 b2_ = metal::float4(0.0);
    metal::float4 b3_ = metal::float4(0.0);
    uint first = 0u;
    uint i = {};
    uint j = {};
    uint i_1 = {};
    metal::float4 quad_ = {};
    uint j_1 = {};
    uint k = {};
    uint first_row = tile.y * TILE_M;
    uint first_column = tile.x * TILE_N;
    uint across = thread_ % ACROSS;
    uint down = thread_ / ACROSS;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e210 = first;
            first = _e210 + DEPTH;
        }
        loop_init_2 = false;
        uint _e38 = first;
        uint _e41 = params.k;
        if (_e38 < _e41) {
        } else {
            break;
        }
        {
            i = thread_;
            bool loop_init_3 = true;
            while(true) {
                if (!loop_init_3) {
                    uint _e87 = i;
                    i = _e87 + THREADS;
                }
                loop_init_3 = false;
                uint _e44 = i;
                if (_e44 < 256u) {
                } else {
                    break;
                }
                {
                    uint _e47 = i;
                    uint row_5 = _e47 / DEPTH_QUADS;
                    uint _e50 = i;
                    uint k_4 = (_e50 % DEPTH_QUADS) * 4u;
                    uint _e58 = params.m;
                    uint _e62 = first;
                    metal::float4 _e64 = x_quad(metal::min(first_row + row_5, _e58 - 1u), _e62 + k_4, params, x);
                    j = 0u;
                    bool loop_init_4 = true;
                    while(true) {
                        if (!loop_init_4) {
                            uint _e84 = j;
                            j = _e84 + 1u;
                        }
                        loop_init_4 = false;
                        uint _e67 = j;
                        if (_e67 < 4u) {
                        } else {
                            break;
                        }
                        {
                            uint _e71 = j;
                            uint _e82 = j;
                            x_tile.inner[((k_4 + _e71) * ROW_QUADS) + (row_5 / 4u)][row_5 % 4u] = _e64[_e82];
                        }
                    }
                }
            }
            i_1 = thread_;
            bool loop_init_5 = true;
            while(true) {
                if (!loop_init_5) {
                    uint _e144 = i_1;
                    i_1 = _e144 + THREADS;
                }
                loop_init_5 = false;
                uint _e91 = i_1;
                if (_e91 < 256u) {
                } else {
                    break;
                }
                {
                    uint _e94 = i_1;
                    uint row_6 = _e94 / DEPTH_QUADS;
                    uint _e97 = i_1;
                    uint k_5 = (_e97 % DEPTH_QUADS) * 4u;
                    quad_ = metal::float4(0.0);
                    uint _e105 = first;
                    uint _e109 = params.k;
                    if ((_e105 + k_5) < _e109) {
                        uint _e114 = params.n;
                        uint _e118 = first;
                        metal::float4 _e120 = weight_quad(metal::min(first_column + row_6, _e114 - 1u), _e118 + k_5, params, scales, biases, weights);
                        quad_ = _e120;
                    }
                    j_1 = 0u;
                    bool loop_init_6 = true;
                    while(true) {
                        if (!loop_init_6) {
                            uint _e141 = j_1;
                            j_1 = _e141 + 1u;
                        }
                        loop_init_6 = false;
                        uint _e123 = j_1;
                        if (_e123 < 4u) {
                        } else {
                            break;
                        }
                        {
                            uint _e127 = j_1;
                            uint _e138 = j_1;
                            float _e140 = quad_[_e138];
                            w_tile.inner[((k_5 + _e127) * COLUMN_QUADS) + (row_6 / 4u)][row_6 % 4u] = _e140;
                        }
                    }
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            k = 0u;
            bool loop_init_7 = true;
            while(true) {
                if (!loop_init_7) {
                    uint _e207 = k;
                    k = _e207 + 1u;
                }
                loop_init_7 = false;
                uint _e149 = k;
                if (_e149 < DEPTH) {
                } else {
                    break;
                }
                {
                    uint _e153 = k;
                    metal::float4 rows = x_tile.inner[(_e153 * ROW_QUADS) + down];
                    uint _e160 = k;
                    metal::float4 a = w_tile.inner[(_e160 * COLUMN_QUADS) + across];
                    uint _e167 = k;
                    metal::float4 b = w_tile.inner[((_e167 * COLUMN_QUADS) + ACROSS) + across];
                    metal::float4 _e177 = a0_;
                    a0_ = metal::fma(metal::float4(rows.x), a, _e177);
                    metal::float4 _e181 = a1_;
                    a1_ = metal::fma(metal::float4(rows.y), a, _e181);
                    metal::float4 _e185 = a2_;
                    a2_ = metal::fma(metal::float4(rows.z), a, _e185);
                    metal::float4 _e189 = a3_;
                    a3_ = metal::fma(metal::float4(rows.w), a, _e189);
                    metal::float4 _e193 = b0_;
                    b0_ = metal::fma(metal::float4(rows.x), b, _e193);
                    metal::float4 _e197 = b1_;
                    b1_ = metal::fma(metal::float4(rows.y), b, _e197);
                    metal::float4 _e201 = b2_;
                    b2_ = metal::fma(metal::float4(rows.z), b, _e201);
                    metal::float4 _e205 = b3_;
                    b3_ = metal::fma(metal::float4(rows.w), b, _e205);
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    uint row_7 = first_row + (down * 4u);
    uint left = first_column + (across * 4u);
    uint right = left + 32u;
    metal::float4 _e221 = a0_;
    store(row_7, left, _e221, params, y);
    metal::float4 _e224 = a1_;
    store(row_7 + 1u, left, _e224, params, y);
    metal::float4 _e227 = a2_;
    store(row_7 + 2u, left, _e227, params, y);
    metal::float4 _e230 = a3_;
    store(row_7 + 3u, left, _e230, params, y);
    metal::float4 _e231 = b0_;
    store(row_7, right, _e231, params, y);
    metal::float4 _e234 = b1_;
    store(row_7 + 1u, right, _e234, params, y);
    metal::float4 _e237 = b2_;
    store(row_7 + 2u, right, _e237, params, y);
    metal::float4 _e240 = b3_;
    store(row_7 + 3u, right, _e240, params, y);
    return;
}
