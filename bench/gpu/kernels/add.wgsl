// y = a + b, one thread an element. The array is a multiple of the workgroup long, and workgroups are as large as
// those of our own kernel, so that everybody hands the driver the same grid.
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    y[id.x] = a[id.x] + b[id.x];
}
