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
typedef float type_2[1];
constant bool ROW = false;

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

struct mulInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void mul(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, constant Params& params [[buffer(3)]]
, device type_2& y [[buffer(2)]]
, device type_2 const& a [[buffer(0)]]
, device type_2 const& b [[buffer(1)]]
) {
    uint i = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e30 = i;
            i = _e30 + (groups.x * 128u);
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
            uint _e25 = i;
            uint _e26 = b_index(_e25, params);
            float _e28 = b[_e26];
            y[_e12 + _e13] = _e23 * _e28;
        }
    }
    return;
}
