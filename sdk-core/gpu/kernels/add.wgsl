// y = a + b, element by element; a `b` of one row is added to every row of `a`.
// Threads stride over the elements, so that any grid serves any length. y may be a or b.
// Exact: one rounding an element. NaN and infinities as in IEEE 754.

struct Params {
    n: u32,       // elements
    columns: u32, // of b: element i of y takes element (first + i) % columns of b
    first: u32,
    a: u32, // offsets in words
    b: u32,
    y: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<immediate> params: Params;

@compute @workgroup_size(128)
fn add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        let j = (params.first + i) % params.columns;
        y[params.y + i] = a[params.a + i] + b[params.b + j];
    }
}
