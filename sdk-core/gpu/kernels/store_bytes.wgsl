// Row i of x becomes row slots[i] of the cache, as bytes: round(x / scale), scale = max|x| / 127 of a head; a slot
// beyond the cache is skipped.
// One workgroup a head; a lane has a quad of it, which is a word of the cache. Heads have at most 128 quads.
// Heads whose elements are all below 2^-100 become zeros; one that is not finite makes the scale NaN.
// An element moves by at most half a scale, and a few ulp. Slots are distinct: of equal ones any may win.
//# variant shared: use reduce_shared
//# variant subgroup: use reduce_subgroup

struct Params {
    items: u32, // heads to write
    heads: u32, // of a row
    quads: u32, // of a head
    rows: u32,  // of the cache
    x: u32,     // offsets in words
    slots: u32,
    words: u32,
    scales: u32,
}

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> slots: array<u32>;
@group(0) @binding(2) var<storage, read_write> words: array<u32>;
@group(0) @binding(3) var<storage, read_write> scales: array<u32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn store_bytes(thread: Thread) {
    let item = thread.group.y * thread.groups.x + thread.group.x;
    if item >= params.items {
        return;
    }
    var quad = vec4(0u);
    if thread.lane < params.quads {
        let at = params.x + (item * params.quads + thread.lane) * 4u;
        quad = vec4(x[at], x[at + 1u], x[at + 2u], x[at + 3u]);
    }
    // As integers, magnitudes order as they do as floats, and NaN is above infinity.
    let magnitudes = quad & vec4(0x7fffffffu);
    let largest = max(max(magnitudes.x, magnitudes.y), max(magnitudes.z, magnitudes.w));
    let bits = workgroup_max(largest, thread);
    let slot = slots[params.slots + item / params.heads];
    if slot >= params.rows {
        return;
    }
    let to = slot * params.heads + item % params.heads;
    let is_finite = bits < 0x7f800000u;
    // 2^-100.
    let is_tiny = bits < 0x0d800000u;
    let top = bitcast<f32>(bits);
    let inverse = select(0.0, 127.0 / top, is_finite && !is_tiny);
    if thread.lane < params.quads {
        let numbers = select(vec4(0.0), round(bitcast<vec4<f32>>(quad) * inverse), vec4(is_finite && !is_tiny));
        let bytes = bitcast<vec4<u32>>(vec4<i32>(numbers)) & vec4(0xffu);
        words[params.words + to * params.quads + thread.lane] =
            bytes.x | bytes.y << 8u | bytes.z << 16u | bytes.w << 24u;
    }
    if thread.lane == 0u {
        let scale = select(bitcast<u32>(top / 127.0), 0u, is_tiny);
        scales[params.scales + to] = select(0x7fc00000u, scale, is_finite);
    }
}
