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
    float sum = 0.0;
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
                float _e15 = sum;
                uint _e19 = i;
                float _e23 = lanes.inner[thread_1.lane + (8u * _e19)];
                sum = _e15 + _e23;
            }
        }
        float _e31 = sum;
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

struct rmsnormInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void rmsnorm(
  uint lane [[thread_index_in_threadgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2 const& weight [[buffer(1)]]
, device type_2& y [[buffer(2)]]
, constant Params& params [[buffer(3)]]
, threadgroup type_4& lanes
, threadgroup type_5& eighths
) {
    const Thread thread_ = { lane, {}, group, groups };
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
    float _e50 = workgroup_sum(_e49, thread_, lanes, eighths);
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
