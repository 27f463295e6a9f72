// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    uint columns;
    uint rows;
    uint x;
    uint slots;
    uint cache;
};
typedef uint type_1[1];

uint converted(
    uint i_1,
    device type_1 const& x,
    constant Params& params
) {
    uint _e4 = params.x;
    uint _e7 = x[_e4 + i_1];
    return _e7;
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_1 const& x [[buffer(0)]]
, device type_1 const& slots [[buffer(1)]]
, device type_1& cache [[buffer(2)]]
, constant Params& params [[buffer(3)]]
) {
    uint i = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e43 = i;
            i = _e43 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e4 = i;
        uint _e7 = params.n;
        if (_e4 < _e7) {
        } else {
            break;
        }
        {
            uint _e12 = params.slots;
            uint _e13 = i;
            uint _e16 = params.columns;
            uint slot = slots[_e12 + (_e13 / _e16)];
            uint _e23 = params.rows;
            if (slot < _e23) {
                uint _e28 = params.cache;
                uint _e31 = params.columns;
                uint _e34 = i;
                uint _e37 = params.columns;
                uint _e41 = i;
                uint _e42 = converted(_e41, x, params);
                cache[(_e28 + (slot * _e31)) + (_e34 % _e37)] = _e42;
            }
        }
    }
    return;
}
