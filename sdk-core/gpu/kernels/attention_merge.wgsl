// The results of attention over a long context, from those of its stretches: each left its sums, the highest score
// that they were moved to, and the sum of its weights.
// Threads stride over the elements of y. A query that saw nothing in any stretch gives zeros.

struct Params {
    n: u32, // elements of y
    head: u32,
    stretches: u32,
    partial: u32, // offsets in words
    y: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn attention_merge(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let stride = params.head + 2u;
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        let at = params.partial + i / params.head * params.stretches * stride;
        var highest = -3.4028234e38;
        for (var s = 0u; s < params.stretches; s += 1u) {
            highest = max(highest, partial[at + s * stride + params.head]);
        }
        var sum = 0.0;
        var total = 0.0;
        for (var s = 0u; s < params.stretches; s += 1u) {
            let place = at + s * stride;
            let d = partial[place + params.head] - highest;
            let weight = exp(select(d, -104.0, d < -104.0));
            sum += weight * partial[place + i % params.head];
            total += weight * partial[place + params.head + 1u];
        }
        y[params.y + i] = select(sum / total, 0.0, bitcast<u32>(total) == 0u);
    }
}
