// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint rows;
    uint columns;
    float scale;
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

float exp_negative(
    float d
) {
    return metal::exp((d < -104.0) ? -104.0 : d);
}

float workgroup_max(
    float value,
    Thread thread_1,
    threadgroup type_4& lanes,
    threadgroup type_5& eighths
) {
    float most_1 = {};
    uint i = 1u;
    lanes.inner[thread_1.lane] = value;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (thread_1.lane < 8u) {
        float _e11 = lanes.inner[thread_1.lane];
        most_1 = _e11;
        bool loop_init = true;
        while(true) {
            if (!loop_init) {
                uint _e29 = i;
                i = _e29 + 1u;
            }
            loop_init = false;
            uint _e15 = i;
            if (_e15 < 16u) {
            } else {
                break;
            }
            {
                float _e18 = most_1;
                uint _e22 = i;
                float _e26 = lanes.inner[thread_1.lane + (8u * _e22)];
                most_1 = metal::max(_e18, _e26);
            }
        }
        float _e34 = most_1;
        eighths.inner[thread_1.lane] = _e34;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e37 = eighths.inner[0];
    float _e40 = eighths.inner[1];
    float _e44 = eighths.inner[2];
    float _e47 = eighths.inner[3];
    float _e52 = eighths.inner[4];
    float _e55 = eighths.inner[5];
    float _e59 = eighths.inner[6];
    float _e62 = eighths.inner[7];
    return metal::max(metal::max(metal::max(_e37, _e40), metal::max(_e44, _e47)), metal::max(metal::max(_e52, _e55), metal::max(_e59, _e62)));
}

float workgroup_sum(
    float value_1,
    Thread thread_2,
    threadgroup type_4& lanes,
    threadgroup type_5& eighths
) {
    float sum_1 = 0.0;
    uint i_1 = 0u;
    lanes.inner[thread_2.lane] = value_1;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (thread_2.lane < 8u) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e26 = i_1;
                i_1 = _e26 + 1u;
            }
            loop_init_1 = false;
            uint _e12 = i_1;
            if (_e12 < 16u) {
            } else {
                break;
            }
            {
                float _e15 = sum_1;
                uint _e19 = i_1;
                float _e23 = lanes.inner[thread_2.lane + (8u * _e19)];
                sum_1 = _e15 + _e23;
            }
        }
        float _e31 = sum_1;
        eighths.inner[thread_2.lane] = _e31;
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

struct softmaxInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void softmax(
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
    float most = {};
    uint c = {};
    float sum = 0.0;
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
    float _e31 = params.scale;
    float sign = (_e31 < 0.0) ? -1.0 : 1.0;
    float _e39 = params.scale;
    float scale = metal::abs(_e39);
    float _e43 = x[x0_];
    most = sign * _e43;
    c = thread_.lane;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e61 = c;
            c = _e61 + 128u;
        }
        loop_init_2 = false;
        uint _e48 = c;
        uint _e51 = params.columns;
        if (_e48 < _e51) {
        } else {
            break;
        }
        {
            float _e53 = most;
            uint _e55 = c;
            float _e58 = x[x0_ + _e55];
            most = metal::max(_e53, sign * _e58);
        }
    }
    float _e64 = most;
    float _e65 = workgroup_max(_e64, thread_, lanes, eighths);
    c_1 = thread_.lane;
    bool loop_init_3 = true;
    while(true) {
        if (!loop_init_3) {
            uint _e86 = c_1;
            c_1 = _e86 + 128u;
        }
        loop_init_3 = false;
        uint _e70 = c_1;
        uint _e73 = params.columns;
        if (_e70 < _e73) {
        } else {
            break;
        }
        {
            float _e75 = sum;
            uint _e77 = c_1;
            float _e80 = x[x0_ + _e77];
            float _e84 = exp_negative(((sign * _e80) - _e65) * scale);
            sum = _e75 + _e84;
        }
    }
    float _e89 = sum;
    float _e90 = workgroup_sum(_e89, thread_, lanes, eighths);
    c_2 = thread_.lane;
    bool loop_init_4 = true;
    while(true) {
        if (!loop_init_4) {
            uint _e112 = c_2;
            c_2 = _e112 + 128u;
        }
        loop_init_4 = false;
        uint _e93 = c_2;
        uint _e96 = params.columns;
        if (_e93 < _e96) {
        } else {
            break;
        }
        {
            uint _e99 = c_2;
            uint _e103 = c_2;
            float _e106 = x[x0_ + _e103];
            float _e110 = exp_negative(((sign * _e106) - _e65) * scale);
            y[y0_ + _e99] = _e110 / _e90;
        }
    }
    return;
}
