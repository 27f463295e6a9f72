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
    uint subgroup;
    uint subgroups;
    uint subgroup_lane;
    metal::uint3 group;
    metal::uint3 groups;
};
struct type_3 {
    uint inner[128];
};

uint workgroup_max(
    uint value,
    Thread thread_1,
    threadgroup type_3& integer_parts
) {
    uint most = {};
    uint i = 1u;
    uint unnamed = metal::simd_max(value);
    if (thread_1.subgroup_lane == 0u) {
        integer_parts.inner[thread_1.subgroup] = unnamed;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e11 = integer_parts.inner[0];
    most = _e11;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e25 = i;
            i = _e25 + 1u;
        }
        loop_init = false;
        uint _e15 = i;
        if (_e15 < thread_1.subgroups) {
        } else {
            break;
        }
        {
            uint _e18 = most;
            uint _e20 = i;
            uint _e22 = integer_parts.inner[_e20];
            most = metal::max(_e18, _e22);
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e27 = most;
    return _e27;
}
metal::int4 naga_f2i32(metal::float4 value) {
    return static_cast<metal::int4>(metal::clamp(value, -2147483600.0, 2147483500.0));
}


struct store_bytesInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store_bytes(
  uint lane [[thread_index_in_threadgroup]]
, uint subgroup [[simdgroup_index_in_threadgroup]]
, uint subgroups [[simdgroups_per_threadgroup]]
, uint subgroup_lane [[thread_index_in_simdgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_1 const& x [[buffer(0)]]
, device type_1 const& slots [[buffer(1)]]
, device type_1& words [[buffer(2)]]
, device type_1& scales [[buffer(3)]]
, constant Params& params [[buffer(4)]]
, threadgroup type_3& integer_parts
) {
    const Thread thread_ = { lane, subgroup, subgroups, subgroup_lane, group, groups };
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
    uint _e63 = workgroup_max(largest, thread_, integer_parts);
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
