// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    uint head;
    uint stretches;
    uint partial;
    uint y;
};
typedef float type_2[1];

struct attention_mergeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void attention_merge(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& partial [[buffer(0)]]
, device type_2& y [[buffer(1)]]
, constant Params& params [[buffer(2)]]
) {
    uint i = {};
    float highest = {};
    uint s = {};
    float sum = {};
    float total = {};
    uint s_1 = {};
    uint _e4 = params.head;
    uint stride = _e4 + 2u;
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e123 = i;
            i = _e123 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e9 = i;
        uint _e12 = params.n;
        if (_e9 < _e12) {
        } else {
            break;
        }
        {
            uint _e16 = params.partial;
            uint _e17 = i;
            uint _e20 = params.head;
            uint _e24 = params.stretches;
            uint at = _e16 + (((_e17 / _e20) * _e24) * stride);
            highest = -340282350000000000000000000000000000000.0;
            s = 0u;
            bool loop_init_1 = true;
            while(true) {
                if (!loop_init_1) {
                    uint _e49 = s;
                    s = _e49 + 1u;
                }
                loop_init_1 = false;
                uint _e32 = s;
                uint _e35 = params.stretches;
                if (_e32 < _e35) {
                } else {
                    break;
                }
                {
                    float _e37 = highest;
                    uint _e39 = s;
                    uint _e44 = params.head;
                    float _e47 = partial[(at + (_e39 * stride)) + _e44];
                    highest = metal::max(_e37, _e47);
                }
            }
            sum = 0.0;
            total = 0.0;
            s_1 = 0u;
            bool loop_init_2 = true;
            while(true) {
                if (!loop_init_2) {
                    uint _e104 = s_1;
                    s_1 = _e104 + 1u;
                }
                loop_init_2 = false;
                uint _e58 = s_1;
                uint _e61 = params.stretches;
                if (_e58 < _e61) {
                } else {
                    break;
                }
                {
                    uint _e63 = s_1;
                    uint place = at + (_e63 * stride);
                    uint _e69 = params.head;
                    float _e72 = partial[place + _e69];
                    float _e73 = highest;
                    float d = _e72 - _e73;
                    float weight = metal::exp((d < -104.0) ? -104.0 : d);
                    float _e80 = sum;
                    uint _e82 = i;
                    uint _e85 = params.head;
                    float _e89 = partial[place + (_e82 % _e85)];
                    sum = _e80 + (weight * _e89);
                    float _e92 = total;
                    uint _e96 = params.head;
                    float _e101 = partial[(place + _e96) + 1u];
                    total = _e92 + (weight * _e101);
                }
            }
            uint _e110 = params.y;
            uint _e111 = i;
            float _e114 = sum;
            float _e115 = total;
            float _e117 = total;
            y[_e110 + _e111] = (as_type<uint>(_e117) == 0u) ? 0.0 : (_e114 / _e115);
        }
    }
    return;
}
