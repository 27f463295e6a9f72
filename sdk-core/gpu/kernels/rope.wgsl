// Turns pairs of elements of each head by the token's angles: (a, b) becomes (a cos - b sin, a sin + b cos).
// Elements beyond the turned ones are copied. cos and sin come from the host. y may be x.
// Threads stride over (token, head, pair or copied element). Two roundings or three an element.
//# variant halves: const NEIGHBOURS = false
//# variant neighbours: const NEIGHBOURS = true

struct Params {
    n: u32,     // items: tokens * heads * (head - pairs)
    heads: u32, // of one token
    head: u32,  // elements of one head
    pairs: u32, // of one head
    x: u32,     // offsets in words
    angles: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> angles: array<f32>; // (cos, sin) by token and pair
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn rope(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let items = params.head - params.pairs;
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        let row = i / items;
        let item = i % items;
        let start = row * params.head;
        if item >= params.pairs {
            let at = start + item + params.pairs;
            y[params.y + at] = x[params.x + at];
            continue;
        }
        let angle = params.angles + 2u * (row / params.heads * params.pairs + item);
        let cosine = angles[angle];
        let sine = angles[angle + 1u];
        let first = start + select(item, 2u * item, NEIGHBOURS);
        let second = select(first + params.pairs, first + 1u, NEIGHBOURS);
        let a = x[params.x + first];
        let b = x[params.x + second];
        y[params.y + first] = a * cosine - b * sine;
        y[params.y + second] = a * sine + b * cosine;
    }
}
