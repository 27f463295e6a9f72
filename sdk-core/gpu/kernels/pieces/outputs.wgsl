// The outputs of a workgroup of a matvec: which they are, and how the threads' sums become one.
const OUTPUTS = 4u;
const THREADS = 64u;

var<workgroup> partial: array<vec4<f32>, THREADS>;

// The rows of w for this workgroup; beyond the last they are copies of it, and never stored.
fn output_rows(tile: u32) -> vec4<u32> {
    return min(vec4(tile * OUTPUTS) + vec4(0u, 1u, 2u, 3u), vec4(params.n - 1u));
}

// Adds up the sums of all threads and stores them. Called once, by all threads.
fn finish(tile: vec3<u32>, thread: u32, sums: vec4<f32>) {
    partial[thread] = sums;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if thread < half {
            partial[thread] += partial[thread + half];
        }
    }
    workgroupBarrier();
    let column = tile.x * OUTPUTS + thread;
    if thread < OUTPUTS && column < params.n {
        y[params.y + tile.y * params.stride + column] = partial[0][thread];
    }
}
