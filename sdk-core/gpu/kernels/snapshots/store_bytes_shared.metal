// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint items;
    uint heads;
    uint quads;
    uint rows;
    uint x;
    uint slots;
    uint words;
    uint scales;
};
typedef uint type_1[1];
struct Thread {
    uint lane;
    char _pad1[12];
    metal::uint3 group;
    metal::uint3 groups;
};
struct type_3 {
    uint inner[128];
};
struct type_4 {
    uint inner[8];
};

uint workgroup_max(
    uint value,
    Thread thread_1,
    threadgroup type_3& integers,
    threadgroup type_4& integer_eighths
) {
    uint most = {};
    uint i = 1u;
    integers.inner[thread_1.lane] = value;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (thread_1.lane < 8u) {
        uint _e11 = integers.inner[thread_1.lane];
        most = _e11;
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
                uint _e18 = most;
                uint _e22 = i;
                uint _e26 = integers.inner[thread_1.lane + (8u * _e22)];
                most = metal::max(_e18, _e26);
            }
        }
        uint _e34 = most;
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
metal::int4 naga_f2i32(metal::float4 value) {
    return static_cast<metal::int4>(metal::clamp(value, -2147483600.0, 2147483500.0));
}


struct store_bytesInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store_bytes(
  uint lane [[thread_index_in_threadgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_1 const& x [[buffer(0)]]
, device type_1 const& slots [[buffer(1)]]
, device type_1& words [[buffer(2)]]
, device type_1& scales [[buffer(3)]]
, constant Params& params [[buffer(4)]]
, threadgroup type_3& integers
, threadgroup type_4& integer_eighths
) {
    const Thread thread_ = { lane, {}, group, groups };
    metal::uint4 quad_ = metal::uint4(0u);
    bool local = {};
    bool local_1 = {};
    uint item = (thread_.group.y * thread_.groups.x) + thread_.group.x;
    uint _e11 = params.items;
    if (item >= _e11) {
        return;
    }
    uint _e19 = params.quads;
    if (thread_.lane < _e19) {
        uint _e23 = params.x;
        uint _e26 = params.quads;
        uint at = _e23 + (((item * _e26) + thread_.lane) * 4u);
        uint _e35 = x[at];
        uint _e40 = x[at + 1u];
        uint _e45 = x[at + 2u];
        uint _e50 = x[at + 3u];
        quad_ = metal::uint4(_e35, _e40, _e45, _e50);
    }
    metal::uint4 _e52 = quad_;
    metal::uint4 magnitudes = _e52 & metal::uint4(2147483647u);
    uint largest = metal::max(metal::max(magnitudes.x, magnitudes.y), metal::max(magnitudes.z, magnitudes.w));
    uint _e63 = workgroup_max(largest, thread_, integers, integer_eighths);
    uint _e67 = params.slots;
    uint _e70 = params.heads;
    uint slot = slots[_e67 + (item / _e70)];
    uint _e77 = params.rows;
    if (slot >= _e77) {
        return;
    }
    uint _e81 = params.heads;
    uint _e85 = params.heads;
    uint to = (slot * _e81) + (item % _e85);
    bool is_finite = _e63 < 2139095040u;
    bool is_tiny = _e63 < 226492416u;
    float top = as_type<float>(_e63);
    if (is_finite) {
        local = !(is_tiny);
    } else {
        local = false;
    }
    bool _e99 = local;
    float inverse = _e99 ? (127.0 / top) : 0.0;
    uint _e105 = params.quads;
    if (thread_.lane < _e105) {
        metal::uint4 _e107 = quad_;
        if (is_finite) {
            local_1 = !(is_tiny);
        } else {
            local_1 = false;
        }
        bool _e115 = local_1;
        metal::float4 numbers = metal::select(metal::float4(0.0), metal::rint(as_type<metal::float4>(_e107) * inverse), metal::bool4(_e115));
        metal::uint4 bytes = as_type<metal::uint4>(naga_f2i32(numbers)) & metal::uint4(255u);
        uint _e128 = params.words;
        uint _e131 = params.quads;
        words[(_e128 + (to * _e131)) + thread_.lane] = ((bytes.x | (bytes.y << 8u)) | (bytes.z << 16u)) | (bytes.w << 24u);
    }
    if (thread_.lane == 0u) {
        uint scale = is_tiny ? 0u : as_type<uint>(top / 127.0);
        uint _e161 = params.scales;
        scales[_e161 + to] = is_finite ? scale : 2143289344u;
        return;
    } else {
        return;
    }
}
