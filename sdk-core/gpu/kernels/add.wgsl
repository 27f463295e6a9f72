// y = a + b, element by element; a `b` of one row is added to every row of `a`. y may be a or b.
// Threads stride over the elements, so that any grid serves any length.
// One rounding an element. NaN and infinities as in IEEE 754.
//# use binary
//# variant pairs: const ROW = false
//# variant row: const ROW = true

@compute @workgroup_size(128)
fn add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < params.n; i += groups.x * 128u) {
        y[params.y + i] = a[params.a + i] + b[b_index(i)];
    }
}
