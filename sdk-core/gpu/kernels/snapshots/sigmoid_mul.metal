// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    uint columns;
    uint first;
    uint a;
    uint b;
    uint y;
};
typedef float type_3[1];
constant bool ROW = false;

float sigmoid(
    float z
) {
    float d = -(metal::abs(z));
    float e = metal::exp((d < -104.0) ? -104.0 : d);
    return ((z < 0.0) ? e : 1.0) / (1.0 + e);
}

uint b_index(
    uint i_1,
    constant Params& params
) {
    if (ROW) {
        uint _e4 = params.b;
        uint _e7 = params.first;
        uint _e11 = params.columns;
        return _e4 + ((_e7 + i_1) % _e11);
    }
    uint _e16 = params.b;
    return _e16 + i_1;
}

struct sigmoid_mulInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void sigmoid_mul(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, constant Params& params [[buffer(3)]]
, device type_3& y [[buffer(2)]]
, device type_3 const& a [[buffer(0)]]
, device type_3 const& b [[buffer(1)]]
) {
    uint i = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e31 = i;
            i = _e31 + (groups.x * 128u);
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
            uint _e19 = params.a;
            uint _e20 = i;
            float _e23 = a[_e19 + _e20];
            float _e24 = sigmoid(_e23);
            uint _e26 = i;
            uint _e27 = b_index(_e26, params);
            float _e29 = b[_e27];
            y[_e12 + _e13] = _e24 * _e29;
        }
    }
    return;
}
