// y = number * x. y may be x.
// Threads stride over the elements. One rounding an element. NaN and infinities as in IEEE 754.
//# use unary

@compute @workgroup_size(128)
fn scale(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        y[params.y + i] = x[params.x + i] * params.number;
    }
}
