// y = sigmoid(a) * b: a gate over what attention gives. y may be a or b.
// Threads stride over the elements, so that any grid serves any length.
// Relative error of a few ulp while exp(-|a|) is a normal number; the sigmoid is 0 beyond a = -104. NaN gives NaN.
//# use binary sigmoid

const ROW = false;

@compute @workgroup_size(128)
fn sigmoid_mul(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        y[params.y + i] = sigmoid(a[params.a + i]) * b[b_index(i)];
    }
}
