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
typedef uint type_1[1];
struct Thread {
    uint lane;
    char _pad1[12];
    metal::uint3 group;
    metal::uint3 groups;
};
struct type_4 {
    uint inner[128];
};
struct type_5 {
    uint inner[8];
};
constant uint NAN_LAST = 4294967295u;

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
    threadgroup type_4& integers,
    threadgroup type_5& integer_eighths
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

struct argmaxInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void argmax(
  uint lane [[thread_index_in_threadgroup]]
, metal::uint3 group [[threadgroup_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_1 const& x [[buffer(0)]]
, device type_1& y [[buffer(1)]]
, constant Params& params [[buffer(2)]]
, threadgroup type_4& integers
, threadgroup type_5& integer_eighths
) {
    const Thread thread_ = { lane, {}, group, groups };
    uint best = 0u;
    uint at = {};
    uint c = {};
    uint row = (thread_.group.y * thread_.groups.x) + thread_.group.x;
    uint _e11 = params.rows;
    if (row >= _e11) {
        return;
    }
    uint _e15 = params.x;
    uint _e18 = params.columns;
    uint x0_ = _e15 + (row * _e18);
    at = thread_.lane;
    c = thread_.lane;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e44 = c;
            c = _e44 + 128u;
        }
        loop_init_1 = false;
        uint _e27 = c;
        uint _e30 = params.columns;
        if (_e27 < _e30) {
        } else {
            break;
        }
        {
            uint _e33 = c;
            uint bits_2 = x[x0_ + _e33];
            uint _e37 = order(bits_2);
            bool _e39 = is_nan(bits_2);
            uint place = _e39 ? 0u : _e37;
            uint _e41 = best;
            if (place > _e41) {
                best = place;
                uint _e43 = c;
                at = _e43;
            }
        }
    }
    uint _e47 = best;
    uint _e48 = workgroup_max(_e47, thread_, integers, integer_eighths);
    uint _e50 = at;
    uint _e52 = best;
    uint _e55 = workgroup_max((_e52 == _e48) ? ~(_e50) : 0u, thread_, integers, integer_eighths);
    if (thread_.lane == 0u) {
        uint _e62 = params.y;
        y[_e62 + row] = ~(_e55);
        return;
    } else {
        return;
    }
}
