// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint rows;
    uint columns;
    float epsilon;
    uint x;
    uint weight;
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
    float sum = 0.0;
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
            float _e16 = sum;
            uint _e18 = i;
            float _e20 = parts.inner[_e18];
            sum = _e16 + _e20;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e25 = sum;
    return _e25;
}

struct rmsnormInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void rmsnorm(
  uint lane [[thread_index_in_threadgroup]]
, uint subgroup [[simdgroup_index_in_threadgroup]]
, uint subgroups [[simdgroups_per_threadgroup]]
, uint subgroup_lane [[thread_index_in_simdgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2 const& weight [[buffer(1)]]
, device type_2& y [[buffer(2)]]
, constant Params& params [[buffer(3)]]
, threadgroup type_4& parts
) {
    const Thread thread_ = { lane, subgroup, subgroups, subgroup_lane, group, groups };
    float squares = 0.0;
    uint c = {};
    uint c_1 = {};
    uint row = (thread_.group.y * thread_.groups.x) + thread_.group.x;
    uint _e11 = params.rows;
    if (row >= _e11) {
        return;
    }
    uint _e15 = params.x;
    uint _e18 = params.columns;
    uint x0_ = _e15 + (row * _e18);
    uint _e23 = params.y;
    uint _e26 = params.columns;
    uint y0_ = _e23 + (row * _e26);
    c = thread_.lane;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e46 = c;
            c = _e46 + 128u;
        }
        loop_init_1 = false;
        uint _e33 = c;
        uint _e36 = params.columns;
        if (_e33 < _e36) {
        } else {
            break;
        }
        {
            uint _e39 = c;
            float v = x[x0_ + _e39];
            float _e43 = squares;
            squares = _e43 + (v * v);
        }
    }
    float _e49 = squares;
    float _e50 = workgroup_sum(_e49, thread_, parts);
    uint _e53 = params.columns;
    float mean = _e50 / static_cast<float>(_e53);
    float _e58 = params.epsilon;
    float scale = metal::rsqrt(mean + _e58);
    c_1 = thread_.lane;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e87 = c_1;
            c_1 = _e87 + 128u;
        }
        loop_init_2 = false;
        uint _e63 = c_1;
        uint _e66 = params.columns;
        if (_e63 < _e66) {
        } else {
            break;
        }
        {
            uint _e69 = c_1;
            uint _e73 = c_1;
            float _e76 = x[x0_ + _e73];
            uint _e81 = params.weight;
            uint _e82 = c_1;
            float _e85 = weight[_e81 + _e82];
            y[y0_ + _e69] = (_e76 * scale) * _e85;
        }
    }
    return;
}
