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
    char _pad1[12];
    metal::uint3 group;
    metal::uint3 groups;
};
struct type_4 {
    float inner[128];
};
struct type_5 {
    float inner[8];
};

float workgroup_sum(
    float value,
    Thread thread_1,
    threadgroup type_4& lanes,
    threadgroup type_5& eighths
) {
    float sum_1 = 0.0;
    uint i = 0u;
    lanes.inner[thread_1.lane] = value;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (thread_1.lane < 8u) {
        bool loop_init = true;
        while(true) {
            if (!loop_init) {
                uint _e26 = i;
                i = _e26 + 1u;
            }
            loop_init = false;
            uint _e12 = i;
            if (_e12 < 16u) {
            } else {
                break;
            }
            {
                float _e15 = sum_1;
                uint _e19 = i;
                float _e23 = lanes.inner[thread_1.lane + (8u * _e19)];
                sum_1 = _e15 + _e23;
            }
        }
        float _e31 = sum_1;
        eighths.inner[thread_1.lane] = _e31;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e34 = eighths.inner[0];
    float _e37 = eighths.inner[1];
    float _e41 = eighths.inner[2];
    float _e44 = eighths.inner[3];
    float _e49 = eighths.inner[4];
    float _e52 = eighths.inner[5];
    float _e56 = eighths.inner[6];
    float _e59 = eighths.inner[7];
    return ((_e34 + _e37) + (_e41 + _e44)) + ((_e49 + _e52) + (_e56 + _e59));
}

struct sumInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void sum(
  uint lane [[thread_index_in_threadgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2& y [[buffer(1)]]
, constant Params& params [[buffer(2)]]
, threadgroup type_4& lanes
, threadgroup type_5& eighths
) {
    const Thread thread_ = { lane, {}, group, groups };
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
    float _e41 = workgroup_sum(_e40, thread_, lanes, eighths);
    if (thread_.lane == 0u) {
        uint _e48 = params.y;
        y[_e48 + row] = _e41;
        return;
    } else {
        return;
    }
}
