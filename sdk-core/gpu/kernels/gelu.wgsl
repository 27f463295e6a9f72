// y = gelu(x), the tanh form. y may be x.
// Threads stride over the elements. Relative error of a few ulp times |u| (see pieces/tanh_gelu.wgsl). NaN gives NaN.
//# use unary sigmoid tanh_gelu

@compute @workgroup_size(128)
fn gelu(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        y[params.y + i] = tanh_gelu(x[params.x + i]);
    }
}
