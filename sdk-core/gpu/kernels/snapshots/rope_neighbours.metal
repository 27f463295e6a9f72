// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    uint heads;
    uint head;
    uint pairs;
    uint x;
    uint angles;
    uint y;
};
typedef float type_2[1];
constant bool NEIGHBOURS = true;

struct ropeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void rope(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2 const& angles [[buffer(1)]]
, device type_2& y [[buffer(2)]]
, constant Params& params [[buffer(3)]]
) {
    uint i = {};
    uint _e4 = params.head;
    uint _e7 = params.pairs;
    uint items = _e4 - _e7;
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e114 = i;
            i = _e114 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e11 = i;
        uint _e14 = params.n;
        if (_e11 < _e14) {
        } else {
            break;
        }
        {
            uint _e16 = i;
            uint row = _e16 / items;
            uint _e18 = i;
            uint item = _e18 % items;
            uint _e22 = params.head;
            uint start = row * _e22;
            uint _e26 = params.pairs;
            if (item >= _e26) {
                uint _e31 = params.pairs;
                uint at = (start + item) + _e31;
                uint _e36 = params.y;
                uint _e42 = params.x;
                float _e45 = x[_e42 + at];
                y[_e36 + at] = _e45;
                continue;
            }
            uint _e48 = params.angles;
            uint _e52 = params.heads;
            uint _e56 = params.pairs;
            uint angle = _e48 + (2u * (((row / _e52) * _e56) + item));
            float cosine = angles[angle];
            float sine = angles[angle + 1u];
            uint first = start + (NEIGHBOURS ? (2u * item) : item);
            uint _e76 = params.pairs;
            uint second = NEIGHBOURS ? (first + 1u) : (first + _e76);
            uint _e85 = params.x;
            float a = x[_e85 + first];
            uint _e92 = params.x;
            float b = x[_e92 + second];
            uint _e99 = params.y;
            y[_e99 + first] = (a * cosine) - (b * sine);
            uint _e108 = params.y;
            y[_e108 + second] = (a * sine) + (b * cosine);
        }
    }
    return;
}
