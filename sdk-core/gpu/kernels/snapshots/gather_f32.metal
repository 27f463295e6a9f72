// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint n;
    uint columns;
    uint first;
    uint rows;
    uint total;
    uint zeroes;
    uint table;
    uint ids;
    uint y;
};
typedef uint type_1[1];
constant uint F32_ = 1u;
constant uint F16_ = 2u;
constant uint BF16_ = 3u;
constant uint FORMAT = 1u;

uint f32_of_f16_(
    uint half_
) {
    uint sign = (half_ & 32768u) << 16u;
    uint rest = half_ & 32767u;
    if (rest >= 31744u) {
        return (sign | 2139095040u) | ((rest & 1023u) << 13u);
    }
    if (rest < 1024u) {
        return sign | as_type<uint>(static_cast<float>(rest) * 0.000000059604645);
    }
    return sign | ((rest << 13u) + 939524096u);
}

uint element(
    uint i_1,
    device type_1 const& table,
    constant Params& params
) {
    if (true) {
        uint _e5 = params.table;
        uint _e8 = table[_e5 + i_1];
        return _e8;
    }
    uint _e12 = params.table;
    uint _e17 = table[_e12 + (i_1 >> 1u)];
    uint half_1 = (_e17 >> (16u * (i_1 & 1u))) & 65535u;
    if (false) {
        uint _e26 = f32_of_f16_(half_1);
        return _e26;
    }
    return half_1 << 16u;
}

struct gatherInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void gather(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_1 const& table [[buffer(0)]]
, device type_1 const& ids [[buffer(1)]]
, device type_1& y [[buffer(2)]]
, constant Params& params [[buffer(3)]]
) {
    uint i = {};
    bool local = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e68 = i;
            i = _e68 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e4 = i;
        uint _e7 = params.n;
        if (_e4 < _e7) {
        } else {
            break;
        }
        {
            uint _e12 = params.ids;
            uint _e13 = i;
            uint _e16 = params.columns;
            uint row = ids[_e12 + (_e13 / _e16)];
            uint _e23 = params.first;
            uint here = row - _e23;
            uint _e27 = params.rows;
            if (here < _e27) {
                uint _e32 = params.y;
                uint _e33 = i;
                uint _e38 = params.columns;
                uint _e40 = i;
                uint _e43 = params.columns;
                uint _e46 = element((here * _e38) + (_e40 % _e43), table, params);
                y[_e32 + _e33] = _e46;
            } else {
                uint _e49 = params.total;
                if (row >= _e49) {
                    uint _e55 = params.zeroes;
                    local = _e55 == 1u;
                } else {
                    local = false;
                }
                bool _e59 = local;
                if (_e59) {
                    uint _e63 = params.y;
                    uint _e64 = i;
                    y[_e63 + _e64] = 0u;
                }
            }
        }
    }
    return;
}
