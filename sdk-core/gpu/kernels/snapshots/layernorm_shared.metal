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
    uint bias;
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

struct layernormInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void layernorm(
  uint lane [[thread_index_in_threadgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2 const& weight [[buffer(1)]]
, device type_2 const& bias [[buffer(2)]]
, device type_2& y [[buffer(3)]]
, constant Params& params [[buffer(4)]]
, threadgroup type_4& lanes
, threadgroup type_5& eighths
) {
    const Thread thread_ = { lane, {}, group, groups };
    float sum = 0.0;
    uint c = {};
    float squares = 0.0;
    uint c_1 = {};
    uint c_2 = {};
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
            uint _e45 = c;
            c = _e45 + 128u;
        }
        loop_init_1 = false;
        uint _e33 = c;
        uint _e36 = params.columns;
        if (_e33 < _e36) {
        } else {
            break;
        }
        {
            float _e38 = sum;
            uint _e40 = c;
            float _e43 = x[x0_ + _e40];
            sum = _e38 + _e43;
        }
    }
    float _e48 = sum;
    float _e49 = workgroup_sum(_e48, thread_, lanes, eighths);
    uint _e52 = params.columns;
    float mean = _e49 / static_cast<float>(_e52);
    c_1 = thread_.lane;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e73 = c_1;
            c_1 = _e73 + 128u;
        }
        loop_init_2 = false;
        uint _e59 = c_1;
        uint _e62 = params.columns;
        if (_e59 < _e62) {
        } else {
            break;
        }
        {
            uint _e65 = c_1;
            float _e68 = x[x0_ + _e65];
            float d = _e68 - mean;
            float _e70 = squares;
            squares = _e70 + (d * d);
        }
    }
    float _e76 = squares;
    float _e77 = workgroup_sum(_e76, thread_, lanes, eighths);
    uint _e80 = params.columns;
    float variance = _e77 / static_cast<float>(_e80);
    float _e85 = params.epsilon;
    float scale = metal::rsqrt(variance + _e85);
    c_2 = thread_.lane;
    bool loop_init_3 = true;
    while(true) {
        if (!loop_init_3) {
            uint _e124 = c_2;
            c_2 = _e124 + 128u;
        }
        loop_init_3 = false;
        uint _e90 = c_2;
        uint _e93 = params.columns;
        if (_e90 < _e93) {
        } else {
            break;
        }
        {
            uint _e96 = c_2;
            uint _e100 = c_2;
            float _e103 = x[x0_ + _e100];
            uint _e109 = params.weight;
            uint _e110 = c_2;
            float _e113 = weight[_e109 + _e110];
            uint _e118 = params.bias;
            uint _e119 = c_2;
            float _e122 = bias[_e118 + _e119];
            y[y0_ + _e96] = (((_e103 - mean) * scale) * _e113) + _e122;
        }
    }
    return;
}
