// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint rows;
    uint columns;
    float epsilon;
    uint x;
    uint delta;
    uint weight;
    uint sum;
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

struct add_rmsnormInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void add_rmsnorm(
  uint lane [[thread_index_in_threadgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_2 const& delta [[buffer(1)]]
, device type_2 const& weight [[buffer(2)]]
, device type_2& sum_1 [[buffer(3)]]
, device type_2& y [[buffer(4)]]
, constant Params& params [[buffer(5)]]
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
    uint _e15 = params.columns;
    uint first = row * _e15;
    c = thread_.lane;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e56 = c;
            c = _e56 + 128u;
        }
        loop_init_1 = false;
        uint _e21 = c;
        uint _e24 = params.columns;
        if (_e21 < _e24) {
        } else {
            break;
        }
        {
            uint _e29 = params.x;
            uint _e31 = c;
            float _e34 = x[(_e29 + first) + _e31];
            uint _e38 = params.delta;
            uint _e40 = c;
            float _e43 = delta[(_e38 + first) + _e40];
            float v = _e34 + _e43;
            uint _e48 = params.sum;
            uint _e50 = c;
            sum_1[(_e48 + first) + _e50] = v;
            float _e53 = squares;
            squares = _e53 + (v * v);
        }
    }
    float _e59 = squares;
    float _e60 = workgroup_sum(_e59, thread_, lanes, eighths);
    uint _e63 = params.columns;
    float mean = _e60 / static_cast<float>(_e63);
    float _e68 = params.epsilon;
    float scale = metal::rsqrt(mean + _e68);
    c_1 = thread_.lane;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e105 = c_1;
            c_1 = _e105 + 128u;
        }
        loop_init_2 = false;
        uint _e73 = c_1;
        uint _e76 = params.columns;
        if (_e73 < _e76) {
        } else {
            break;
        }
        {
            uint _e81 = params.y;
            uint _e83 = c_1;
            uint _e89 = params.sum;
            uint _e91 = c_1;
            float _e94 = sum_1[(_e89 + first) + _e91];
            uint _e99 = params.weight;
            uint _e100 = c_1;
            float _e103 = weight[_e99 + _e100];
            y[(_e81 + first) + _e83] = (_e94 * scale) * _e103;
        }
    }
    return;
}
