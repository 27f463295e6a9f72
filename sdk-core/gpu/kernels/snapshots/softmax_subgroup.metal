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
    uint subgroup;
    uint subgroups;
    uint subgroup_lane;
    metal::uint3 group;
    metal::uint3 groups;
};
struct type_6 {
    uint inner[128];
};
struct type_7 {
    float inner[128];
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
    threadgroup type_6& integer_parts
) {
    uint most_1 = {};
    uint i_2 = 1u;
    uint unnamed = metal::simd_max(value);
    if (thread_1.subgroup_lane == 0u) {
        integer_parts.inner[thread_1.subgroup] = unnamed;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e11 = integer_parts.inner[0];
    most_1 = _e11;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e25 = i_2;
            i_2 = _e25 + 1u;
        }
        loop_init = false;
        uint _e15 = i_2;
        if (_e15 < thread_1.subgroups) {
        } else {
            break;
        }
        {
            uint _e18 = most_1;
            uint _e20 = i_2;
            uint _e22 = integer_parts.inner[_e20];
            most_1 = metal::max(_e18, _e22);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e27 = most_1;
    return _e27;
}

uint bits_of_order(
    uint order_1
) {
    return (order_1 < 2147483648u) ? (2147483648u | (2147483648u - order_1)) : (order_1 - 2147483648u);
}

float workgroup_sum(
    float value_1,
    Thread thread_2,
    threadgroup type_7& parts
) {
    float sum_1 = 0.0;
    uint i_3 = 0u;
    float unnamed_1 = metal::simd_sum(value_1);
    if (thread_2.subgroup_lane == 0u) {
        parts.inner[thread_2.subgroup] = unnamed_1;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e23 = i_3;
            i_3 = _e23 + 1u;
        }
        loop_init_1 = false;
        uint _e13 = i_3;
        if (_e13 < thread_2.subgroups) {
        } else {
            break;
        }
        {
            float _e16 = sum_1;
            uint _e18 = i_3;
            float _e20 = parts.inner[_e18];
            sum_1 = _e16 + _e20;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float _e25 = sum_1;
    return _e25;
}

struct softmaxInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void softmax(
  uint lane [[thread_index_in_threadgroup]]
, uint subgroup [[simdgroup_index_in_threadgroup]]
, uint subgroups [[simdgroups_per_threadgroup]]
, uint subgroup_lane [[thread_index_in_simdgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_2 const& x [[buffer(0)]]
, device type_3& y [[buffer(1)]]
, constant Params& params [[buffer(2)]]
, threadgroup type_6& integer_parts
, threadgroup type_7& parts
) {
    const Thread thread_ = { lane, subgroup, subgroups, subgroup_lane, group, groups };
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
    uint _e51 = workgroup_max(_e50, thread_, integer_parts);
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
    float _e77 = workgroup_sum(_e76, thread_, parts);
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
