// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint items;
    uint tokens;
    uint states;
    uint heads;
    uint key_heads;
    uint key;
    uint value;
    float epsilon;
    uint qkv;
    uint decay;
    uint strength;
    uint constants;
    uint runs;
    uint state;
    uint y;
};
typedef float type_2[1];
typedef uint type_3[1];
struct type_5 {
    metal::float4 inner[256];
};
struct type_6 {
    float inner[256];
};
struct type_9 {
    metal::float4 inner[4];
};
constant uint QUADS = 4u;

metal::float4 quad_of_qkv(
    uint at,
    device type_2 const& qkv
) {
    float _e3 = qkv[at];
    float _e8 = qkv[at + 1u];
    float _e13 = qkv[at + 2u];
    float _e18 = qkv[at + 3u];
    return metal::float4(_e3, _e8, _e13, _e18);
}

float fading(
    float d
) {
    return metal::exp((d < -104.0) ? -104.0 : d);
}

float sigmoid(
    float z
) {
    float d_1 = -(metal::abs(z));
    float e = metal::exp((d_1 < -104.0) ? -104.0 : d_1);
    return ((z < 0.0) ? e : 1.0) / (1.0 + e);
}

struct gated_deltaInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void gated_delta(
  uint lane [[thread_index_in_threadgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& qkv [[buffer(0)]]
, device type_2 const& decay [[buffer(1)]]
, device type_2 const& strength [[buffer(2)]]
, device type_2 const& constants [[buffer(3)]]
, device type_3 const& runs [[buffer(4)]]
, device type_2& state [[buffer(5)]]
, device type_2& y [[buffer(6)]]
, constant Params& params [[buffer(7)]]
, threadgroup type_5& products
, threadgroup type_6& squares
) {
    type_9 s = {};
    uint i = 0u;
    bool local = {};
    bool local_1 = {};
    uint t = {};
    type_9 k = {};
    metal::float4 sums = {};
    float square = {};
    uint i_1 = {};
    uint i_2 = {};
    float v = {};
    uint i_3 = {};
    bool local_2 = {};
    uint i_4 = 0u;
    bool local_3 = {};
    uint item = (group.y * groups.x) + group.x;
    uint _e10 = params.items;
    if (item >= _e10) {
        return;
    }
    uint _e14 = params.value;
    uint blocks = (_e14 + 15u) / 16u;
    uint _e22 = params.heads;
    uint head = (item / blocks) % _e22;
    uint _e26 = params.runs;
    uint _e30 = params.heads;
    uint run = _e26 + (((item / blocks) / _e30) * 4u);
    uint before = runs[run];
    uint after = runs[run + 1u];
    uint _e47 = runs[run + 2u];
    uint _e50 = params.tokens;
    uint first = metal::min(_e47, _e50);
    uint _e56 = runs[run + 3u];
    uint _e59 = params.tokens;
    uint end = first + metal::min(_e56, _e59 - first);
    uint _e65 = params.states;
    if (after >= _e65) {
        return;
    }
    uint row = ((item % blocks) * 16u) + (lane / 8u);
    uint _e75 = params.value;
    bool is_row = row < _e75;
    uint part = lane % 8u;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e152 = i;
            i = _e152 + 1u;
        }
        loop_init = false;
        uint _e82 = i;
        if (_e82 < QUADS) {
        } else {
            break;
        }
        {
            uint _e87 = i;
            uint c = 4u * (part + (8u * _e87));
            uint _e91 = i;
            s.inner[_e91] = metal::float4(0.0);
            if (is_row) {
                uint _e99 = params.key;
                local = c < _e99;
            } else {
                local = false;
            }
            bool _e102 = local;
            if (_e102) {
                uint _e107 = params.states;
                local_1 = before < _e107;
            } else {
                local_1 = false;
            }
            bool _e110 = local_1;
            if (_e110) {
                uint _e113 = params.state;
                uint _e116 = params.heads;
                uint _e121 = params.value;
                uint _e126 = params.key;
                uint at_1 = (_e113 + (((((before * _e116) + head) * _e121) + row) * _e126)) + c;
                uint _e130 = i;
                float _e134 = state[at_1];
                float _e139 = state[at_1 + 1u];
                float _e144 = state[at_1 + 2u];
                float _e149 = state[at_1 + 3u];
                s.inner[_e130] = metal::float4(_e134, _e139, _e144, _e149);
            }
        }
    }
    uint _e157 = params.key_heads;
    uint _e161 = params.key;
    uint _e165 = params.heads;
    uint _e168 = params.value;
    uint channels = ((2u * _e157) * _e161) + (_e165 * _e168);
    uint _e173 = params.heads;
    uint _e176 = params.key_heads;
    uint key_head = head / (_e173 / _e176);
    uint _e182 = params.constants;
    float rate = constants[_e182 + head];
    uint _e189 = params.constants;
    uint _e192 = params.heads;
    float bias = constants[(_e189 + _e192) + head];
    uint _e199 = params.key;
    float length = static_cast<float>(_e199);
    t = first;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e469 = t;
            t = _e469 + 1u;
        }
        loop_init_1 = false;
        uint _e202 = t;
        if (_e202 < end) {
        } else {
            break;
        }
        {
            uint _e206 = params.qkv;
            uint _e207 = t;
            uint start = _e206 + (_e207 * channels);
            k = type_9 {};
            sums = metal::float4(0.0);
            square = 0.0;
            i_1 = 0u;
            bool loop_init_2 = true;
            while(true) {
                if (!loop_init_2) {
                    uint _e285 = i_1;
                    i_1 = _e285 + 1u;
                }
                loop_init_2 = false;
                uint _e219 = i_1;
                if (_e219 < QUADS) {
                } else {
                    break;
                }
                {
                    uint _e224 = i_1;
                    uint c_1 = 4u * (part + (8u * _e224));
                    uint _e228 = i_1;
                    k.inner[_e228] = metal::float4(0.0);
                    uint _e234 = params.key;
                    if (c_1 < _e234) {
                        uint _e238 = params.key;
                        metal::float4 _e242 = quad_of_qkv((start + (key_head * _e238)) + c_1, qkv);
                        uint _e243 = i_1;
                        uint _e247 = params.key_heads;
                        uint _e251 = params.key;
                        metal::float4 _e255 = quad_of_qkv((start + ((_e247 + key_head) * _e251)) + c_1, qkv);
                        k.inner[_e243] = _e255;
                        metal::float4 _e256 = sums;
                        uint _e257 = i_1;
                        metal::float4 _e259 = s.inner[_e257];
                        uint _e260 = i_1;
                        metal::float4 _e262 = k.inner[_e260];
                        uint _e264 = i_1;
                        metal::float4 _e266 = s.inner[_e264];
                        uint _e268 = i_1;
                        metal::float4 _e270 = k.inner[_e268];
                        uint _e272 = i_1;
                        metal::float4 _e274 = k.inner[_e272];
                        uint _e275 = i_1;
                        metal::float4 _e277 = k.inner[_e275];
                        sums = _e256 + metal::float4(metal::dot(_e259, _e262), metal::dot(_e266, _e242), metal::dot(_e242, _e270), metal::dot(_e274, _e277));
                        float _e281 = square;
                        square = _e281 + metal::dot(_e242, _e242);
                    }
                }
            }
            uint _e287 = t;
            uint half_ = (_e287 & 1u) * 128u;
            metal::float4 _e295 = sums;
            products.inner[half_ + lane] = _e295;
            float _e299 = square;
            squares.inner[half_ + lane] = _e299;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            sums = metal::float4(0.0);
            square = 0.0;
            i_2 = 0u;
            bool loop_init_3 = true;
            while(true) {
                if (!loop_init_3) {
                    uint _e329 = i_2;
                    i_2 = _e329 + 1u;
                }
                loop_init_3 = false;
                uint _e305 = i_2;
                if (_e305 < 8u) {
                } else {
                    break;
                }
                {
                    metal::float4 _e308 = sums;
                    uint _e313 = i_2;
                    metal::float4 _e316 = products.inner[(half_ + (lane & 120u)) + _e313];
                    sums = _e308 + _e316;
                    float _e318 = square;
                    uint _e323 = i_2;
                    float _e326 = squares.inner[(half_ + (lane & 120u)) + _e323];
                    square = _e318 + _e326;
                }
            }
            float _e332 = sums.w;
            float _e336 = params.epsilon;
            float of_k = metal::rsqrt((_e332 / length) + _e336) * metal::rsqrt(length);
            float _e341 = square;
            float _e345 = params.epsilon;
            float of_q = metal::rsqrt((_e341 / length) + _e345) / length;
            uint _e352 = params.decay;
            uint _e353 = t;
            uint _e356 = params.heads;
            float _e361 = decay[(_e352 + (_e353 * _e356)) + head];
            float opened = _e361 + bias;
            float _e367 = fading(-(metal::abs(opened)));
            float softened = metal::max(opened, 0.0) + metal::log(1.0 + _e367);
            float _e374 = fading(-(rate) * softened);
            uint _e378 = params.strength;
            uint _e379 = t;
            uint _e382 = params.heads;
            float _e387 = strength[(_e378 + (_e379 * _e382)) + head];
            float _e388 = sigmoid(_e387);
            v = 0.0;
            if (is_row) {
                uint _e395 = params.key_heads;
                uint _e399 = params.key;
                uint _e404 = params.value;
                float _e409 = qkv[((start + ((2u * _e395) * _e399)) + (head * _e404)) + row];
                v = _e409;
            }
            float _e410 = v;
            float _e413 = sums.x;
            float news = ((_e410 - ((_e374 * of_k) * _e413)) * _e388) * of_k;
            i_3 = 0u;
            bool loop_init_4 = true;
            while(true) {
                if (!loop_init_4) {
                    uint _e435 = i_3;
                    i_3 = _e435 + 1u;
                }
                loop_init_4 = false;
                uint _e420 = i_3;
                if (_e420 < QUADS) {
                } else {
                    break;
                }
                {
                    uint _e423 = i_3;
                    uint _e425 = i_3;
                    metal::float4 _e427 = s.inner[_e425];
                    uint _e429 = i_3;
                    metal::float4 _e431 = k.inner[_e429];
                    s.inner[_e423] = (_e374 * _e427) + (news * _e431);
                }
            }
            if (is_row) {
                local_2 = part == 0u;
            } else {
                local_2 = false;
            }
            bool _e442 = local_2;
            if (_e442) {
                uint _e446 = params.y;
                uint _e447 = t;
                uint _e450 = params.heads;
                uint _e455 = params.value;
                float _e461 = sums.y;
                float _e464 = sums.z;
                y[(_e446 + (((_e447 * _e450) + head) * _e455)) + row] = of_q * ((_e374 * _e461) + (news * _e464));
            }
        }
    }
    bool loop_init_5 = true;
    while(true) {
        if (!loop_init_5) {
            uint _e540 = i_4;
            i_4 = _e540 + 1u;
        }
        loop_init_5 = false;
        uint _e473 = i_4;
        if (_e473 < QUADS) {
        } else {
            break;
        }
        {
            uint _e478 = i_4;
            uint c_2 = 4u * (part + (8u * _e478));
            if (is_row) {
                uint _e486 = params.key;
                local_3 = c_2 < _e486;
            } else {
                local_3 = false;
            }
            bool _e489 = local_3;
            if (_e489) {
                uint _e492 = params.state;
                uint _e495 = params.heads;
                uint _e500 = params.value;
                uint _e505 = params.key;
                uint at_2 = (_e492 + (((((after * _e495) + head) * _e500) + row) * _e505)) + c_2;
                uint _e511 = i_4;
                float _e514 = s.inner[_e511].x;
                state[at_2] = _e514;
                uint _e519 = i_4;
                float _e522 = s.inner[_e519].y;
                state[at_2 + 1u] = _e522;
                uint _e527 = i_4;
                float _e530 = s.inner[_e527].z;
                state[at_2 + 2u] = _e530;
                uint _e535 = i_4;
                float _e538 = s.inner[_e535].w;
                state[at_2 + 3u] = _e538;
            }
        }
    }
    return;
}
