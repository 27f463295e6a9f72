// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


typedef metal::float4 type_2[1];
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
typedef uint Scaling;
typedef metal::uint4 Chunk;
typedef metal::uint4 type_5[1];
typedef float type_6[1];
struct type_8 {
    float inner[2];
};
struct type_9 {
    type_8 inner[1];
};
struct type_10 {
    Scaling inner[2];
};
struct type_11 {
    metal::float4 inner[1];
};
struct type_12 {
    Chunk inner[2];
};
struct type_13 {
    metal::float4 inner[2];
};
constant uint LANES = 8u;
constant uint SPAN = 32u;
constant uint ROWS = 1u;
constant uint COLUMNS = 2u;
constant uint QUADS = 2u;

Scaling scaling(
    uint row,
    uint group_1
) {
    return 0u;
}

Chunk fetch(
    uint row_1,
    uint chunk_1,
    constant Params& params,
    device type_5 const& weights
) {
    uint _e5 = params.w;
    uint _e10 = params.k;
    metal::uint4 _e17 = weights[((_e5 / 4u) + (row_1 * (_e10 / 8u))) + chunk_1];
    return _e17;
}

metal::float4 quad_(
    Chunk chunk_2,
    uint t_1,
    Scaling scaling_1
) {
    metal::uint2 words = (t_1 == 0u) ? chunk_2.xy : chunk_2.zw;
    return metal::float4(float2(as_type<half2>(words.x)), float2(as_type<half2>(words.y)));
}

struct matmul_lanesInput {
};
[[max_total_threads_per_threadgroup(8)]] kernel void matmul_lanes(
  metal::uint3 tile [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_simdgroup]]
, device type_2 const& x [[buffer(0)]]
, constant Params& params [[buffer(3)]]
, device type_5 const& weights [[buffer(1)]]
, device type_6& y [[buffer(2)]]
) {
    type_9 sums = {};
    uint group = 0u;
    type_10 scales = {};
    uint j = {};
    uint first = {};
    type_11 mine = {};
    uint i = {};
    uint c = {};
    type_12 chunk = {};
    uint j_1 = {};
    uint t = {};
    type_13 w = {};
    uint j_2 = {};
    uint i_1 = {};
    uint j_3 = {};
    uint i_2 = 0u;
    uint j_4 = {};
    bool local = {};
    uint first_row = tile.y * ROWS;
    uint first_column = (tile.x * 16u) + lane;
    uint _e11 = params.k;
    uint quads = _e11 / 4u;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e245 = group;
            group = _e245 + 1u;
        }
        loop_init = false;
        uint _e17 = group;
        uint _e20 = params.group;
        uint _e24 = params.k;
        if ((_e17 * _e20) < _e24) {
        } else {
            break;
        }
        {
            scales = type_10 {};
            j = 0u;
            bool loop_init_1 = true;
            while(true) {
                if (!loop_init_1) {
                    uint _e47 = j;
                    j = _e47 + 1u;
                }
                loop_init_1 = false;
                uint _e30 = j;
                if (_e30 < COLUMNS) {
                } else {
                    break;
                }
                {
                    uint _e33 = j;
                    uint _e35 = j;
                    uint _e41 = params.n;
                    uint _e45 = group;
                    Scaling _e46 = scaling(metal::min(first_column + (_e35 * LANES), _e41 - 1u), _e45);
                    scales.inner[_e33] = _e46;
                }
            }
            uint _e50 = group;
            uint _e55 = params.group;
            uint end = (_e50 + 1u) * _e55;
            uint _e57 = group;
            uint _e60 = params.group;
            first = _e57 * _e60;
            bool loop_init_2 = true;
            while(true) {
                if (!loop_init_2) {
                    uint _e242 = first;
                    first = _e242 + SPAN;
                }
                loop_init_2 = false;
                uint _e63 = first;
                if (_e63 < end) {
                } else {
                    break;
                }
                {
                    mine = type_11 {};
                    i = 0u;
                    bool loop_init_3 = true;
                    while(true) {
                        if (!loop_init_3) {
                            uint _e100 = i;
                            i = _e100 + 1u;
                        }
                        loop_init_3 = false;
                        uint _e69 = i;
                        if (_e69 < ROWS) {
                        } else {
                            break;
                        }
                        {
                            uint _e72 = i;
                            uint _e76 = params.m;
                            uint row_2 = metal::min(first_row + _e72, _e76 - 1u);
                            uint _e80 = i;
                            uint _e85 = params.x;
                            uint _e90 = first;
                            metal::float4 _e99 = x[((_e85 / 4u) + (row_2 * quads)) + metal::min((_e90 / 4u) + lane, quads - 1u)];
                            mine.inner[_e80] = _e99;
                        }
                    }
                    uint _e104 = first;
                    uint chunks = metal::min(4u, (end - _e104) / 8u);
                    c = 0u;
                    bool loop_init_4 = true;
                    while(true) {
                        if (!loop_init_4) {
                            uint _e239 = c;
                            c = _e239 + 1u;
                        }
                        loop_init_4 = false;
                        uint _e111 = c;
                        if (_e111 < chunks) {
                        } else {
                            break;
                        }
                        {
                            chunk = type_12 {};
                            j_1 = 0u;
                            bool loop_init_5 = true;
                            while(true) {
                                if (!loop_init_5) {
                                    uint _e138 = j_1;
                                    j_1 = _e138 + 1u;
                                }
                                loop_init_5 = false;
                                uint _e117 = j_1;
                                if (_e117 < COLUMNS) {
                                } else {
                                    break;
                                }
                                {
                                    uint _e120 = j_1;
                                    uint _e122 = j_1;
                                    uint _e128 = params.n;
                                    uint _e132 = first;
                                    uint _e135 = c;
                                    Chunk _e137 = fetch(metal::min(first_column + (_e122 * LANES), _e128 - 1u), (_e132 / 8u) + _e135, params, weights);
                                    chunk.inner[_e120] = _e137;
                                }
                            }
                            t = 0u;
                            bool loop_init_6 = true;
                            while(true) {
                                if (!loop_init_6) {
                                    uint _e236 = t;
                                    t = _e236 + 1u;
                                }
                                loop_init_6 = false;
                                uint _e143 = t;
                                if (_e143 < QUADS) {
                                } else {
                                    break;
                                }
                                {
                                    w = type_13 {};
                                    j_2 = 0u;
                                    bool loop_init_7 = true;
                                    while(true) {
                                        if (!loop_init_7) {
                                            uint _e163 = j_2;
                                            j_2 = _e163 + 1u;
                                        }
                                        loop_init_7 = false;
                                        uint _e150 = j_2;
                                        if (_e150 < COLUMNS) {
                                        } else {
                                            break;
                                        }
                                        {
                                            uint _e153 = j_2;
                                            uint _e155 = j_2;
                                            Chunk _e157 = chunk.inner[_e155];
                                            uint _e158 = t;
                                            uint _e159 = j_2;
                                            Scaling _e161 = scales.inner[_e159];
                                            metal::float4 _e162 = quad_(_e157, _e158, _e161);
                                            w.inner[_e153] = _e162;
                                        }
                                    }
                                    uint _e166 = c;
                                    uint _e169 = t;
                                    uint source = (_e166 * QUADS) + _e169;
                                    i_1 = 0u;
                                    bool loop_init_8 = true;
                                    while(true) {
                                        if (!loop_init_8) {
                                            uint _e233 = i_1;
                                            i_1 = _e233 + 1u;
                                        }
                                        loop_init_8 = false;
                                        uint _e173 = i_1;
                                        if (_e173 < ROWS) {
                                        } else {
                                            break;
                                        }
                                        {
                                            uint _e176 = i_1;
                                            float _e179 = mine.inner[_e176].x;
                                            float unnamed = metal::simd_shuffle(_e179, source);
                                            uint _e181 = i_1;
                                            float _e184 = mine.inner[_e181].y;
                                            float unnamed_1 = metal::simd_shuffle(_e184, source);
                                            uint _e186 = i_1;
                                            float _e189 = mine.inner[_e186].z;
                                            float unnamed_2 = metal::simd_shuffle(_e189, source);
                                            uint _e191 = i_1;
                                            float _e194 = mine.inner[_e191].w;
                                            float unnamed_3 = metal::simd_shuffle(_e194, source);
                                            j_3 = 0u;
                                            bool loop_init_9 = true;
                                            while(true) {
                                                if (!loop_init_9) {
                                                    uint _e230 = j_3;
                                                    j_3 = _e230 + 1u;
                                                }
                                                loop_init_9 = false;
                                                uint _e198 = j_3;
                                                if (_e198 < COLUMNS) {
                                                } else {
                                                    break;
                                                }
                                                {
                                                    uint _e201 = i_1;
                                                    uint _e203 = j_3;
                                                    uint _e205 = j_3;
                                                    float _e208 = w.inner[_e205].w;
                                                    uint _e209 = j_3;
                                                    float _e212 = w.inner[_e209].z;
                                                    uint _e213 = j_3;
                                                    float _e216 = w.inner[_e213].y;
                                                    uint _e217 = j_3;
                                                    float _e220 = w.inner[_e217].x;
                                                    uint _e221 = i_1;
                                                    uint _e223 = j_3;
                                                    float _e225 = sums.inner[_e221].inner[_e223];
                                                    sums.inner[_e201].inner[_e203] = metal::fma(unnamed_3, _e208, metal::fma(unnamed_2, _e212, metal::fma(unnamed_1, _e216, metal::fma(unnamed, _e220, _e225))));
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    bool loop_init_10 = true;
    while(true) {
        if (!loop_init_10) {
            uint _e295 = i_2;
            i_2 = _e295 + 1u;
        }
        loop_init_10 = false;
        uint _e250 = i_2;
        if (_e250 < ROWS) {
        } else {
            break;
        }
        {
            j_4 = 0u;
            bool loop_init_11 = true;
            while(true) {
                if (!loop_init_11) {
                    uint _e292 = j_4;
                    j_4 = _e292 + 1u;
                }
                loop_init_11 = false;
                uint _e255 = j_4;
                if (_e255 < COLUMNS) {
                } else {
                    break;
                }
                {
                    uint _e258 = i_2;
                    uint row_3 = first_row + _e258;
                    uint _e260 = j_4;
                    uint column = first_column + (_e260 * LANES);
                    uint _e266 = params.m;
                    if (row_3 < _e266) {
                        uint _e272 = params.n;
                        local = column < _e272;
                    } else {
                        local = false;
                    }
                    bool _e275 = local;
                    if (_e275) {
                        uint _e279 = params.y;
                        uint _e282 = params.stride;
                        uint _e287 = i_2;
                        uint _e289 = j_4;
                        float _e291 = sums.inner[_e287].inner[_e289];
                        y[(_e279 + (row_3 * _e282)) + column] = _e291;
                    }
                }
            }
        }
    }
    return;
}
