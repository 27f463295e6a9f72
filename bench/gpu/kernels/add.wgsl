// y = a + b, four elements a thread. The array is a multiple of what a workgroup takes, and grid and workgroups are
// as large as those of our own kernel, so that everybody hands the driver the same work.
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let stride = groups.x * 128u;
    for (var i = id.x; i < 4u * stride; i += stride) {
        y[i] = a[i] + b[i];
    }
}
