// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint rows;
    uint columns;
    uint x;
    uint y;
};
typedef float type_2[1];
struct Thread {
    uint lane;
    uint subgroup;
    uint subgroups;
    uint subgroup_lane;
    metal::uint3 group;
    metal::uint3 groups;
};
struct type_4 {
    float inner[128];
};

float workgroup_sum(
    float value,
    Thread thread_1,
    threadgroup type_4& parts
) {
    float sum_1 = 0.0;
    uint i = 0u;
    float unnamed = metal::simd_sum(value);
    if (thread_1.subgroup_lane == 0u) {
        parts.inner[thread_1.subgroup] = unnamed;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e23 = i;
            i = _e23 + 1u;
        }
        loop_init = false;
        uint _e13 = i;
        if (_e13 < thread_1.subgroups) {
        } else {
            break;
        }
        {
            float _e16 = sum_1;
            uint _e18 = i;
            float _e20 = parts.inner[_e18];
            sum_1 = _e16 + _e20;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e25 = sum_1;
    return _e25;
}

struct sumInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void sum(
  uint lane [[thread_index_in_threadgroup]]
, uint subgroup [[simdgroup_index_in_threadgroup]]
, uint subgroups [[simdgroups_per_threadgroup]]
, uint subgroup_lane [[thread_index_in_simdgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2& y [[buffer(1)]]
, constant Params& params [[buffer(2)]]
, threadgroup type_4& parts
) {
    const Thread thread_ = { lane, subgroup, subgroups, subgroup_lane, group, groups };
    float part = 0.0;
    uint c = {};
    uint row = (thread_.group.y * thread_.groups.x) + thread_.group.x;
    uint _e11 = params.rows;
    if (row >= _e11) {
        return;
    }
    uint _e15 = params.x;
    uint _e18 = params.columns;
    uint x0_ = _e15 + (row * _e18);
    c = thread_.lane;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e37 = c;
            c = _e37 + 128u;
        }
        loop_init_1 = false;
        uint _e25 = c;
        uint _e28 = params.columns;
        if (_e25 < _e28) {
        } else {
            break;
        }
        {
            float _e30 = part;
            uint _e32 = c;
            float _e35 = x[x0_ + _e32];
            part = _e30 + _e35;
        }
    }
    float _e40 = part;
    float _e41 = workgroup_sum(_e40, thread_, parts);
    if (thread_.lane == 0u) {
        uint _e48 = params.y;
        y[_e48 + row] = _e41;
        return;
    } else {
        return;
    }
}
