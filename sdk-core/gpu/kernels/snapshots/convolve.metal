// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    uint taps;
    uint channels;
    uint tokens;
    uint states;
    uint x;
    uint weight;
    uint runs;
    uint state;
    uint y;
};
typedef float type_2[1];
typedef uint type_3[1];

float input(
    uint i,
    uint before,
    uint first,
    uint c,
    device type_2 const& x,
    device type_2 const& state,
    constant Params& params
) {
    uint _e6 = params.taps;
    uint kept = _e6 - 1u;
    if (i >= kept) {
        uint _e13 = params.x;
        uint _e18 = params.channels;
        float _e23 = x[(_e13 + (((first + i) - kept) * _e18)) + c];
        return _e23;
    }
    uint _e26 = params.states;
    if (before >= _e26) {
        return 0.0;
    }
    uint _e32 = params.state;
    uint _e37 = params.channels;
    float _e42 = state[(_e32 + (((before * kept) + i) * _e37)) + c];
    return _e42;
}

float sigmoid(
    float z
) {
    float d = -(metal::abs(z));
    float e = metal::exp((d < -104.0) ? -104.0 : d);
    return ((z < 0.0) ? e : 1.0) / (1.0 + e);
}

struct convolveInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void convolve(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2 const& weight [[buffer(1)]]
, device type_3 const& runs [[buffer(2)]]
, device type_2& state [[buffer(3)]]
, device type_2& y [[buffer(4)]]
, constant Params& params [[buffer(5)]]
) {
    uint item = {};
    uint t = {};
    float sum = {};
    uint j = {};
    uint j_1 = {};
    item = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e150 = item;
            item = _e150 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e4 = item;
        uint _e7 = params.n;
        if (_e4 < _e7) {
        } else {
            break;
        }
        {
            uint _e11 = params.runs;
            uint _e12 = item;
            uint _e15 = params.channels;
            uint run = _e11 + ((_e12 / _e15) * 4u);
            uint _e20 = item;
            uint _e23 = params.channels;
            uint c_1 = _e20 % _e23;
            uint before_1 = runs[run];
            uint after = runs[run + 1u];
            uint _e37 = runs[run + 2u];
            uint _e40 = params.tokens;
            uint first_1 = metal::min(_e37, _e40);
            uint _e46 = runs[run + 3u];
            uint _e49 = params.tokens;
            uint count = metal::min(_e46, _e49 - first_1);
            uint _e54 = params.states;
            if (after >= _e54) {
                continue;
            }
            t = 0u;
            bool loop_init_1 = true;
            while(true) {
                if (!loop_init_1) {
                    uint _e110 = t;
                    t = _e110 + 1u;
                }
                loop_init_1 = false;
                uint _e58 = t;
                if (_e58 < count) {
                } else {
                    break;
                }
                {
                    sum = 0.0;
                    j = 0u;
                    bool loop_init_2 = true;
                    while(true) {
                        if (!loop_init_2) {
                            uint _e90 = j;
                            j = _e90 + 1u;
                        }
                        loop_init_2 = false;
                        uint _e64 = j;
                        uint _e67 = params.taps;
                        if (_e64 < _e67) {
                        } else {
                            break;
                        }
                        {
                            float _e69 = sum;
                            uint _e73 = params.weight;
                            uint _e74 = j;
                            uint _e77 = params.channels;
                            float _e82 = weight[(_e73 + (_e74 * _e77)) + c_1];
                            uint _e83 = t;
                            uint _e84 = j;
                            float _e86 = input(_e83 + _e84, before_1, first_1, c_1, x, state, params);
                            sum = _e69 + (_e82 * _e86);
                        }
                    }
                    uint _e95 = params.y;
                    uint _e96 = t;
                    uint _e100 = params.channels;
                    float _e105 = sum;
                    float _e106 = sum;
                    float _e107 = sigmoid(_e106);
                    y[(_e95 + ((first_1 + _e96) * _e100)) + c_1] = _e105 * _e107;
                }
            }
            uint _e114 = params.state;
            uint _e117 = params.taps;
            uint _e123 = params.channels;
            uint to = (_e114 + ((after * (_e117 - 1u)) * _e123)) + c_1;
            j_1 = 0u;
            bool loop_init_3 = true;
            while(true) {
                if (!loop_init_3) {
                    uint _e148 = j_1;
                    j_1 = _e148 + 1u;
                }
                loop_init_3 = false;
                uint _e129 = j_1;
                uint _e132 = params.taps;
                if (_e129 < (_e132 - 1u)) {
                } else {
                    break;
                }
                {
                    uint _e137 = j_1;
                    uint _e140 = params.channels;
                    uint _e144 = j_1;
                    float _e146 = input(count + _e144, before_1, first_1, c_1, x, state, params);
                    state[to + (_e137 * _e140)] = _e146;
                }
            }
        }
    }
    return;
}
