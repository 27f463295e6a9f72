// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint queries;
    uint group;
    uint kv_heads;
    uint quads;
    uint tiles;
    uint stretches;
    uint entries;
    uint cache_rows;
    uint page;
    uint window;
    float scale;
    uint q;
    uint keys;
    uint values;
    uint pages;
    uint rows;
    uint y;
    uint key_scales;
    uint value_scales;
};
typedef float type_2[1];
typedef uint type_3[1];
struct type_5 {
    metal::float4 inner[512];
};
struct type_6 {
    float inner[1024];
};
struct type_7 {
    float inner[128];
};
struct type_8 {
    float inner[8];
};
struct type_9 {
    uint inner[32];
};
struct Span {
    uint first;
    uint start;
    uint to;
};
struct type_12 {
    metal::float4 inner[8];
};
constant uint THREADS = 128u;
constant uint TILE = 8u;
constant uint BLOCK = 16u;
constant uint SHARERS = 8u;
constant uint NONE = 4294967295u;
constant uint MOST_QUADS = 64u;

Span span(
    uint query,
    device type_3 const& rows,
    constant Params& params
) {
    bool local_5 = {};
    uint _e3 = params.rows;
    uint _e7 = params.group;
    uint at = _e3 + (2u * (query / _e7));
    uint first_1 = rows[at];
    uint position_1 = rows[at + 1u];
    uint _e22 = params.entries;
    uint _e26 = params.page;
    uint _e30 = params.entries;
    uint known = (first_1 < _e30) ? ((_e22 - first_1) * _e26) : 0u;
    uint to_1 = (position_1 < known) ? (position_1 + 1u) : known;
    uint _e39 = params.window;
    bool has_window = _e39 != NONE;
    uint _e45 = params.window;
    if (has_window) {
        uint _e53 = params.window;
        local_5 = position_1 >= _e53;
    } else {
        local_5 = false;
    }
    bool _e56 = local_5;
    uint start_1 = _e56 ? (position_1 - (_e45 - 1u)) : 0u;
    return Span {first_1, start_1, to_1};
}

uint row_of(
    uint first,
    uint position,
    device type_3 const& pages,
    constant Params& params
) {
    uint _e5 = params.pages;
    uint _e9 = params.page;
    uint entry = pages[(_e5 + first) + (position / _e9)];
    uint _e16 = params.cache_rows;
    uint _e21 = params.page;
    if (entry > ((_e16 - 1u) / _e21)) {
        return NONE;
    }
    uint _e27 = params.page;
    uint _e31 = params.page;
    uint row_1 = (entry * _e27) + (position % _e31);
    uint _e37 = params.cache_rows;
    return (row_1 < _e37) ? row_1 : NONE;
}

float exponential(
    float d
) {
    return metal::exp((d < -104.0) ? -104.0 : d);
}

uint head_of(
    uint query_1,
    uint kv,
    constant Params& params
) {
    uint _e4 = params.group;
    uint _e8 = params.kv_heads;
    uint _e13 = params.group;
    uint _e17 = params.group;
    return ((((query_1 / _e4) * _e8) + kv) * _e13) + (query_1 % _e17);
}

metal::float4 key_quad(
    uint i_5,
    constant Params& params,
    device type_3 const& keys
) {
    uint _e3 = params.keys;
    uint at_1 = _e3 + (2u * i_5);
    uint _e9 = keys[at_1];
    uint _e15 = keys[at_1 + 1u];
    return metal::float4(float2(as_type<half2>(_e9)), float2(as_type<half2>(_e15)));
}

float key_scale(
    uint head
) {
    return 1.0;
}

metal::float4 value_quad(
    uint i_6,
    constant Params& params,
    device type_3 const& values
) {
    uint _e3 = params.values;
    uint at_2 = _e3 + (2u * i_6);
    uint _e9 = values[at_2];
    uint _e15 = values[at_2 + 1u];
    return metal::float4(float2(as_type<half2>(_e9)), float2(as_type<half2>(_e15)));
}

float value_scale(
    uint head_1
) {
    return 1.0;
}

void leave(
    uint head_2,
    uint stretch,
    uint quad_1,
    metal::float4 sum_1,
    float total_1,
    float highest_1,
    device type_2& y,
    constant Params& params
) {
    uint i_7 = 0u;
    uint i_8 = 0u;
    uint _e8 = params.stretches;
    if (_e8 == 1u) {
        metal::float4 result = (as_type<uint>(total_1) == 0u) ? metal::float4(0.0) : (sum_1 / metal::float4(total_1));
        uint _e21 = params.y;
        uint _e24 = params.quads;
        uint at_3 = _e21 + (((head_2 * _e24) + quad_1) * 4u);
        bool loop_init = true;
        while(true) {
            if (!loop_init) {
                uint _e41 = i_7;
                i_7 = _e41 + 1u;
            }
            loop_init = false;
            uint _e32 = i_7;
            if (_e32 < 4u) {
            } else {
                break;
            }
            {
                uint _e36 = i_7;
                uint _e39 = i_7;
                y[at_3 + _e36] = result[_e39];
            }
        }
        return;
    }
    uint _e46 = params.y;
    uint _e49 = params.stretches;
    uint _e55 = params.quads;
    uint at_4 = _e46 + (((head_2 * _e49) + stretch) * ((4u * _e55) + 2u));
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e75 = i_8;
            i_8 = _e75 + 1u;
        }
        loop_init_1 = false;
        uint _e63 = i_8;
        if (_e63 < 4u) {
        } else {
            break;
        }
        {
            uint _e70 = i_8;
            uint _e73 = i_8;
            y[(at_4 + (quad_1 * 4u)) + _e70] = sum_1[_e73];
        }
    }
    if (quad_1 == 0u) {
        uint _e84 = params.quads;
        y[at_4 + (4u * _e84)] = highest_1;
        uint _e92 = params.quads;
        y[(at_4 + (4u * _e92)) + 1u] = total_1;
        return;
    } else {
        return;
    }
}

struct attentionInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void attention(
  metal::uint3 workgroup [[threadgroup_position_in_grid]]
, metal::uint3 workgroups [[threadgroups_per_grid]]
, uint thread_ [[thread_index_in_threadgroup]]
, device type_2 const& q [[buffer(0)]]
, device type_3 const& pages [[buffer(3)]]
, device type_3 const& rows [[buffer(4)]]
, device type_2& y [[buffer(5)]]
, constant Params& params [[buffer(6)]]
, threadgroup type_5& queries
, threadgroup type_6& shares
, threadgroup type_7& scores
, threadgroup type_7& weights
, threadgroup type_8& corrections
, threadgroup type_9& block_rows
, device type_3 const& keys [[buffer(1)]]
, device type_3 const& values [[buffer(2)]]
) {
    uint i = {};
    metal::float4 quad_ = {};
    float highest = -340282350000000000000000000000000000000.0;
    type_12 sums = {};
    type_8 totals = {};
    uint t = 0u;
    uint half_ = 0u;
    uint begin = 0u;
    uint end = {};
    uint start = {};
    uint to = {};
    uint block = {};
    uint k = {};
    uint row = {};
    type_8 dots = {};
    uint t_1 = {};
    uint i_1 = {};
    uint t_2 = {};
    uint t_3 = {};
    uint t_4 = {};
    float score = {};
    uint i_2 = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    float now = {};
    uint i_3 = {};
    uint t_5 = {};
    uint k_1 = {};
    uint t_6 = {};
    uint t_7 = 0u;
    bool local_4 = {};
    metal::float4 sum = {};
    float total = {};
    uint i_4 = {};
    uint item = (workgroup.y * workgroups.x) + workgroup.x;
    uint _e10 = params.tiles;
    uint _e14 = params.kv_heads;
    uint stretch_1 = (item / _e10) / _e14;
    uint _e18 = params.stretches;
    if (stretch_1 >= _e18) {
        return;
    }
    uint _e22 = params.tiles;
    uint _e26 = params.kv_heads;
    uint kv_1 = (item / _e22) % _e26;
    uint _e30 = params.tiles;
    uint first_query = (item % _e30) * TILE;
    uint _e37 = params.queries;
    uint count = metal::min(TILE, _e37 - first_query);
    i = thread_;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e109 = i;
            i = _e109 + THREADS;
        }
        loop_init_2 = false;
        uint _e41 = i;
        uint _e45 = params.quads;
        if (_e41 < (TILE * _e45)) {
        } else {
            break;
        }
        {
            uint _e48 = i;
            uint _e51 = params.quads;
            uint t_8 = _e48 / _e51;
            quad_ = metal::float4(0.0);
            if (t_8 < count) {
                uint _e59 = params.q;
                uint _e61 = head_of(first_query + t_8, kv_1, params);
                uint _e64 = params.quads;
                uint _e66 = i;
                uint _e69 = params.quads;
                uint at_5 = _e59 + (((_e61 * _e64) + (_e66 % _e69)) * 4u);
                float _e77 = params.scale;
                float _e80 = q[at_5];
                float _e85 = q[at_5 + 1u];
                float _e90 = q[at_5 + 2u];
                float _e95 = q[at_5 + 3u];
                quad_ = _e77 * metal::float4(_e80, _e85, _e90, _e95);
            }
            uint _e101 = i;
            uint _e104 = params.quads;
            metal::float4 _e108 = quad_;
            queries.inner[(t_8 * MOST_QUADS) + (_e101 % _e104)] = _e108;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint sharer = thread_ % SHARERS;
    uint query_2 = thread_ / BLOCK;
    uint place = thread_ % BLOCK;
    Span _e122 = span(first_query + metal::min(query_2, count - 1u), rows, params);
    uint _e126 = params.quads;
    uint value_shares = THREADS / _e126;
    uint _e130 = params.quads;
    uint value_share = thread_ / _e130;
    uint _e134 = params.quads;
    uint value_at = thread_ % _e134;
    bool loop_init_3 = true;
    while(true) {
        if (!loop_init_3) {
            uint _e152 = t;
            t = _e152 + 1u;
        }
        loop_init_3 = false;
        uint _e142 = t;
        if (_e142 < TILE) {
        } else {
            break;
        }
        {
            uint _e145 = t;
            sums.inner[_e145] = metal::float4(0.0);
            uint _e149 = t;
            totals.inner[_e149] = 0.0;
        }
    }
    while(true) {
        uint _e159 = begin;
        if (_e159 < count) {
        } else {
            break;
        }
        {
            uint _e161 = begin;
            Span _e163 = span(first_query + _e161, rows, params);
            uint first_2 = _e163.first;
            uint _e165 = begin;
            end = _e165;
            start = NONE;
            to = 0u;
            while(true) {
                uint _e171 = end;
                if (_e171 < count) {
                } else {
                    break;
                }
                {
                    uint _e173 = end;
                    Span _e175 = span(first_query + _e173, rows, params);
                    if (_e175.first != first_2) {
                        break;
                    }
                    if (_e175.start < _e175.to) {
                        uint _e181 = start;
                        start = metal::min(_e181, _e175.start);
                        uint _e184 = to;
                        to = metal::max(_e184, _e175.to);
                    }
                    uint _e187 = end;
                    end = _e187 + 1u;
                }
            }
            uint _e190 = start;
            uint _e191 = to;
            if (_e190 < _e191) {
                uint _e193 = to;
                uint _e194 = start;
                uint _e198 = params.stretches;
                uint _e204 = params.stretches;
                uint most = (((_e193 - _e194) + _e198) - 1u) / _e204;
                uint _e206 = start;
                start = _e206 + (stretch_1 * most);
                uint _e209 = to;
                uint _e210 = start;
                to = metal::min(_e209, _e210 + most);
            }
            uint _e213 = start;
            block = _e213;
            bool loop_init_4 = true;
            while(true) {
                if (!loop_init_4) {
                    uint _e526 = block;
                    block = _e526 + BLOCK;
                }
                loop_init_4 = false;
                uint _e215 = block;
                uint _e216 = to;
                if (_e215 < _e216) {
                } else {
                    break;
                }
                {
                    k = thread_ / SHARERS;
                    bool loop_init_5 = true;
                    while(true) {
                        if (!loop_init_5) {
                            uint _e338 = k;
                            k = _e338 + 16u;
                        }
                        loop_init_5 = false;
                        uint _e221 = k;
                        if (_e221 < BLOCK) {
                        } else {
                            break;
                        }
                        {
                            row = NONE;
                            uint _e226 = block;
                            uint _e227 = k;
                            uint _e229 = to;
                            if ((_e226 + _e227) < _e229) {
                                uint _e231 = block;
                                uint _e232 = k;
                                uint _e234 = row_of(first_2, _e231 + _e232, pages, params);
                                row = _e234;
                            }
                            dots = type_8 {};
                            t_1 = 0u;
                            bool loop_init_6 = true;
                            while(true) {
                                if (!loop_init_6) {
                                    uint _e245 = t_1;
                                    t_1 = _e245 + 1u;
                                }
                                loop_init_6 = false;
                                uint _e239 = t_1;
                                if (_e239 < TILE) {
                                } else {
                                    break;
                                }
                                {
                                    uint _e242 = t_1;
                                    dots.inner[_e242] = 0.0;
                                }
                            }
                            uint _e248 = row;
                            if (_e248 != NONE) {
                                uint _e251 = row;
                                uint _e254 = params.kv_heads;
                                uint head_3 = (_e251 * _e254) + kv_1;
                                i_1 = sharer;
                                bool loop_init_7 = true;
                                while(true) {
                                    if (!loop_init_7) {
                                        uint _e291 = i_1;
                                        i_1 = _e291 + SHARERS;
                                    }
                                    loop_init_7 = false;
                                    uint _e258 = i_1;
                                    uint _e261 = params.quads;
                                    if (_e258 < _e261) {
                                    } else {
                                        break;
                                    }
                                    {
                                        uint _e265 = params.quads;
                                        uint _e267 = i_1;
                                        metal::float4 _e269 = key_quad((head_3 * _e265) + _e267, params, keys);
                                        t_2 = 0u;
                                        bool loop_init_8 = true;
                                        while(true) {
                                            if (!loop_init_8) {
                                                uint _e288 = t_2;
                                                t_2 = _e288 + 1u;
                                            }
                                            loop_init_8 = false;
                                            uint _e272 = t_2;
                                            if (_e272 < TILE) {
                                            } else {
                                                break;
                                            }
                                            {
                                                uint _e275 = t_2;
                                                float _e277 = dots.inner[_e275];
                                                uint _e279 = t_2;
                                                uint _e282 = i_1;
                                                metal::float4 _e285 = queries.inner[(_e279 * MOST_QUADS) + _e282];
                                                dots.inner[_e275] = _e277 + metal::dot(_e285, _e269);
                                            }
                                        }
                                    }
                                }
                                float _e294 = key_scale(head_3);
                                t_3 = 0u;
                                bool loop_init_9 = true;
                                while(true) {
                                    if (!loop_init_9) {
                                        uint _e304 = t_3;
                                        t_3 = _e304 + 1u;
                                    }
                                    loop_init_9 = false;
                                    uint _e297 = t_3;
                                    if (_e297 < TILE) {
                                    } else {
                                        break;
                                    }
                                    {
                                        uint _e300 = t_3;
                                        float _e302 = dots.inner[_e300];
                                        dots.inner[_e300] = _e302 * _e294;
                                    }
                                }
                            }
                            if (sharer == 0u) {
                                uint _e310 = half_;
                                uint _e313 = k;
                                uint _e316 = row;
                                block_rows.inner[(_e310 * BLOCK) + _e313] = _e316;
                            }
                            t_4 = 0u;
                            bool loop_init_10 = true;
                            while(true) {
                                if (!loop_init_10) {
                                    uint _e335 = t_4;
                                    t_4 = _e335 + 1u;
                                }
                                loop_init_10 = false;
                                uint _e319 = t_4;
                                if (_e319 < TILE) {
                                } else {
                                    break;
                                }
                                {
                                    uint _e323 = k;
                                    uint _e329 = t_4;
                                    uint _e332 = t_4;
                                    float _e334 = dots.inner[_e332];
                                    shares.inner[(((_e323 * SHARERS) + sharer) * TILE) + _e329] = _e334;
                                }
                            }
                        }
                    }
                    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                    score = 0.0;
                    i_2 = 0u;
                    bool loop_init_11 = true;
                    while(true) {
                        if (!loop_init_11) {
                            uint _e360 = i_2;
                            i_2 = _e360 + 1u;
                        }
                        loop_init_11 = false;
                        uint _e345 = i_2;
                        if (_e345 < SHARERS) {
                        } else {
                            break;
                        }
                        {
                            float _e348 = score;
                            uint _e352 = i_2;
                            float _e358 = shares.inner[(((place * SHARERS) + _e352) * TILE) + query_2];
                            score = _e348 + _e358;
                        }
                    }
                    uint _e363 = block;
                    uint position_2 = _e363 + place;
                    uint _e365 = begin;
                    if (query_2 >= _e365) {
                        uint _e369 = end;
                        local = query_2 < _e369;
                    } else {
                        local = false;
                    }
                    bool _e372 = local;
                    if (_e372) {
                        local_1 = position_2 >= _e122.start;
                    } else {
                        local_1 = false;
                    }
                    bool _e378 = local_1;
                    if (_e378) {
                        uint _e382 = to;
                        local_2 = position_2 < metal::min(_e122.to, _e382);
                    } else {
                        local_2 = false;
                    }
                    bool _e386 = local_2;
                    if (_e386) {
                        uint _e390 = half_;
                        uint _e395 = block_rows.inner[(_e390 * BLOCK) + place];
                        local_3 = _e395 != NONE;
                    } else {
                        local_3 = false;
                    }
                    bool sees = local_3;
                    float _e402 = score;
                    scores.inner[thread_] = sees ? _e402 : -340282350000000000000000000000000000000.0;
                    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                    float _e405 = highest;
                    now = _e405;
                    i_3 = 0u;
                    bool loop_init_12 = true;
                    while(true) {
                        if (!loop_init_12) {
                            uint _e421 = i_3;
                            i_3 = _e421 + 1u;
                        }
                        loop_init_12 = false;
                        uint _e409 = i_3;
                        if (_e409 < BLOCK) {
                        } else {
                            break;
                        }
                        {
                            float _e412 = now;
                            uint _e416 = i_3;
                            float _e419 = scores.inner[(query_2 * BLOCK) + _e416];
                            now = metal::max(_e412, _e419);
                        }
                    }
                    float _e426 = score;
                    float _e427 = now;
                    float _e429 = exponential(_e426 - _e427);
                    weights.inner[thread_] = sees ? _e429 : 0.0;
                    if (place == 0u) {
                        float _e436 = highest;
                        float _e437 = now;
                        float _e439 = exponential(_e436 - _e437);
                        corrections.inner[query_2] = _e439;
                    }
                    float _e440 = now;
                    highest = _e440;
                    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
                    if (value_share < value_shares) {
                        t_5 = 0u;
                        bool loop_init_13 = true;
                        while(true) {
                            if (!loop_init_13) {
                                uint _e463 = t_5;
                                t_5 = _e463 + 1u;
                            }
                            loop_init_13 = false;
                            uint _e444 = t_5;
                            if (_e444 < TILE) {
                            } else {
                                break;
                            }
                            {
                                uint _e447 = t_5;
                                metal::float4 _e449 = sums.inner[_e447];
                                uint _e451 = t_5;
                                float _e453 = corrections.inner[_e451];
                                sums.inner[_e447] = _e449 * _e453;
                                uint _e455 = t_5;
                                float _e457 = totals.inner[_e455];
                                uint _e459 = t_5;
                                float _e461 = corrections.inner[_e459];
                                totals.inner[_e455] = _e457 * _e461;
                            }
                        }
                        k_1 = value_share;
                        bool loop_init_14 = true;
                        while(true) {
                            if (!loop_init_14) {
                                uint _e521 = k_1;
                                k_1 = _e521 + value_shares;
                            }
                            loop_init_14 = false;
                            uint _e467 = k_1;
                            if (_e467 < BLOCK) {
                            } else {
                                break;
                            }
                            {
                                uint _e471 = half_;
                                uint _e474 = k_1;
                                uint row_2 = block_rows.inner[(_e471 * BLOCK) + _e474];
                                if (row_2 == NONE) {
                                    continue;
                                }
                                uint _e482 = params.kv_heads;
                                uint head_4 = (row_2 * _e482) + kv_1;
                                uint _e487 = params.quads;
                                metal::float4 _e490 = value_quad((head_4 * _e487) + value_at, params, values);
                                float _e491 = value_scale(head_4);
                                metal::float4 value = _e490 * _e491;
                                t_6 = 0u;
                                bool loop_init_15 = true;
                                while(true) {
                                    if (!loop_init_15) {
                                        uint _e518 = t_6;
                                        t_6 = _e518 + 1u;
                                    }
                                    loop_init_15 = false;
                                    uint _e495 = t_6;
                                    if (_e495 < TILE) {
                                    } else {
                                        break;
                                    }
                                    {
                                        uint _e499 = t_6;
                                        uint _e502 = k_1;
                                        float weight = weights.inner[(_e499 * BLOCK) + _e502];
                                        if (as_type<uint>(weight) != 0u) {
                                            uint _e509 = t_6;
                                            metal::float4 _e511 = sums.inner[_e509];
                                            sums.inner[_e509] = _e511 + (weight * value);
                                            uint _e514 = t_6;
                                            float _e516 = totals.inner[_e514];
                                            totals.inner[_e514] = _e516 + weight;
                                        }
                                    }
                                }
                            }
                        }
                    }
                    uint _e524 = half_;
                    half_ = 1u - _e524;
                }
            }
            uint _e529 = end;
            begin = _e529;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (place == 0u) {
        float _e534 = highest;
        corrections.inner[query_2] = _e534;
    }
    bool loop_init_16 = true;
    while(true) {
        if (!loop_init_16) {
            uint _e601 = t_7;
            t_7 = _e601 + 1u;
        }
        loop_init_16 = false;
        uint _e537 = t_7;
        if (_e537 < TILE) {
        } else {
            break;
        }
        {
            uint _e542 = t_7;
            metal::float4 _e544 = sums.inner[_e542];
            queries.inner[thread_] = _e544;
            uint _e547 = t_7;
            float _e549 = totals.inner[_e547];
            scores.inner[thread_] = _e549;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e550 = t_7;
            if (_e550 < count) {
                local_4 = value_share == 0u;
            } else {
                local_4 = false;
            }
            bool _e557 = local_4;
            if (_e557) {
                sum = metal::float4(0.0);
                total = 0.0;
                i_4 = 0u;
                bool loop_init_17 = true;
                while(true) {
                    if (!loop_init_17) {
                        uint _e589 = i_4;
                        i_4 = _e589 + 1u;
                    }
                    loop_init_17 = false;
                    uint _e565 = i_4;
                    if (_e565 < value_shares) {
                    } else {
                        break;
                    }
                    {
                        metal::float4 _e567 = sum;
                        uint _e569 = i_4;
                        uint _e572 = params.quads;
                        metal::float4 _e576 = queries.inner[thread_ + (_e569 * _e572)];
                        sum = _e567 + _e576;
                        float _e578 = total;
                        uint _e580 = i_4;
                        uint _e583 = params.quads;
                        float _e587 = scores.inner[thread_ + (_e580 * _e583)];
                        total = _e578 + _e587;
                    }
                }
                uint _e592 = t_7;
                uint _e594 = head_of(first_query + _e592, kv_1, params);
                metal::float4 _e595 = sum;
                float _e596 = total;
                uint _e598 = t_7;
                float _e600 = corrections.inner[_e598];
                leave(_e594, stretch_1, thread_, _e595, _e596, _e600, y, params);
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
        }
    }
    return;
}
