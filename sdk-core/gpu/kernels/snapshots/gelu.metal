// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    uint x;
    uint y;
};
typedef float type_2[1];

float sigmoid(
    float z
) {
    float d = -(metal::abs(z));
    float e = metal::exp((d < -104.0) ? -104.0 : d);
    return ((z < 0.0) ? e : 1.0) / (1.0 + e);
}

struct geluInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void gelu(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2& y [[buffer(1)]]
, constant Params& params [[buffer(2)]]
) {
    uint i = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e32 = i;
            i = _e32 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e4 = i;
        uint _e7 = params.n;
        if (_e4 < _e7) {
        } else {
            break;
        }
        {
            uint _e12 = params.x;
            uint _e13 = i;
            float v = x[_e12 + _e13];
            float u2_ = v * (1.5957692 + ((0.071354814 * v) * v));
            uint _e26 = params.y;
            uint _e27 = i;
            float _e30 = sigmoid(u2_);
            y[_e26 + _e27] = v * _e30;
        }
    }
    return;
}
