// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    float number;
    uint x;
    uint y;
};
typedef float type_2[1];

struct scaleInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void scale(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, constant Params& params [[buffer(2)]]
, device type_2& y [[buffer(1)]]
, device type_2 const& x [[buffer(0)]]
) {
    uint i = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e28 = i;
            i = _e28 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e4 = i;
        uint _e7 = params.n;
        if (_e4 < _e7) {
        } else {
            break;
        }
        {
            uint _e12 = params.y;
            uint _e13 = i;
            uint _e19 = params.x;
            uint _e20 = i;
            float _e23 = x[_e19 + _e20];
            float _e26 = params.number;
            y[_e12 + _e13] = _e23 * _e26;
        }
    }
    return;
}
