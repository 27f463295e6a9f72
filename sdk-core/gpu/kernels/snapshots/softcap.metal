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

float hyperbolic_tangent(
    float t
) {
    float s = t * t;
    float near = t + ((t * s) * (-0.33333334 + (s * (0.13333333 + (s * (-0.053968254 + (s * 0.021869488)))))));
    float d = -2.0 * metal::abs(t);
    float e = metal::exp((d < -104.0) ? -104.0 : d);
    float far = (1.0 - e) / (1.0 + e);
    return (metal::abs(t) < 0.25) ? near : ((t < 0.0) ? -(far) : far);
}

struct softcapInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void softcap(
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
            uint _e33 = i;
            i = _e33 + (groups.x * 128u);
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
            float _e18 = params.number;
            uint _e22 = params.x;
            uint _e23 = i;
            float _e26 = x[_e22 + _e23];
            float _e29 = params.number;
            float _e31 = hyperbolic_tangent(_e26 / _e29);
            y[_e12 + _e13] = _e18 * _e31;
        }
    }
    return;
}
