// to = from, byte by byte, one thread a byte: for copies that are not made of whole words (see copy.rs).
#include <metal_stdlib>
using namespace metal;

kernel void copy_bytes(
    device const uchar* from [[buffer(0)]],
    device uchar* to [[buffer(1)]],
    constant uint& count [[buffer(2)]],
    uint index [[thread_position_in_grid]]
) {
    if (index < count) {
        to[index] = from[index];
    }
}
