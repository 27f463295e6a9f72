// y = gelu(a) * b, gelu in the tanh form: the gate and the up projection of a feed-forward layer. y may be a or b.
// Threads stride over the elements, so that any grid serves any length.
// Relative error of a few ulp times |u| (see pieces/tanh_gelu.wgsl). NaN gives NaN.
//# use binary sigmoid tanh_gelu

const ROW = false;

@compute @workgroup_size(128)
fn gelu_mul(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        y[params.y + i] = tanh_gelu(a[params.a + i]) * b[b_index(i)];
    }
}
