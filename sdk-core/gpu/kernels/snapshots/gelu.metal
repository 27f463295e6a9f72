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

float sigmoid(
    float z
) {
    float d = -(metal::abs(z));
    float e = metal::exp((d < -104.0) ? -104.0 : d);
    return ((z < 0.0) ? e : 1.0) / (1.0 + e);
}

float tanh_gelu(
    float x
) {
    float u2_ = x * (1.5957692 + ((0.071354814 * x) * x));
    float _e7 = sigmoid(u2_);
    return x * _e7;
}

struct geluInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void gelu(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, constant Params& params [[buffer(2)]]
, device type_2& y [[buffer(1)]]
, device type_2 const& x_1 [[buffer(0)]]
) {
    uint i = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e25 = i;
            i = _e25 + (groups.x * 128u);
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
            float _e23 = x_1[_e19 + _e20];
            float _e24 = tanh_gelu(_e23);
            y[_e12 + _e13] = _e24;
        }
    }
    return;
}
