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
typedef metal::float4 Chunk;
typedef float type_4[1];
struct type_6 {
    uint inner[8];
};
struct type_7 {
    uint inner[4];
};
struct type_8 {
    float inner[4];
};
struct type_9 {
    type_8 inner[8];
};
struct type_10 {
    Scaling inner[4];
};
struct type_11 {
    metal::float4 inner[8];
};
struct type_12 {
    Chunk inner[4];
};
struct type_13 {
    metal::float4 inner[4];
};
constant uint LANES = 8u;
constant uint SPAN = 32u;
constant uint ROWS = 8u;
constant uint COLUMNS = 4u;
constant uint QUADS = 1u;

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
    device type_2 const& weights
) {
    uint _e5 = params.w;
    uint _e10 = params.k;
    metal::float4 _e17 = weights[((_e5 / 4u) + (row_1 * (_e10 / 4u))) + chunk_1];
    return _e17;
}

metal::float4 quad_(
    Chunk chunk_2,
    uint t_1,
    Scaling scaling_1
) {
    return chunk_2;
}

struct matmul_lanesInput {
};
[[max_total_threads_per_threadgroup(8)]] kernel void matmul_lanes(
  metal::uint3 tile [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_simdgroup]]
, device type_2 const& x [[buffer(0)]]
, constant Params& params [[buffer(3)]]
, device type_2 const& weights [[buffer(1)]]
, device type_4& y [[buffer(2)]]
) {
    type_6 x_row = {};
    uint i = 0u;
    type_7 w_row = {};
    uint j = 0u;
    type_9 sums = {};
    uint group = 0u;
    type_10 scales = {};
    uint j_1 = {};
    uint first = {};
    type_11 mine = {};
    uint i_1 = {};
    uint c = {};
    type_12 chunk = {};
    uint j_2 = {};
    uint t = {};
    type_13 w = {};
    uint j_3 = {};
    uint i_2 = {};
    uint j_4 = {};
    uint i_3 = 0u;
    uint j_5 = {};
    bool local = {};
    uint first_row = tile.y * ROWS;
    uint first_column = (tile.x * 32u) + lane;
    uint _e11 = params.k;
    uint quads = _e11 / 4u;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e37 = i;
            i = _e37 + 1u;
        }
        loop_init = false;
        uint _e17 = i;
        if (_e17 < ROWS) {
        } else {
            break;
        }
        {
            uint _e20 = i;
            uint _e24 = params.x;
            uint _e27 = i;
            uint _e31 = params.m;
            x_row.inner[_e20] = (_e24 / 4u) + (metal::min(first_row + _e27, _e31 - 1u) * quads);
        }
    }
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e58 = j;
            j = _e58 + 1u;
        }
        loop_init_1 = false;
        uint _e43 = j;
        if (_e43 < COLUMNS) {
        } else {
            break;
        }
        {
            uint _e46 = j;
            uint _e48 = j;
            uint _e54 = params.n;
            w_row.inner[_e46] = metal::min(first_column + (_e48 * LANES), _e54 - 1u);
        }
    }
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e266 = group;
            group = _e266 + 1u;
        }
        loop_init_2 = false;
        uint _e64 = group;
        uint _e67 = params.group;
        uint _e71 = params.k;
        if ((_e64 * _e67) < _e71) {
        } else {
            break;
        }
        {
            scales = type_10 {};
            j_1 = 0u;
            bool loop_init_3 = true;
            while(true) {
                if (!loop_init_3) {
                    uint _e87 = j_1;
                    j_1 = _e87 + 1u;
                }
                loop_init_3 = false;
                uint _e77 = j_1;
                if (_e77 < COLUMNS) {
                } else {
                    break;
                }
                {
                    uint _e80 = j_1;
                    uint _e82 = j_1;
                    uint _e84 = w_row.inner[_e82];
                    uint _e85 = group;
                    Scaling _e86 = scaling(_e84, _e85);
                    scales.inner[_e80] = _e86;
                }
            }
            uint _e90 = group;
            uint _e95 = params.group;
            uint end = (_e90 + 1u) * _e95;
            uint _e97 = group;
            uint _e100 = params.group;
            first = _e97 * _e100;
            bool loop_init_4 = true;
            while(true) {
                if (!loop_init_4) {
                    uint _e263 = first;
                    first = _e263 + SPAN;
                }
                loop_init_4 = false;
                uint _e103 = first;
                if (_e103 < end) {
                } else {
                    break;
                }
                {
                    uint _e105 = first;
                    uint mine_at = metal::min((_e105 / 4u) + lane, quads - 1u);
                    mine = type_11 {};
                    i_1 = 0u;
                    bool loop_init_5 = true;
                    while(true) {
                        if (!loop_init_5) {
                            uint _e128 = i_1;
                            i_1 = _e128 + 1u;
                        }
                        loop_init_5 = false;
                        uint _e116 = i_1;
                        if (_e116 < ROWS) {
                        } else {
                            break;
                        }
                        {
                            uint _e119 = i_1;
                            uint _e122 = i_1;
                            uint _e124 = x_row.inner[_e122];
                            metal::float4 _e127 = x[_e124 + mine_at];
                            mine.inner[_e119] = _e127;
                        }
                    }
                    uint _e132 = first;
                    uint chunks = metal::min(8u, (end - _e132) / 4u);
                    c = 0u;
                    bool loop_init_6 = true;
                    while(true) {
                        if (!loop_init_6) {
                            uint _e260 = c;
                            c = _e260 + 1u;
                        }
                        loop_init_6 = false;
                        uint _e139 = c;
                        if (_e139 < chunks) {
                        } else {
                            break;
                        }
                        {
                            chunk = type_12 {};
                            j_2 = 0u;
                            bool loop_init_7 = true;
                            while(true) {
                                if (!loop_init_7) {
                                    uint _e159 = j_2;
                                    j_2 = _e159 + 1u;
                                }
                                loop_init_7 = false;
                                uint _e145 = j_2;
                                if (_e145 < COLUMNS) {
                                } else {
                                    break;
                                }
                                {
                                    uint _e148 = j_2;
                                    uint _e150 = j_2;
                                    uint _e152 = w_row.inner[_e150];
                                    uint _e153 = first;
                                    uint _e156 = c;
                                    Chunk _e158 = fetch(_e152, (_e153 / 4u) + _e156, params, weights);
                                    chunk.inner[_e148] = _e158;
                                }
                            }
                            t = 0u;
                            bool loop_init_8 = true;
                            while(true) {
                                if (!loop_init_8) {
                                    uint _e257 = t;
                                    t = _e257 + 1u;
                                }
                                loop_init_8 = false;
                                uint _e164 = t;
                                if (_e164 < QUADS) {
                                } else {
                                    break;
                                }
                                {
                                    w = type_13 {};
                                    j_3 = 0u;
                                    bool loop_init_9 = true;
                                    while(true) {
                                        if (!loop_init_9) {
                                            uint _e184 = j_3;
                                            j_3 = _e184 + 1u;
                                        }
                                        loop_init_9 = false;
                                        uint _e171 = j_3;
                                        if (_e171 < COLUMNS) {
                                        } else {
                                            break;
                                        }
                                        {
                                            uint _e174 = j_3;
                                            uint _e176 = j_3;
                                            Chunk _e178 = chunk.inner[_e176];
                                            uint _e179 = t;
                                            uint _e180 = j_3;
                                            Scaling _e182 = scales.inner[_e180];
                                            metal::float4 _e183 = quad_(_e178, _e179, _e182);
                                            w.inner[_e174] = _e183;
                                        }
                                    }
                                    uint _e187 = c;
                                    uint _e190 = t;
                                    uint source = (_e187 * QUADS) + _e190;
                                    i_2 = 0u;
                                    bool loop_init_10 = true;
                                    while(true) {
                                        if (!loop_init_10) {
                                            uint _e254 = i_2;
                                            i_2 = _e254 + 1u;
                                        }
                                        loop_init_10 = false;
                                        uint _e194 = i_2;
                                        if (_e194 < ROWS) {
                                        } else {
                                            break;
                                        }
                                        {
                                            uint _e197 = i_2;
                                            float _e200 = mine.inner[_e197].x;
                                            float unnamed = metal::simd_shuffle(_e200, source);
                                            uint _e202 = i_2;
                                            float _e205 = mine.inner[_e202].y;
                                            float unnamed_1 = metal::simd_shuffle(_e205, source);
                                            uint _e207 = i_2;
                                            float _e210 = mine.inner[_e207].z;
                                            float unnamed_2 = metal::simd_shuffle(_e210, source);
                                            uint _e212 = i_2;
                                            float _e215 = mine.inner[_e212].w;
                                            float unnamed_3 = metal::simd_shuffle(_e215, source);
                                            j_4 = 0u;
                                            bool loop_init_11 = true;
                                            while(true) {
                                                if (!loop_init_11) {
                                                    uint _e251 = j_4;
                                                    j_4 = _e251 + 1u;
                                                }
                                                loop_init_11 = false;
                                                uint _e219 = j_4;
                                                if (_e219 < COLUMNS) {
                                                } else {
                                                    break;
                                                }
                                                {
                                                    uint _e222 = i_2;
                                                    uint _e224 = j_4;
                                                    uint _e226 = j_4;
                                                    float _e229 = w.inner[_e226].w;
                                                    uint _e230 = j_4;
                                                    float _e233 = w.inner[_e230].z;
                                                    uint _e234 = j_4;
                                                    float _e237 = w.inner[_e234].y;
                                                    uint _e238 = j_4;
                                                    float _e241 = w.inner[_e238].x;
                                                    uint _e242 = i_2;
                                                    uint _e244 = j_4;
                                                    float _e246 = sums.inner[_e242].inner[_e244];
                                                    sums.inner[_e222].inner[_e224] = metal::fma(unnamed_3, _e229, metal::fma(unnamed_2, _e233, metal::fma(unnamed_1, _e237, metal::fma(unnamed, _e241, _e246))));
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
    bool loop_init_12 = true;
    while(true) {
        if (!loop_init_12) {
            uint _e316 = i_3;
            i_3 = _e316 + 1u;
        }
        loop_init_12 = false;
        uint _e271 = i_3;
        if (_e271 < ROWS) {
        } else {
            break;
        }
        {
            j_5 = 0u;
            bool loop_init_13 = true;
            while(true) {
                if (!loop_init_13) {
                    uint _e313 = j_5;
                    j_5 = _e313 + 1u;
                }
                loop_init_13 = false;
                uint _e276 = j_5;
                if (_e276 < COLUMNS) {
                } else {
                    break;
                }
                {
                    uint _e279 = i_3;
                    uint row_2 = first_row + _e279;
                    uint _e281 = j_5;
                    uint column = first_column + (_e281 * LANES);
                    uint _e287 = params.m;
                    if (row_2 < _e287) {
                        uint _e293 = params.n;
                        local = column < _e293;
                    } else {
                        local = false;
                    }
                    bool _e296 = local;
                    if (_e296) {
                        uint _e300 = params.y;
                        uint _e303 = params.stride;
                        uint _e308 = i_3;
                        uint _e310 = j_5;
                        float _e312 = sums.inner[_e308].inner[_e310];
                        y[(_e300 + (row_2 * _e303)) + column] = _e312;
                    }
                }
            }
        }
    }
    return;
}
