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
typedef uint type_2[1];
typedef float type_3[1];
struct Thread {
    uint lane;
    char _pad1[12];
    metal::uint3 group;
    metal::uint3 groups;
};
struct type_6 {
    uint inner[128];
};
struct type_7 {
    uint inner[8];
};
struct type_8 {
    float inner[128];
};
struct type_9 {
    float inner[8];
};
constant uint NAN_LAST = 4294967295u;

uint turned(
    uint i,
    device type_2 const& x,
    constant Params& params
) {
    uint _e3 = x[i];
    float _e8 = params.scale;
    return _e3 ^ ((_e8 < 0.0) ? 2147483648u : 0u);
}

float exponential(
    uint i_1,
    float extreme,
    device type_2 const& x,
    constant Params& params
) {
    uint _e2 = turned(i_1, x, params);
    float _e7 = params.scale;
    float d = (as_type<float>(_e2) - extreme) * metal::abs(_e7);
    return metal::exp((d < -104.0) ? -104.0 : d);
}

uint order(
    uint bits
) {
    uint magnitude = bits & 2147483647u;
    return (bits > 2147483647u) ? (2147483648u - magnitude) : (2147483648u + magnitude);
}

bool is_nan(
    uint bits_1
) {
    return (bits_1 & 2147483647u) > 2139095040u;
}

uint workgroup_max(
    uint value,
    Thread thread_1,
    threadgroup type_6& integers,
    threadgroup type_7& integer_eighths
) {
    uint most_1 = {};
    uint i_2 = 1u;
    integers.inner[thread_1.lane] = value;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (thread_1.lane < 8u) {
        uint _e11 = integers.inner[thread_1.lane];
        most_1 = _e11;
        bool loop_init = true;
        while(true) {
            if (!loop_init) {
                uint _e29 = i_2;
                i_2 = _e29 + 1u;
            }
            loop_init = false;
            uint _e15 = i_2;
            if (_e15 < 16u) {
            } else {
                break;
            }
            {
                uint _e18 = most_1;
                uint _e22 = i_2;
                uint _e26 = integers.inner[thread_1.lane + (8u * _e22)];
                most_1 = metal::max(_e18, _e26);
            }
        }
        uint _e34 = most_1;
        integer_eighths.inner[thread_1.lane] = _e34;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e37 = integer_eighths.inner[0];
    uint _e40 = integer_eighths.inner[1];
    uint _e44 = integer_eighths.inner[2];
    uint _e47 = integer_eighths.inner[3];
    uint _e52 = integer_eighths.inner[4];
    uint _e55 = integer_eighths.inner[5];
    uint _e59 = integer_eighths.inner[6];
    uint _e62 = integer_eighths.inner[7];
    return metal::max(metal::max(metal::max(_e37, _e40), metal::max(_e44, _e47)), metal::max(metal::max(_e52, _e55), metal::max(_e59, _e62)));
}

uint bits_of_order(
    uint order_1
) {
    return (order_1 < 2147483648u) ? (2147483648u | (2147483648u - order_1)) : (order_1 - 2147483648u);
}

float workgroup_sum(
    float value_1,
    Thread thread_2,
    threadgroup type_8& lanes,
    threadgroup type_9& eighths
) {
    float sum_1 = 0.0;
    uint i_3 = 0u;
    lanes.inner[thread_2.lane] = value_1;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (thread_2.lane < 8u) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e26 = i_3;
                i_3 = _e26 + 1u;
            }
            loop_init_1 = false;
            uint _e12 = i_3;
            if (_e12 < 16u) {
            } else {
                break;
            }
            {
                float _e15 = sum_1;
                uint _e19 = i_3;
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
, device type_3& y [[buffer(1)]]
, constant Params& params [[buffer(2)]]
, threadgroup type_6& integers
, threadgroup type_7& integer_eighths
, threadgroup type_8& lanes
, threadgroup type_9& eighths
) {
    const Thread thread_ = { lane, {}, group, groups };
    uint most = 0u;
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
    c = thread_.lane;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e47 = c;
            c = _e47 + 128u;
        }
        loop_init_2 = false;
        uint _e33 = c;
        uint _e36 = params.columns;
        if (_e33 < _e36) {
        } else {
            break;
        }
        {
            uint _e38 = c;
            uint _e40 = turned(x0_ + _e38, x, params);
            uint _e41 = most;
            uint _e42 = order(_e40);
            bool _e44 = is_nan(_e40);
            most = metal::max(_e41, _e44 ? NAN_LAST : _e42);
        }
    }
    uint _e50 = most;
    uint _e51 = workgroup_max(_e50, thread_, integers, integer_eighths);
    uint _e52 = bits_of_order(_e51);
    float extreme_1 = as_type<float>(_e52);
    c_1 = thread_.lane;
    bool loop_init_3 = true;
    while(true) {
        if (!loop_init_3) {
            uint _e68 = c_1;
            c_1 = _e68 + 128u;
        }
        loop_init_3 = false;
        uint _e58 = c_1;
        uint _e61 = params.columns;
        if (_e58 < _e61) {
        } else {
            break;
        }
        {
            float _e63 = sum;
            uint _e64 = c_1;
            float _e66 = exponential(x0_ + _e64, extreme_1, x, params);
            sum = _e63 + _e66;
        }
    }
    uint poison = (_e51 == NAN_LAST) ? 2143289344u : 0u;
    float _e76 = sum;
    float _e77 = workgroup_sum(_e76, thread_, lanes, eighths);
    float total = as_type<float>(as_type<uint>(_e77) | poison);
    c_2 = thread_.lane;
    bool loop_init_4 = true;
    while(true) {
        if (!loop_init_4) {
            uint _e96 = c_2;
            c_2 = _e96 + 128u;
        }
        loop_init_4 = false;
        uint _e83 = c_2;
        uint _e86 = params.columns;
        if (_e83 < _e86) {
        } else {
            break;
        }
        {
            uint _e89 = c_2;
            uint _e92 = c_2;
            float _e94 = exponential(x0_ + _e92, extreme_1, x, params);
            y[y0_ + _e89] = _e94 / total;
        }
    }
    return;
}
