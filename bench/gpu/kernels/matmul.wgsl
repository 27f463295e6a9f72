// y = x · wᵀ for 1024 by 1024 by 1024 and nothing else, tuned for lavapipe: what a person who writes for one
// driver would keep. A thread owns ROWS by COLUMNS results in registers and walks k in quads; neighbouring threads
// own neighbouring columns and load the same rows of x. On lavapipe shared memory only costs; 8 by 4 results
// balance loads (their number is what counts there) against spilled registers.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> w: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

const N = 1024u;
const QUADS = 256u;
const ROWS = 8u;
const COLUMNS = 4u;
const THREADS = 32u;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.y * ROWS;
    let column = (group.x * THREADS + thread) * COLUMNS;
    var sums: array<vec4<f32>, ROWS>;
    for (var k = 0u; k < QUADS; k += 1u) {
        let w0 = w[column * QUADS + k];
        let w1 = w[(column + 1u) * QUADS + k];
        let w2 = w[(column + 2u) * QUADS + k];
        let w3 = w[(column + 3u) * QUADS + k];
        for (var i = 0u; i < ROWS; i += 1u) {
            let quad = x[(row + i) * QUADS + k];
            var sum = sums[i];
            sum = fma(vec4(quad.x), vec4(w0.x, w1.x, w2.x, w3.x), sum);
            sum = fma(vec4(quad.y), vec4(w0.y, w1.y, w2.y, w3.y), sum);
            sum = fma(vec4(quad.z), vec4(w0.z, w1.z, w2.z, w3.z), sum);
            sums[i] = fma(vec4(quad.w), vec4(w0.w, w1.w, w2.w, w3.w), sum);
        }
    }
    for (var i = 0u; i < ROWS; i += 1u) {
        let first = (row + i) * N + column;
        y[first] = sums[i].x;
        y[first + 1u] = sums[i].y;
        y[first + 2u] = sums[i].z;
        y[first + 3u] = sums[i].w;
    }
}
