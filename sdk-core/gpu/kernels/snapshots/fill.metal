// language: metal2.3
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;


struct Params {
    uint words;
    uint odd;
    uint pattern;
    uint y;
};
typedef uint type_1[1];

struct fillInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void fill(
  metal::uint3 id [[thread_position_in_grid]]
, metal::uint3 groups [[threadgroups_per_grid]]
, device type_1& y [[buffer(0)]]
, constant Params& params [[buffer(1)]]
) {
    uint i = {};
    uint word = {};
    bool local = {};
    i = id.x;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e51 = i;
            i = _e51 + (groups.x * 128u);
        }
        loop_init = false;
        uint _e4 = i;
        uint _e7 = params.words;
        if (_e4 < _e7) {
        } else {
            break;
        }
        {
            uint _e11 = params.pattern;
            word = _e11;
            uint _e15 = params.odd;
            if (_e15 == 1u) {
                uint _e20 = i;
                uint _e25 = params.words;
                local = (_e20 + 1u) == _e25;
            } else {
                local = false;
            }
            bool _e28 = local;
            if (_e28) {
                uint _e29 = word;
                uint _e35 = params.y;
                uint _e36 = i;
                uint _e39 = y[_e35 + _e36];
                word = (_e29 & 65535u) | (_e39 & 4294901760u);
            }
            uint _e46 = params.y;
            uint _e47 = i;
            uint _e50 = word;
            y[_e46 + _e47] = _e50;
        }
    }
    return;
}
