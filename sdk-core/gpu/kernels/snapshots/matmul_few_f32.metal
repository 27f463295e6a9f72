// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct type_3 {
    metal::float4 inner[16];
};
struct type_4 {
    metal::float4 inner[512];
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
typedef float type_5[1];
constant uint DEPTH = 8u;
constant uint DEPTH_QUADS = 2u;
constant uint TILE_M = 8u;
constant uint ROW_QUADS = 2u;
constant uint TILE_N = 256u;
constant uint COLUMN_QUADS = 64u;
constant uint ACROSS = 32u;
constant uint THREADS = 64u;

metal::float4 x_quad(
    uint row,
    uint k_1,
    constant Params& params,
    device type_5 const& x
) {
    metal::float4 quad_1 = metal::float4(0.0);
    uint j_2 = 0u;
    uint _e4 = params.x;
    uint _e7 = params.k;
    uint i_2 = (_e4 + (row * _e7)) + k_1;
    uint _e15 = params.k;
    if ((k_1 + 4u) <= _e15) {
        float _e19 = x[i_2];
        float _e24 = x[i_2 + 1u];
        float _e29 = x[i_2 + 2u];
        float _e34 = x[i_2 + 3u];
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
            float _e53 = x[i_2 + _e50];
            quad_1[_e47] = _e53;
        }
    }
    metal::float4 _e57 = quad_1;
    return _e57;
}

metal::float4 weight_quad(
    uint row_1,
    uint k_2,
    constant Params& params,
    device type_5 const& weights
) {
    metal::float4 quad_2 = metal::float4(0.0);
    uint j_3 = 0u;
    uint _e4 = params.w;
    uint _e7 = params.k;
    uint i_3 = (_e4 + (row_1 * _e7)) + k_2;
    uint _e15 = params.k;
    if ((k_2 + 4u) <= _e15) {
        float _e19 = weights[i_3];
        float _e24 = weights[i_3 + 1u];
        float _e29 = weights[i_3 + 2u];
        float _e34 = weights[i_3 + 3u];
        return metal::float4(_e19, _e24, _e29, _e34);
    }
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e54 = j_3;
            j_3 = _e54 + 1u;
        }
        loop_init_1 = false;
        uint _e41 = j_3;
        uint _e45 = params.k;
        if ((k_2 + _e41) < _e45) {
        } else {
            break;
        }
        {
            uint _e47 = j_3;
            uint _e50 = j_3;
            float _e53 = weights[i_3 + _e50];
            quad_2[_e47] = _e53;
        }
    }
    metal::float4 _e57 = quad_2;
    return _e57;
}

void store(
    uint row_2,
    uint column,
    metal::float4 values,
    constant Params& params,
    device type_5& y
) {
    uint j_4 = 0u;
    bool local = {};
    uint _e5 = params.m;
    if (row_2 < _e5) {
        bool loop_init_2 = true;
        while(true) {
            if (!loop_init_2) {
                uint _e37 = j_4;
                j_4 = _e37 + 1u;
            }
            loop_init_2 = false;
            uint _e9 = j_4;
            if (_e9 < 4u) {
                uint _e14 = j_4;
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
                uint _e32 = j_4;
                uint _e35 = j_4;
                y[((_e25 + (row_2 * _e28)) + column) + _e32] = values[_e35];
            }
        }
        return;
    } else {
        return;
    }
}

struct matmulInput {
};
[[max_total_threads_per_threadgroup(64)]] kernel void matmul(
  metal::uint3 tile [[threadgroup_position_in_grid]]
, uint thread_ [[thread_index_in_threadgroup]]
, threadgroup type_3& x_tile
, threadgroup type_4& w_tile
, constant Params& params [[buffer(3)]]
, device type_5 const& x [[buffer(0)]]
, device type_5 const& weights [[buffer(1)]]
, device type_5& y [[buffer(2)]]
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
    bool loop_init_3 = true;
    while(true) {
        if (!loop_init_3) {
            uint _e210 = first;
            first = _e210 + DEPTH;
        }
        loop_init_3 = false;
        uint _e38 = first;
        uint _e41 = params.k;
        if (_e38 < _e41) {
        } else {
            break;
        }
        {
            i = thread_;
            bool loop_init_4 = true;
            while(true) {
                if (!loop_init_4) {
                    uint _e87 = i;
                    i = _e87 + THREADS;
                }
                loop_init_4 = false;
                uint _e44 = i;
                if (_e44 < 16u) {
                } else {
                    break;
                }
                {
                    uint _e47 = i;
                    uint row_3 = _e47 / DEPTH_QUADS;
                    uint _e50 = i;
                    uint k_3 = (_e50 % DEPTH_QUADS) * 4u;
                    uint _e58 = params.m;
                    uint _e62 = first;
                    metal::float4 _e64 = x_quad(metal::min(first_row + row_3, _e58 - 1u), _e62 + k_3, params, x);
                    j = 0u;
                    bool loop_init_5 = true;
                    while(true) {
                        if (!loop_init_5) {
                            uint _e84 = j;
                            j = _e84 + 1u;
                        }
                        loop_init_5 = false;
                        uint _e67 = j;
                        if (_e67 < 4u) {
                        } else {
                            break;
                        }
                        {
                            uint _e71 = j;
                            uint _e82 = j;
                            x_tile.inner[((k_3 + _e71) * ROW_QUADS) + (row_3 / 4u)][row_3 % 4u] = _e64[_e82];
                        }
                    }
                }
            }
            i_1 = thread_;
            bool loop_init_6 = true;
            while(true) {
                if (!loop_init_6) {
                    uint _e144 = i_1;
                    i_1 = _e144 + THREADS;
                }
                loop_init_6 = false;
                uint _e91 = i_1;
                if (_e91 < 512u) {
                } else {
                    break;
                }
                {
                    uint _e94 = i_1;
                    uint row_4 = _e94 / DEPTH_QUADS;
                    uint _e97 = i_1;
                    uint k_4 = (_e97 % DEPTH_QUADS) * 4u;
                    quad_ = metal::float4(0.0);
                    uint _e105 = first;
                    uint _e109 = params.k;
                    if ((_e105 + k_4) < _e109) {
                        uint _e114 = params.n;
                        uint _e118 = first;
                        metal::float4 _e120 = weight_quad(metal::min(first_column + row_4, _e114 - 1u), _e118 + k_4, params, weights);
                        quad_ = _e120;
                    }
                    j_1 = 0u;
                    bool loop_init_7 = true;
                    while(true) {
                        if (!loop_init_7) {
                            uint _e141 = j_1;
                            j_1 = _e141 + 1u;
                        }
                        loop_init_7 = false;
                        uint _e123 = j_1;
                        if (_e123 < 4u) {
                        } else {
                            break;
                        }
                        {
                            uint _e127 = j_1;
                            uint _e138 = j_1;
                            float _e140 = quad_[_e138];
                            w_tile.inner[((k_4 + _e127) * COLUMN_QUADS) + (row_4 / 4u)][row_4 % 4u] = _e140;
                        }
                    }
                }
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            k = 0u;
            bool loop_init_8 = true;
            while(true) {
                if (!loop_init_8) {
                    uint _e207 = k;
                    k = _e207 + 1u;
                }
                loop_init_8 = false;
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
    uint row_5 = first_row + (down * 4u);
    uint left = first_column + (across * 4u);
    uint right = left + 128u;
    metal::float4 _e221 = a0_;
    store(row_5, left, _e221, params, y);
    metal::float4 _e224 = a1_;
    store(row_5 + 1u, left, _e224, params, y);
    metal::float4 _e227 = a2_;
    store(row_5 + 2u, left, _e227, params, y);
    metal::float4 _e230 = a3_;
    store(row_5 + 3u, left, _e230, params, y);
    metal::float4 _e231 = b0_;
    store(row_5, right, _e231, params, y);
    metal::float4 _e234 = b1_;
    store(row_5 + 1u, right, _e234, params, y);
    metal::float4 _e237 = b2_;
    store(row_5 + 2u, right, _e237, params, y);
    metal::float4 _e240 = b3_;
    store(row_5 + 3u, right, _e240, params, y);
    return;
}
