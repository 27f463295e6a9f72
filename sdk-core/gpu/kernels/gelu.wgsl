// y = gelu(x), the tanh form: 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x + 0.044715 x^3). y may be x.
// Written as x * sigmoid(2 u), which is the same and does not cancel where x is negative.
// Threads stride over the elements. Relative error of a few ulp times |u|. NaN gives NaN.
//# use sigmoid

struct Params {
    n: u32, // elements
    x: u32, // offsets in words
    y: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn gelu(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        let v = x[params.x + i];
        let u2 = v * (1.5957691216057308 + 0.07135481627260025 * v * v);
        y[params.y + i] = v * sigmoid(u2);
    }
}
